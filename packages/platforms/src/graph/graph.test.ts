import { describe, expect, test } from '@jest/globals';
import { ok } from '@switchboard/domain';
import type { PlatformResponse, PlatformRequest, Session } from '@switchboard/domain/ports';
import { z } from 'zod';
import { catalog } from '../catalog.js';
import { requestGraph, parseGraphError, isMissing, isCredentialRejected, parseWaitSeconds } from './graph.js';

type ResponseFields = Partial<PlatformResponse>;

const answerOf = (stated: ResponseFields): PlatformResponse => {
  const { status = 400, headers = {}, json } = stated;
  return { status, ok: status < 300, headers, body: new Uint8Array(), json };
};

/** A transport that returns one prepared response and records the request. */
function line(stated: ResponseFields, apiVersion: string | null = 'v25.0') {
  const requested: PlatformRequest[] = [];
  const session: Session = {
    apiVersion,
    account: { id: 'a', username: null, name: null, avatarUrl: null, url: null },
    connectMethod: 'oauth',
    baseUrl: 'http://127.0.0.1:9',
    grantedPermissions: [],
    signal: new AbortController().signal,
    request: async (request) => {
      requested.push(request);
      return ok(answerOf(stated));
    },
  };
  return { session, asked: requested };
}

/** As documented by Meta. */
const error = (code: number, more: Readonly<Record<string, unknown>> = {}) => ({
  error: {
    message: 'Message describing the error',
    type: 'OAuthException',
    code,
    fbtrace_id: 'EJplcsCHuLu',
    ...more,
  },
});

const asking = (effect: PlatformRequest['effect'], stated: ResponseFields) =>
  requestGraph(
    line(stated).session,
    'Meta',
    { method: 'POST', path: '/me', effect },
    z.object({ id: z.string() }),
  );

async function codeOf(effect: PlatformRequest['effect'], stated: ResponseFields): Promise<string> {
  const result = await asking(effect, stated);
  return result.ok ? 'ok' : result.failure.code;
}

test.each([
  ['v25.0', '/me', '/v25.0/me'],
  [null, '/me', '/me'],
  ['v25.0', 'https://rupload.facebook.com/v24.0/1', 'https://rupload.facebook.com/v24.0/1'],
])('with the version %s, %s requests %s', async (version, path, expected) => {
  const { session, asked } = line({ status: 200, json: {} }, version);
  await requestGraph(session, 'Meta', { method: 'GET', path, effect: 'read' }, z.unknown());
  expect(asked[0]?.path).toBe(expected);
});

test.each([
  [400, 190, true],
  [400, 102, true],
  [401, 190, true],
  [400, 10, false],
  [200, 190, false],
])('a %i with the code %i refuses the credential: %s', (status, code, expected) => {
  expect(isCredentialRejected(answerOf({ status, json: error(code) }))).toBe(expected);
});

test.each([4, 9, 17, 32, 341, 613, 80_001, 80_002, 80_014])(
  'too many calls (%i) are a rate limit for every request, and nothing was done',
  async (code) => {
    for (const effect of ['read', 'write'] as const) {
      expect(await codeOf(effect, { json: error(code, { is_transient: true }) })).toBe(
        'platform.rate_limited',
      );
    }
  },
);

test.each([
  [1, {}],
  [2, {}],
  [-1, { error_subcode: 2_207_001 }],
  [-2, { error_subcode: 2_207_003 }],
  [99, { is_transient: true }],
])('a temporary failure (%i, %j) leaves the outcome of a write unknown', async (code, more) => {
  expect(await codeOf('read', { json: error(code, more) })).toBe('platform.unavailable');
  expect(await codeOf('idempotent', { json: error(code, more) })).toBe('platform.unavailable');
  expect(await codeOf('write', { json: error(code, more) })).toBe('platform.outcome_unknown');
});

test.each([
  [368, {}],
  [4, { error_subcode: 2_207_051 }],
])(
  'a request blocked as spam (%i, %j) may have been executed, and reads have to wait',
  async (code, more) => {
    expect(await codeOf('write', { status: 403, json: error(code, more) })).toBe('platform.outcome_unknown');
    expect(await codeOf('read', { status: 403, json: error(code, more) })).toBe('platform.rate_limited');
  },
);

test.each([10, 200, 230, 299])('a permission that was not granted (%i) is missing', async (code) => {
  expect(await codeOf('write', { status: 403, json: error(code) })).toBe('platform.permission_missing');
});

test.each([100, 3, 36_000, 300, 80_015])('every other code (%i) is a refusal', async (code) => {
  expect(await codeOf('write', { json: error(code) })).toBe('platform.refused');
});

test('a refusal quotes the message for users and both codes', async () => {
  const json = error(36_000, { error_subcode: 2_207_004, error_user_msg: 'The image is too large.' });
  const result = await asking('write', { json });
  expect(!result.ok && result.failure.platform).toEqual({
    name: 'Meta',
    message: 'The image is too large.',
    code: '36000/2207004',
  });
  const bare = await asking('write', { json: error(100, { error_user_msg: '' }) });
  expect(!bare.ok && bare.failure.platform?.message).toBe('Message describing the error');
});

test('a response that is not from Meta is invalid', async () => {
  expect(await codeOf('read', { status: 404, json: { oops: true } })).toBe('platform.invalid_response');
  expect(await codeOf('write', { status: 404, json: { oops: true } })).toBe('platform.outcome_unknown');
});

test('a caller may handle a refusal before it is mapped, rate limits included', async () => {
  const { session } = line({ json: error(4) });
  const request = { method: 'GET', path: '/me', effect: 'read' } as const;
  expect(await requestGraph(session, 'Meta', request, z.unknown(), ({ code }) => ok(code))).toEqual(ok(4));
});

test.each([
  [100, 33, true],
  [803, null, true],
  [24, 2_207_006, true],
  [100, null, false],
  [10, 33, false],
])('the code %i with %s means that it is missing: %s', (code, subcode, expected) => {
  expect(isMissing({ code, subcode, message: '', rawMessage: '', isTransient: false })).toBe(expected);
});

describe('the retry delay', () => {
  const stated = (usage: unknown) => parseWaitSeconds({ 'x-business-use-case-usage': JSON.stringify(usage) });
  const of = (minutes: number) => ({
    type: 'instagram',
    call_count: 100,
    total_cputime: 25,
    total_time: 25,
    estimated_time_to_regain_access: minutes,
  });

  test('is the longest of all business use cases, in minutes', () => {
    expect(stated({ '1': [of(19), of(0)], '2': [of(3)] })).toBe(19 * 60);
  });

  test('is never more than a day', () => expect(stated({ '1': [of(5_000)] })).toBe(86_400));

  test.each([[{ '1': [of(0)] }], [{}], ['without an object'], [{ '1': 'nothing' }]])(
    'is ten minutes when none is given (%j)',
    (usage) => expect(stated(usage)).toBe(600),
  );

  test('is ten minutes without the header', () => expect(parseWaitSeconds({})).toBe(600));
});

test('Facebook and Instagram request the same version, and its end date is known', () => {
  const requested = catalog
    .filter(({ manifest: { id } }) => id === 'facebook' || id === 'instagram')
    .map(({ manifest: { apiVersion, apiVersionEndsOn } }) => ({ apiVersion, apiVersionEndsOn }));
  expect(requested).toEqual(Array(2).fill({ apiVersion: 'v25.0', apiVersionEndsOn: '2028-07-29' }));
});

test('a refusal is a refusal, regardless of the fields that accompany its code', () => {
  const error = { message: 'No.', code: 100, error_subcode: '33', error_user_msg: {}, is_transient: 'no' };
  expect(parseGraphError({ json: { error } })).toEqual({
    code: 100,
    subcode: null,
    message: 'No.',
    rawMessage: 'No.',
    isTransient: false,
  });
});

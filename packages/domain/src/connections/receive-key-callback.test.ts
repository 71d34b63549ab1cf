import { describe, expect, test } from '@jest/globals';
import { memorySocial, remoteAccount } from '../../testing/environment/memory-social.js';
import { createTestEnvironment } from '../../testing/environment/test-environment.js';
import { refuse } from '../failure.js';
import { ok } from '../result.js';
import { beginConnect } from './begin-connect.js';
import { completeConnect } from './complete-connect.js';
import type { ConnectSession } from './connect-session.js';
import { connectPageCall } from './open-connect.js';
import { receiveKeyCallback } from './receive-key-callback.js';

async function scene(over: Partial<ConnectSession> = {}) {
  const connectMethod = {
    id: 'approval',
    scheme: 'key_callback',
    label: 'Continue',
    fields: [],
    needsApp: false,
  } as const;
  const social = memorySocial({ manifest: { connect: [connectMethod] } });
  const it = await createTestEnvironment([social]);
  const session = it.build.connectSession(it.profile, over);
  await it.repositories.connectSessions.insert(session);
  const never = new AbortController().signal;
  const addresses: (string | undefined)[] = [];
  const given: unknown[] = [];
  const { begin, complete } = it.ports.authorizers;
  it.ports.authorizers.begin = (request) => {
    addresses.push(request.keyCallbackUrl);
    return begin(request);
  };
  it.ports.authorizers.complete = (request) => {
    given.push(request.keyCallbackGrant);
    return complete(request);
  };
  const depart = async () => {
    const begun = await beginConnect(it.ports, connectPageCall(session, 'req_1', never), {
      session,
      token: 'the link',
      platform: 'sandbox_social',
      connectMethod: 'approval',
      fieldValues: {},
      browser: 'browser',
    });
    if (!begun.ok || begun.value.kind !== 'redirect') throw new Error('not sent to the platform');
    const secret = new URL(addresses.at(-1) ?? '').pathname.split('/').at(-1) ?? '';
    return { state: new URL(begun.value.url).searchParams.get('state') ?? '', secret };
  };
  const deliver = (secret: string, platform = 'sandbox_social') =>
    receiveKeyCallback(
      it.ports,
      { platform, secret, body: { key: 'k' } },
      { requestId: 'req_2', signal: never },
    );
  const comeBack = (state: string) =>
    completeConnect(
      it.ports,
      { platform: 'sandbox_social', state, browser: 'browser', parameters: { state } },
      { requestId: 'req_3', signal: never },
    );
  const audit = () => it.auditRows().map(({ action, outcome }) => `${action} ${outcome}`);
  return { ...it, session, social, addresses, given, depart, deliver, comeBack, audit };
}

const nothing = { failure: { code: 'connect_session.not_found' } };

test('received keys are kept until the browser returns, and create no connection before', async () => {
  const it = await scene();
  const { state, secret } = await it.depart();
  expect(it.addresses).toEqual([`https://switchboard.example/deliveries/sandbox_social/${secret}`]);
  expect(await it.deliver(secret)).toEqual(ok());
  expect(await it.repositories.connections.listAll(it.workspace.id, { reach: null })).toEqual([]);
  expect(await it.comeBack(state)).toMatchObject({ value: { step: { session: { status: 'connected' } } } });
  expect(it.given).toEqual([it.doors.grantResult.ok && it.doors.grantResult.value]);
  expect(it.audit()).toEqual(['takeDelivery ok', 'connect ok']);
});

test('a browser that returns first finds no keys', async () => {
  const it = await scene();
  const { state, secret } = await it.depart();
  await it.comeBack(state);
  expect(it.given).toEqual([undefined]);
  expect(await it.deliver(secret)).toMatchObject(nothing);
});

describe('keys are rejected', () => {
  test('twice, under another secret, for another platform, or too late', async () => {
    const it = await scene();
    const { secret } = await it.depart();
    expect(await it.deliver('another')).toMatchObject(nothing);
    expect(await it.deliver(secret, 'bluesky')).toMatchObject(nothing);
    const both = await Promise.all([it.deliver(secret), it.deliver(secret)]);
    expect(both.filter(({ ok: taken }) => taken)).toHaveLength(1);
    expect(await it.deliver(secret)).toMatchObject(nothing);
    const late = await it.depart();
    it.clock.advance(15 * 60_000);
    expect(await it.deliver(late.secret)).toMatchObject(nothing);
  });

  test('for a session that has ended', async () => {
    const it = await scene();
    const { secret } = await it.depart();
    await it.repositories.connectSessions.end(it.session.id, {
      status: 'cancelled',
      error: null,
      connectionIds: [],
    });
    expect(await it.deliver(secret)).toMatchObject(nothing);
  });

  test('when the platform rejects them, and accepted ones are taken afterwards', async () => {
    const it = await scene();
    const { state, secret } = await it.depart();
    it.social.accounts = refuse('connection.needs_reauth', 'No.');
    expect(await it.deliver(secret)).toMatchObject({ failure: { code: 'connect.exchange_failed' } });
    it.social.accounts = refuse('platform.unavailable', 'Away.');
    expect(await it.deliver(secret)).toMatchObject({ failure: { code: 'platform.unavailable' } });
    it.social.accounts = ok([remoteAccount('ada')]);
    expect(await it.deliver(secret)).toEqual(ok());
    expect((await it.comeBack(state)).ok).toBe(true);
    expect(it.audit()).toEqual([
      'takeDelivery connect.exchange_failed',
      'takeDelivery platform.unavailable',
      'takeDelivery ok',
      'connect ok',
    ]);
  });
});

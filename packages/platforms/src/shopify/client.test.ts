import { expect, test } from '@jest/globals';
import { ok } from '@switchboard/domain';
import type { PlatformResponse, Session } from '@switchboard/domain/ports';
import { z } from 'zod';
import { requestGraphql } from './client.js';

const question = {
  document: 'query { order { customer { id } } }',
  answer: z.object({ order: z.object({ customer: z.object({ id: z.string() }).nullable() }) }),
};

/** A session to a Shopify that always returns this response. */
const saying = (json: unknown, status = 200): Session => ({
  account: { id: '1', username: null, name: null, avatarUrl: null, url: null },
  connectMethod: 'oauth',
  baseUrl: 'https://shop.example',
  apiVersion: null,
  grantedPermissions: [],
  signal: new AbortController().signal,
  request: async () => {
    const response: PlatformResponse = {
      status,
      ok: status < 300,
      headers: {},
      body: new Uint8Array(),
      json,
    };
    return ok(response);
  },
});
const codeOf = async (json: unknown, status?: number, effect: 'read' | 'write' = 'read') => {
  const outcome = await requestGraphql(saying(json, status), question, {}, { effect });
  return outcome.ok ? 'ok' : outcome.failure.code;
};
const denied = (message: string, more: object = {}) => ({
  message,
  extensions: { code: 'ACCESS_DENIED' },
  ...more,
});
const whole = { order: { customer: { id: '1' } } };
const without = { order: { customer: null } };

test.each([
  ['by path', denied('Access denied.', { path: ['order', 'customer'] })],
  ['by name', denied('Access denied for customer field. Required access: `read_customers` access scope.')],
  [
    'without a code',
    { message: 'This app is not approved to access the Customer object.', path: ['order', 'customer'] },
  ],
])('withheld customer fields, %s, do not affect the rest', async (_how, error) => {
  expect(await codeOf({ data: without, errors: [error] })).toBe('ok');
});

test('a withheld required field is a missing permission', async () => {
  const error = denied('Access denied for customer field.');
  expect(await codeOf({ data: null, errors: [error] })).toBe('platform.permission_missing');
  expect(await codeOf({ data: null, errors: [denied('Access denied for order field.')] })).toBe(
    'platform.permission_missing',
  );
});

test('an error at an unknown stage is an error, even when data accompanies it', async () => {
  const odd = { data: whole, errors: [{ message: 'odd', extensions: { code: 'NEW_CODE' } }] };
  expect(await codeOf(odd)).toBe('platform.invalid_response');
  expect(await codeOf(odd, 200, 'write')).toBe('platform.outcome_unknown');
  expect(await codeOf({ data: whole, errors: [{ message: 'odd' }] }, 200, 'write')).toBe(
    'platform.outcome_unknown',
  );
});

test('a mutation with a denied response field has been executed; a denied mutation has not', async () => {
  const partly = {
    data: { refundCreate: { refund: null } },
    errors: [denied('Access denied for transactions field.')],
  };
  expect(await codeOf(partly, 200, 'write')).toBe('platform.outcome_unknown');
  expect(await codeOf(partly)).toBe('platform.permission_missing');
  const itself = { ...partly, data: { refundCreate: null } };
  expect(await codeOf(itself, 200, 'write')).toBe('platform.permission_missing');
});

test.each([
  [402, { errors: 'Unavailable Shop' }, 'platform.refused'],
  [403, { errors: 'Forbidden' }, 'platform.permission_missing'],
  [404, { errors: 'Not Found' }, 'platform.refused'],
  [423, { errors: 'Unavailable Shop' }, 'platform.refused'],
  [404, '<html>', 'platform.outcome_unknown'],
])('a shop that answers %s with %j: %s', async (status, json, code) => {
  expect(await codeOf(json, status, 'write')).toBe(code);
});

test('a delay is at least a second, and one second if no points are reported', async () => {
  const throttled = { message: 'Throttled', extensions: { code: 'THROTTLED' } };
  const cost = (currentlyAvailable: number) => ({
    cost: { requestedQueryCost: 500, throttleStatus: { currentlyAvailable, restoreRate: 100 } },
  });
  const wait = async (extensions?: object) => {
    const outcome = await requestGraphql(saying({ errors: [throttled], extensions }), question);
    return outcome.ok ? null : outcome.failure.retryAfterSeconds;
  };
  expect(await wait(cost(50))).toBe(5);
  expect(await wait(cost(499))).toBe(1);
  expect(await wait()).toBe(1);
});

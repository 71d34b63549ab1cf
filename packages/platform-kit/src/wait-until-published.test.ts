import { expect, test } from '@jest/globals';
import { ok, refuse } from '@switchboard/domain';
import type { PlatformFailureCode } from '@switchboard/domain/ports';
import { waitUntilPublished } from './wait-until-published.js';

const { signal } = new AbortController();
const post = { name: 'Acme', delaysMs: [0, 1] };
const platform = { name: 'Acme', message: 'Not now.' };

test.each([
  ['a published part', ok('out')],
  ['a refusal', refuse('platform.refused', 'Too long.')],
  ['a failure that permits another attempt', refuse('platform.unavailable', 'Try again.')],
])('the platform’s decision is the outcome: %s', async (_, decision) => {
  const decisions = [null, decision];
  const look = async () => ok(decisions.shift() ?? null);
  expect(await waitUntilPublished({ signal }, { ...post, look })).toBe(decision);
});

test('without a decision the outcome is unknown, and is looked up later', async () => {
  const look = async () => ok(null);
  expect(await waitUntilPublished({ signal }, { ...post, look })).toMatchObject({
    failure: { code: 'platform.outcome_unknown', retryAfterSeconds: 60 },
  });
  const unconfirmed = 'Acme has the video 1.';
  expect(await waitUntilPublished({ signal }, { ...post, look, unconfirmed })).toMatchObject({
    failure: { message: unconfirmed },
  });
});

test.each<PlatformFailureCode>([
  'platform.refused',
  'platform.permission_missing',
  'platform.rate_limited',
  'platform.unavailable',
  'platform.invalid_response',
  'connection.needs_reauth',
])('a read that ends with %s is not the outcome', async (code) => {
  let reads = 0;
  const look = async () => {
    reads++;
    return refuse(code, 'No.', { platform, retryAfterSeconds: 7 });
  };
  expect(await waitUntilPublished({ signal }, { ...post, look })).toMatchObject({
    failure: { code: 'platform.outcome_unknown', platform, retryAfterSeconds: 7 },
  });
  expect(reads).toBe(1);
});

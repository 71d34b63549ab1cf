import { expect, test } from '@jest/globals';
import { getRenewalUrgency } from './get-renewal-urgency.js';
import type { AuthenticatedTransport } from './auth-scheme.js';

const start = new Date('2026-03-02T09:00:00Z');
const at = (seconds: number) => new Date(start.getTime() + seconds * 1_000);
const createTransport = (lifetimeSeconds: number | null, renewable = true) =>
  ({
    obtainedAt: start,
    accessExpiresAt: lifetimeSeconds === null ? null : at(lifetimeSeconds),
    isRenewable: renewable,
  }) as AuthenticatedTransport;

test.each([
  ['an hour', 3_600, 3_239, 'no'],
  ['an hour', 3_600, 3_240, 'soon'],
  ['an hour', 3_600, 3_600, 'ended'],
  ['two minutes', 120, 89, 'no'],
  ['two minutes', 120, 90, 'soon'],
  ['sixty days', 5_184_000, 54 * 86_400 - 1, 'no'],
  ['sixty days', 5_184_000, 54 * 86_400, 'soon'],
  ['ten seconds', 10, 4, 'no'],
  ['ten seconds', 10, 5, 'soon'],
])('the urgency of a token of %s (%p s) after %p s is %s', (_name, lifetime, after, due) => {
  expect(getRenewalUrgency(createTransport(lifetime), at(after))).toBe(due);
});

test('a token without an expiry is never due, and one that cannot be renewed is due only after it expired', () => {
  expect(getRenewalUrgency(createTransport(null), at(1e9))).toBe('no');
  expect(getRenewalUrgency(createTransport(3_600, false), at(3_599))).toBe('no');
  expect(getRenewalUrgency(createTransport(3_600, false), at(3_600))).toBe('ended');
});

import { expect, test } from '@jest/globals';
import { renewalLeadMs } from './credential.js';

const [MINUTE_MS, HOUR_MS, DAY_MS] = [60_000, 3_600_000, 86_400_000];

test.each([
  ['a tenth of its life', 10 * HOUR_MS, HOUR_MS],
  ['half a minute of a short one', 2 * MINUTE_MS, 30_000],
  ['half of the shortest', 40_000, 20_000],
  ['a week of the longest', 365 * DAY_MS, 7 * DAY_MS],
])('a token is renewed ahead by %s', (_what, lifetimeMs, aheadMs) => {
  expect(renewalLeadMs(lifetimeMs)).toBe(aheadMs);
});

import { expect, test } from '@jest/globals';
import { retryAfterOf, retryAfterSeconds } from './retry-after.js';

const now = new Date('2026-03-02T09:00:00Z');

test.each([
  ['7', 7],
  ['0', 1],
  ['999999', 86_400],
  ['Mon, 02 Mar 2026 09:00:30 GMT', 30],
  ['Mon, 02 Mar 2026 08:00:00 GMT', 1],
  ['soon', 60],
  ['', 60],
  [undefined, 60],
])('%p results in %p seconds', (header, seconds) => {
  expect(retryAfterSeconds(header, now)).toBe(seconds);
});

test.each([
  [{ 'x-rate-limit-time-reset-ms': '12001' }, '13'],
  [{ 'x-rate-limit-time-reset-ms': '0' }, '0'],
  [{ 'x-rate-limit-time-reset-ms': 'soon' }, undefined],
  [{ 'x-rate-limit-time-reset-ms': '12001', 'retry-after': '7' }, '7'],
  [{ 'retry-after': '7' }, '7'],
  [{ 'x-ratelimit-remaining': '0.0', 'x-ratelimit-reset': '181' }, '181'],
  [{ 'x-ratelimit-reset': '181', 'retry-after': '7' }, '7'],
  [{ 'x-ratelimit-reset': '1772442030' }, undefined],
  [{ 'x-ratelimit-reset': '2026-03-02T09:00:30.000Z' }, undefined],
  [{ 'x-rate-limit-remaining': '0', 'x-rate-limit-reset': '1772442030' }, 'Mon, 02 Mar 2026 09:00:30 GMT'],
  [{ 'x-rate-limit-remaining': '3', 'x-rate-limit-reset': '1772442030' }, undefined],
  [
    {
      'x-rate-limit-remaining': '7',
      'x-rate-limit-reset': '1772442030',
      'x-user-limit-24hour-remaining': '0',
      'x-user-limit-24hour-reset': '1772445600',
    },
    'Mon, 02 Mar 2026 10:00:00 GMT',
  ],
  [{ 'x-rate-limit-remaining': '0', 'x-rate-limit-reset': 'soon' }, undefined],
  [{}, undefined],
])('a 429 with %j is equivalent to Retry-After %p', (headers, seconds) => {
  expect(retryAfterOf(headers)).toBe(seconds);
});

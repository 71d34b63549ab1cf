import { expect, test } from '@jest/globals';
import { bucketOf, bucketsOf } from './time-buckets.js';

test('the total has no buckets', () => {
  expect(bucketsOf({ from: '2026-01-01', to: '2026-03-01' }, 'total')).toEqual([]);
});

test('days have no gap where a month ends or summer time begins', () => {
  expect(bucketsOf({ from: '2026-03-27', to: '2026-04-01' }, 'day')).toEqual([
    '2026-03-27',
    '2026-03-28',
    '2026-03-29',
    '2026-03-30',
    '2026-03-31',
    '2026-04-01',
  ]);
});

test('weeks begin on Monday, and the first one no earlier than the range', () => {
  // 1 January 2026 is a Thursday.
  expect(bucketsOf({ from: '2026-01-01', to: '2026-01-13' }, 'week')).toEqual([
    '2026-01-01',
    '2026-01-05',
    '2026-01-12',
  ]);
  expect(bucketOf('2026-01-04', '2026-01-01', 'week')).toBe('2026-01-01');
  expect(bucketOf('2026-01-11', '2026-01-01', 'week')).toBe('2026-01-05');
});

test('months begin on the first, and the first one no earlier than the range', () => {
  expect(bucketsOf({ from: '2025-12-15', to: '2026-02-01' }, 'month')).toEqual([
    '2025-12-15',
    '2026-01-01',
    '2026-02-01',
  ]);
});

test.each(['day', 'week', 'month'] as const)(
  'every day of a year falls into one of the buckets: %s',
  (granularity) => {
    const range = { from: '2024-02-20', to: '2025-02-19' };
    const buckets = bucketsOf(range, granularity);
    for (const day of bucketsOf(range, 'day'))
      expect(buckets).toContain(bucketOf(day, range.from, granularity));
    expect(bucketsOf(range, 'day')).toHaveLength(366);
  },
);

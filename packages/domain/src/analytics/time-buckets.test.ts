import { expect, test } from '@jest/globals';
import { findBucket, listBuckets } from './time-buckets.js';

test('the total has no buckets', () => {
  expect(listBuckets({ from: '2026-01-01', to: '2026-03-01' }, 'total')).toEqual([]);
});

test('days have no gap at the end of a month or at a daylight saving change', () => {
  expect(listBuckets({ from: '2026-03-27', to: '2026-04-01' }, 'day')).toEqual([
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
  expect(listBuckets({ from: '2026-01-01', to: '2026-01-13' }, 'week')).toEqual([
    '2026-01-01',
    '2026-01-05',
    '2026-01-12',
  ]);
  expect(findBucket('2026-01-04', '2026-01-01', 'week')).toBe('2026-01-01');
  expect(findBucket('2026-01-11', '2026-01-01', 'week')).toBe('2026-01-05');
});

test('months begin on the first, and the first one no earlier than the range', () => {
  expect(listBuckets({ from: '2025-12-15', to: '2026-02-01' }, 'month')).toEqual([
    '2025-12-15',
    '2026-01-01',
    '2026-02-01',
  ]);
});

test.each(['day', 'week', 'month'] as const)(
  'every day of a year falls into one of the buckets: %s',
  (granularity) => {
    const range = { from: '2024-02-20', to: '2025-02-19' };
    const buckets = listBuckets(range, granularity);
    for (const day of listBuckets(range, 'day'))
      expect(buckets).toContain(findBucket(day, range.from, granularity));
    expect(listBuckets(range, 'day')).toHaveLength(366);
  },
);

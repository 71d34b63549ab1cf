import { expect, test } from '@jest/globals';
import { compareMetrics } from './compare.js';
import { addMetricSums, toAnalyticsMetrics } from './metric-sums.js';

const none = toAnalyticsMetrics(addMetricSums([]));

test('states the change in absolute numbers and percent', () => {
  const change = compareMetrics(
    { ...none, likes: 15, followers_gained: -5, engagement_rate: 0.05 },
    { ...none, likes: 12, followers_gained: -4, engagement_rate: 0.04 },
  );
  expect(change.likes).toEqual({ absolute: 3, percent: 25 });
  expect(change.followers_gained).toEqual({ absolute: -1, percent: -25 });
  expect(change.engagement_rate).toEqual({ absolute: 0.01, percent: 25 });
});

test('is unknown where a value is, and has no percentage of 0', () => {
  expect(compareMetrics({ ...none, likes: 3 }, none).likes).toEqual({ absolute: null, percent: null });
  expect(compareMetrics(none, { ...none, likes: 3 }).likes).toEqual({ absolute: null, percent: null });
  const fromZero = compareMetrics({ ...none, likes: 3 }, { ...none, likes: 0 });
  expect(fromZero.likes).toEqual({ absolute: 3, percent: null });
});

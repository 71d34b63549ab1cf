import { expect, test } from '@jest/globals';
import { addMetricSums, pickMetrics, toAnalyticsMetrics, toMetricSums } from './metric-sums.js';
import { noMetrics, type AccountMetrics, type Metrics } from './metrics.js';

const sumMetrics = (posts: readonly Metrics[], accounts?: AccountMetrics) =>
  toAnalyticsMetrics(addMetricSums(posts.map(toMetricSums)), accounts);

const post = (known: Partial<Metrics>): Metrics => ({ ...noMetrics, ...known });

test('a metric that no platform reports is null, and a known zero is zero', () => {
  const sums = sumMetrics([post({ likes: 0 }), post({})]);
  expect(sums.likes).toBe(0);
  expect(sums.engagements).toBe(0);
  for (const name of ['impressions', 'comments', 'clicks', 'followers', 'engagement_rate'] as const) {
    expect(sums[name]).toBeNull();
  }
});

test('the sum of nothing is null', () => {
  expect(new Set(Object.values(sumMetrics([])))).toEqual(new Set([null]));
});

test('null values are skipped instead of making the sum null', () => {
  expect(sumMetrics([post({ clicks: 5 }), post({}), post({ clicks: 2 })]).clicks).toBe(7);
});

test('engagements sum the known likes, comments, shares and saves, and nothing else', () => {
  const sums = sumMetrics([post({ likes: 3, shares: 1, clicks: 50 }), post({ saves: 2, comments: 4 })]);
  expect(sums.engagements).toBe(10);
});

test('likes of a platform without impressions do not raise the rate', () => {
  const counted = post({ impressions: 200, likes: 7, comments: 3 });
  const uncounted = post({ likes: 1000 });
  const sums = sumMetrics([counted, uncounted]);
  expect(sums.engagements).toBe(1010);
  expect(sums.engagement_rate).toBe(0.05);
});

test('impressions without known engagements do not lower the rate', () => {
  expect(
    sumMetrics([post({ impressions: 100, likes: 10 }), post({ impressions: 900 })]).engagement_rate,
  ).toBe(0.1);
});

test('without impressions the rate is null', () => {
  expect(sumMetrics([post({ impressions: 0, likes: 4 })]).engagement_rate).toBeNull();
});

test('followers come from accounts and never from posts', () => {
  expect(sumMetrics([post({ followers: 99 })]).followers).toBeNull();
  expect(sumMetrics([post({ followers: 99 })], { followers: 4, followers_gained: -1 })).toMatchObject({
    followers: 4,
    followers_gained: -1,
  });
});

test('only the requested metrics are picked, including null ones', () => {
  expect(pickMetrics(sumMetrics([post({ likes: 1 })]), ['likes', 'clicks'])).toEqual({
    likes: 1,
    clicks: null,
  });
});

import { expect, test } from '@jest/globals';
import { pickMetrics, sumMetrics } from './metric-sums.js';
import { noMetrics, type Metrics } from './metrics.js';

const post = (known: Partial<Metrics>): Metrics => ({ ...noMetrics, ...known });

test('what nobody gives is null, and a known nought is a nought', () => {
  const sums = sumMetrics([post({ likes: 0 }), post({})], []);
  expect(sums.likes).toBe(0);
  expect(sums.engagements).toBe(0);
  for (const name of ['impressions', 'comments', 'clicks', 'followers', 'engagement_rate'] as const) {
    expect(sums[name]).toBeNull();
  }
});

test('over nothing, nothing is known', () => {
  expect(new Set(Object.values(sumMetrics([], [])))).toEqual(new Set([null]));
});

test('an unknown number is left out of a sum instead of making it unknown', () => {
  expect(sumMetrics([post({ clicks: 5 }), post({}), post({ clicks: 2 })], []).clicks).toBe(7);
});

test('engagements are the known ones of likes, comments, shares and saves, and nothing else', () => {
  const sums = sumMetrics([post({ likes: 3, shares: 1, clicks: 50 }), post({ saves: 2, comments: 4 })], []);
  expect(sums.engagements).toBe(10);
});

test('likes of a platform without impressions do not raise the rate', () => {
  const counted = post({ impressions: 200, likes: 7, comments: 3 });
  const uncounted = post({ likes: 1000 });
  const sums = sumMetrics([counted, uncounted], []);
  expect(sums.engagements).toBe(1010);
  expect(sums.engagement_rate).toBe(0.05);
});

test('impressions of which no engagement is known do not lower the rate', () => {
  expect(
    sumMetrics([post({ impressions: 100, likes: 10 }), post({ impressions: 900 })], []).engagement_rate,
  ).toBe(0.1);
});

test('without an impression there is no rate', () => {
  expect(sumMetrics([post({ impressions: 0, likes: 4 })], []).engagement_rate).toBeNull();
});

test('followers are the accounts’ and never the posts’', () => {
  expect(sumMetrics([post({ followers: 99 })], [post({ followers: 4 }), post({})]).followers).toBe(4);
  expect(sumMetrics([post({ likes: 1 })], [post({ likes: 50, followers: 4 })]).likes).toBe(1);
});

test('only the asked metrics are picked, unknown ones too', () => {
  expect(pickMetrics(sumMetrics([post({ likes: 1 })], []), ['likes', 'clicks'])).toEqual({
    likes: 1,
    clicks: null,
  });
});

import { expect, test } from '@jest/globals';
import { createAnalyticsFixture, type AnalyticsFixture } from '../../testing/analytics/analytics-fixture.js';
import { memoryAnalytics } from '../../testing/analytics/memory-analytics.js';
import type { Chart } from './chart.js';
import { getAnalyticsChart, type GetAnalyticsChart } from './get-analytics-chart.js';

const NOW = new Date('2026-03-04T12:00:00Z');

async function open() {
  const n = await createAnalyticsFixture(NOW);
  const [loud, quiet] = ['loud', 'quiet'].map((id) =>
    memoryAnalytics({ clock: n.clock, id, name: id.toUpperCase(), reports: { likes: 0, shares: 0 } }),
  );
  if (!loud || !quiet) throw new Error('no feeds');
  const [onLoud, onQuiet] = [await n.connect(loud), await n.connect(quiet)];
  loud.posts.set('a', { likes: 10, shares: 2 }).set('b', { likes: 5 });
  quiet.posts.set('c', { likes: null, shares: 4 });
  await n.publish([onLoud], '2026-03-01T09:00:00Z', 'a', {}, { campaign: 'spring' });
  await n.publish([onLoud], '2026-03-03T09:00:00Z', 'b');
  await n.publish([onQuiet], '2026-03-03T10:00:00Z', 'c');
  return n;
}

async function draw(n: AnalyticsFixture, over: Partial<GetAnalyticsChart> = {}): Promise<Chart> {
  let drawn: Chart | undefined;
  const charts = {
    draw: async (chart: Chart) => {
      drawn = chart;
      return { svg: '<svg/>', digest: 'd' };
    },
    drawPng: async () => new Uint8Array(),
  };
  const result = await getAnalyticsChart({ ...n.ports, charts }, n.call(), { ...query, ...over });
  if (!result.ok) throw new Error(result.failure.message);
  if (!drawn) throw new Error('nothing was drawn');
  return drawn;
}

const query: GetAnalyticsChart = {
  type: 'bar',
  from: '2026-03-01',
  to: '2026-03-04',
  basis: 'published',
  source: 'switchboard',
  groupBy: 'platform',
  sort: 'key',
  limit: 10,
  width: 720,
  height: 360,
  theme: 'auto',
};

test('bars compare the groups of one metric, and an unknown value is null', async () => {
  const n = await open();
  expect(await draw(n, { metrics: ['likes'] })).toEqual({
    kind: 'bar',
    title: 'Likes by platform, 2026-03-01 to 2026-03-04',
    description:
      'Likes by platform, 2026-03-01 to 2026-03-04. Total: likes 15. Highest: 15 (LOUD). 1 of 2 values are unknown.',
    categoryName: 'Platform',
    isTime: false,
    unit: 'count',
    categories: [
      { key: 'loud', label: 'LOUD' },
      { key: 'quiet', label: 'QUIET' },
    ],
    series: [{ label: 'Likes', values: [15, null] }],
  });
});

test('over time, one metric has a series for each group, whose sums are the series of the report', async () => {
  const n = await open();
  const chart = await draw(n, { type: 'line', metrics: ['shares'] });
  expect(chart.categories.map(({ label }) => label)).toEqual([
    '2026-03-01',
    '2026-03-02',
    '2026-03-03',
    '2026-03-04',
  ]);
  expect(chart.series).toEqual([
    { label: 'LOUD', values: [2, null, null, null] },
    { label: 'QUIET', values: [null, null, 4, null] },
  ]);
});

test('several metrics are the series, over groups and over time', async () => {
  const n = await open();
  const metrics = ['likes', 'shares'] as const;
  expect((await draw(n, { type: 'stacked', metrics })).series).toEqual([
    { label: 'Likes', values: [15, null] },
    { label: 'Shares', values: [2, 4] },
  ]);
  expect((await draw(n, { type: 'stacked', metrics, granularity: 'week' })).series).toEqual([
    { label: 'Likes', values: [10, 5] },
    { label: 'Shares', values: [2, 4] },
  ]);
});

test('posts, metadata and accounts are named as a person knows them', async () => {
  const n = await open();
  const labels = async (groupBy: GetAnalyticsChart['groupBy']) =>
    (await draw(n, { groupBy, metrics: ['likes'] })).categories.map(({ label }) => label);
  expect((await labels('post')).sort()).toEqual(['a', 'b', 'c']);
  expect((await labels('metadata.campaign')).sort()).toEqual(['None', 'spring']);
  expect(await labels('profile')).toEqual([n.profile.name]);
  expect((await labels('connection')).every((label) => / \((LOUD|QUIET)\)$/.test(label))).toBe(true);
});

test.each([
  [{ type: 'line', granularity: 'total' }, 'granularity must be day, week or month for a line.'],
  [{ type: 'stacked', metrics: ['engagement_rate'] }, 'its values do not add up'],
  [{ type: 'bar', metrics: ['likes', 'engagement_rate'] }, 'it is a share'],
] as [Partial<GetAnalyticsChart>, string][])(
  'a chart that would mislead is refused: %j',
  async (over, message) => {
    const n = await open();
    await expect(draw(n, over)).rejects.toThrow(message);
  },
);

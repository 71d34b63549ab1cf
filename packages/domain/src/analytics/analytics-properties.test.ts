import { describe, expect, test } from '@jest/globals';
import { createAnalyticsFixture } from '../../testing/analytics/analytics-fixture.js';
import { memoryAnalytics } from '../../testing/analytics/memory-analytics.js';
import { seededRandom } from '../../testing/stores/seeded-random.js';
import { addDays } from './date-range.js';
import { BASELINE_DAYS } from './gains.js';
import { getAnalytics, type GetAnalytics } from './get-analytics.js';
import { sumKnown } from './metric-sums.js';
import type { AnalyticsMetricName } from './metrics.js';
import type { AnalyticsReport } from './report.js';

/** Other histories: ANALYTICS_SEEDS=5,6,7. */
const seeds = (process.env['ANALYTICS_SEEDS'] ?? '1,2,3,4').split(',').map(Number);
const NOW = new Date('2026-05-01T09:00:00Z');
const DAY_MS = 86_400_000;
const counts = ['impressions', 'likes', 'comments', 'views', 'engagements'] as const;
/** Daylight saving time begins on 29 March in Madrid and ends on 5 April in Lord Howe, by half an hour. */
const timezones = ['UTC', 'Europe/Madrid', 'Australia/Lord_Howe', 'America/St_Johns'] as const;

/** Accounts that are connected and removed, with gaps, decreases and resets of their posts' counters. */
async function openHistory(seed: number) {
  const random = seededRandom(seed);
  const n = await createAnalyticsFixture(NOW);
  const feeds = ['one', 'two', 'three'].map((id) =>
    memoryAnalytics({ clock: n.clock, id, hasNoAnalytics: true }),
  );
  const accounts = await Promise.all(feeds.flatMap((feed) => [n.connect(feed), n.connect(feed)]));
  for (let index = 0; index < 60; index++) {
    const targets =
      random.next() < 0.3 ? [random.pick(accounts), random.pick(accounts)] : [random.pick(accounts)];
    const on = [...new Set(targets)];
    const publishedMs = NOW.getTime() - random.int(1, 80) * DAY_MS - random.int(0, DAY_MS);
    const metadata = random.next() < 0.5 ? { tag: random.pick(['a', 'b']) } : {};
    const post = await n.publish(on, new Date(publishedMs).toISOString(), `post ${index}`, {}, metadata);
    for (const delivery of post.deliveries) {
      const known = counts.slice(0, 4).filter(() => random.next() < 0.6);
      let value = 0;
      let at = publishedMs + random.int(0, 3 * DAY_MS);
      for (let reading = random.int(0, 25); reading > 0 && at < NOW.getTime(); reading--) {
        value = Math.max(0, value + random.int(random.next() < 0.2 ? -8 : 0, 12));
        const shown = random.next() < 0.05 ? 0 : value;
        await n.storeMetrics(delivery, new Date(at), Object.fromEntries(known.map((name) => [name, shown])));
        at += random.int(DAY_MS / 24, random.next() < 0.1 ? 20 * DAY_MS : 4 * DAY_MS);
      }
    }
  }
  for (const account of accounts) {
    let followers = random.int(0, 500);
    for (let day = 80; day > 0; day -= random.int(1, 9)) {
      followers += random.int(-5, 9);
      const takenAt = new Date(NOW.getTime() - day * DAY_MS);
      await n.storeMetrics({ id: null, connectionId: account.id }, takenAt, { followers });
    }
  }
  const [removed] = accounts;
  if (removed && random.next() < 0.5) {
    await n.ports.transactions.run(async (tx) => {
      await tx.connections.delete(removed.workspaceId, removed.id);
      return { ok: true, value: undefined };
    });
  }
  const report = async (command: Partial<GetAnalytics>): Promise<AnalyticsReport> => {
    const read = await getAnalytics(n.ports, n.call(), {
      basis: 'activity',
      source: 'switchboard',
      granularity: 'total',
      groupBy: 'platform',
      sort: 'key',
      limit: 1000,
      ...command,
    });
    if (!read.ok) throw new Error(read.failure.message);
    return read.value;
  };
  const range = () => {
    const from = addDays('2026-02-10', random.int(0, 60));
    return { from, to: addDays(from, random.int(0, 18)), timezone: random.pick(timezones) };
  };
  return { n, report, random, range };
}

const sumOf = (rows: readonly { readonly metrics: AnalyticsReport['totals'] }[], name: AnalyticsMetricName) =>
  sumKnown(rows.map(({ metrics }) => metrics[name]));

describe.each(seeds)('random history %i', (seed) => {
  test.each(['published', 'activity'] as const)(
    'the groups, the connections and the series of a range equal its totals: %s',
    async (basis) => {
      const { report, random, range } = await openHistory(seed);
      for (let index = 0; index < 12; index++) {
        const asked = {
          ...range(),
          basis,
          groupBy: random.pick(['platform', 'connection', 'profile', 'post', 'metadata.tag'] as const),
          granularity: random.pick(['day', 'week', 'month'] as const),
        };
        const { groups, series, totals, postCount } = await report(asked);
        for (const name of counts) {
          expect([asked, name, sumOf(groups, name)]).toEqual([asked, name, totals[name]]);
          expect([asked, name, sumOf(series, name)]).toEqual([asked, name, totals[name]]);
        }
        if (basis === 'activity') {
          expect([asked, sumOf(series, 'followers_gained')]).toEqual([asked, totals.followers_gained]);
        }
        if (asked.groupBy === 'post') expect(groups).toHaveLength(postCount);
      }
    },
  );

  test('the activity of adjacent ranges adds up where no long gap lies across the border', async () => {
    const { report, range } = await openHistory(seed);
    for (let index = 0; index < 12; index++) {
      const { from, timezone, to } = range();
      const middle = addDays(from, Math.floor((Date.parse(to) - Date.parse(from)) / DAY_MS / 2));
      const by = { groupBy: 'post', timezone } as const;
      const whole = await report({ ...by, from, to });
      const first = await report({ ...by, from, to: middle });
      if (middle === to) continue;
      const second = await report({ ...by, from: addDays(middle, 1), to });
      const partsOf = (key: string, name: AnalyticsMetricName) =>
        sumKnown(
          [first, second].map(
            ({ groups }) => groups.find((group) => group.key === key)?.metrics[name] ?? null,
          ),
        );
      for (const { key, metrics } of whole.groups) {
        for (const name of counts.slice(0, 4)) {
          const parts = partsOf(key, name);
          // Only the whole range contains a long gap across its middle: nothing is gained twice or made up.
          if (parts !== metrics[name]) {
            expect(Date.parse(to) - Date.parse(from)).toBeGreaterThanOrEqual(BASELINE_DAYS * DAY_MS);
            expect(metrics[name]).not.toBeNull();
            expect(second.notes.map(({ code }) => code)).toContain('analytics.no_baseline');
          }
        }
      }
    }
  });

  test('a metric that no snapshot contains is null everywhere', async () => {
    const { report, range } = await openHistory(seed);
    for (const basis of ['published', 'activity'] as const) {
      const { groups, series, totals } = await report({
        ...range(),
        basis,
        groupBy: 'post',
        granularity: 'day',
      });
      expect(
        [totals, ...groups.map(({ metrics }) => metrics), ...series.map(({ metrics }) => metrics)].map(
          ({ shares, saves, clicks, reach }) => [shares, saves, clicks, reach],
        ),
      ).toEqual(Array(1 + groups.length + series.length).fill([null, null, null, null]));
    }
  });
});

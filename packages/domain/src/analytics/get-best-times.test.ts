import { describe, expect, test } from '@jest/globals';
import { createAnalyticsFixture, type AnalyticsFixture } from '../../testing/analytics/analytics-fixture.js';
import { memoryAnalytics } from '../../testing/analytics/memory-analytics.js';
import type { Call } from '../call.js';
import type { Connection } from '../connections/connection.js';
import type { Profile } from '../profiles/profile.js';
import { getBestTimes, type GetBestTimes } from './get-best-times.js';
import type { Metrics } from './metrics.js';

const NOW = new Date('2026-11-24T09:00:00Z');

async function open(over: Partial<Profile> = {}) {
  const n = await createAnalyticsFixture(NOW);
  const profile = await n.addProfile({ timezone: 'UTC', ...over });
  const feed = (id: string) => n.connect(memoryAnalytics({ clock: n.clock, id }), {}, profile);
  return { n, profile, account: await feed('loud'), other: await feed('quiet') };
}

async function read(n: AnalyticsFixture, command: GetBestTimes = {}, call: Call = n.call()) {
  const result = await getBestTimes(n.ports, call, command);
  if (!result.ok) throw new Error(result.failure.message);
  return result.value;
}
const codeOf = async (n: AnalyticsFixture, command: GetBestTimes, call: Call = n.call()) => {
  const result = await getBestTimes(n.ports, call, command);
  return result.ok ? 'ok' : result.failure.code;
};

/** A post on these accounts, of which each reports the metrics in its place; null: nothing was read. */
async function publish(
  n: AnalyticsFixture,
  accounts: readonly Connection[],
  at: string,
  metrics: readonly (Partial<Metrics> | null)[],
) {
  const post = await n.publish(accounts, at, at);
  for (const [index, delivery] of post.deliveries.entries()) {
    const known = metrics[index];
    if (known) await n.storeMetrics(delivery, NOW, known);
  }
}

describe('a cell', () => {
  test('has the average per post, and the rate over impressions, of three posts', async () => {
    const { n, account } = await open();
    await publish(n, [account], '2026-11-02T10:00:00Z', [{ likes: 4, comments: 2, impressions: 100 }]);
    await publish(n, [account], '2026-11-09T10:59:59Z', [{ likes: 1, impressions: 200 }]);
    await publish(n, [account], '2026-11-16T10:30:00Z', [{ shares: 3, impressions: 200 }]);
    const cell = {
      weekday: 1,
      hour: 10,
      postCount: 3,
      measuredPostCount: 3,
      engagements: 3.333333,
      engagementRate: 0.02,
    };
    expect(await read(n)).toMatchObject({ cells: [cell], best: [cell] });
  });

  test('is null below three posts whose engagements are known: unknown is never 0', async () => {
    const { n, account } = await open();
    const days = ['02', '09', '16'];
    for (const day of days) await publish(n, [account], `2026-11-${day}T10:00:00Z`, [null]);
    for (const day of days.slice(1)) await publish(n, [account], `2026-11-${day}T11:00:00Z`, [{ likes: 9 }]);
    await publish(n, [account], '2026-11-02T11:00:00Z', [{ views: 50 }]);
    const { cells, best } = await read(n);
    expect(cells).toEqual([
      {
        weekday: 1,
        hour: 10,
        postCount: 3,
        measuredPostCount: 0,
        engagements: null,
        engagementRate: null,
      },
      {
        weekday: 1,
        hour: 11,
        postCount: 3,
        measuredPostCount: 2,
        engagements: null,
        engagementRate: null,
      },
    ]);
    expect(best).toEqual([]);
  });

  test('averages only the posts that are known, and a known zero counts', async () => {
    const { n, account } = await open();
    for (const [day, metrics] of [
      ['02', { likes: 6 }],
      ['09', { likes: 3 }],
      ['16', { likes: 0 }],
      ['23', null],
    ] as const) {
      await publish(n, [account], `2026-11-${day}T08:00:00Z`, [metrics]);
    }
    expect((await read(n)).cells).toEqual([
      { weekday: 1, hour: 8, postCount: 4, measuredPostCount: 3, engagements: 3, engagementRate: null },
    ]);
  });

  test('counts a post once on several accounts, with what all of them report', async () => {
    const { n, account, other } = await open();
    for (const day of ['02', '09', '16']) {
      await publish(n, [account, other], `2026-11-${day}T10:00:00Z`, [
        { likes: 4, impressions: 40 },
        { likes: 2 },
      ]);
    }
    expect((await read(n)).cells).toMatchObject([
      { postCount: 3, measuredPostCount: 3, engagements: 6, engagementRate: 0.1 },
    ]);
    expect((await read(n, { platform: ['quiet'] })).cells).toMatchObject([
      { postCount: 3, engagements: 2, engagementRate: null },
    ]);
    expect((await read(n, { connectionId: account.id })).cells).toMatchObject([{ engagements: 4 }]);
  });
});

describe('the hour', () => {
  test('is that of the profile’s time zone at publication, with its daylight saving time', async () => {
    const { n, account } = await open({ timezone: 'Europe/Madrid' });
    // 25 October 2026, a Sunday: 02:30 occurs twice.
    for (const at of ['2026-10-24T22:30:00Z', '2026-10-25T00:30:00Z', '2026-10-25T01:30:00Z']) {
      await publish(n, [account], at, [{ likes: 1 }]);
    }
    await publish(n, [account], '2026-10-25T02:30:00Z', [{ likes: 1 }]);
    const { cells, range } = await read(n, { from: '2026-10-20', to: '2026-10-31' });
    expect(range.timezone).toBe('Europe/Madrid');
    expect(cells.map(({ weekday, hour, postCount }) => [weekday, hour, postCount])).toEqual([
      [7, 0, 1],
      [7, 2, 2],
      [7, 3, 1],
    ]);
  });

  test('follows the requested time zone, of half hours and across the week', async () => {
    const { n, account } = await open();
    await publish(n, [account], '2026-11-15T18:29:59Z', [{ likes: 1 }]);
    await publish(n, [account], '2026-11-15T18:30:00Z', [{ likes: 1 }]);
    const { cells } = await read(n, { timezone: 'Asia/Kolkata' });
    expect(cells.map(({ weekday, hour }) => [weekday, hour])).toEqual([
      [1, 0],
      [7, 23],
    ]);
  });
});

test('names at most three best hours, of equal averages the one of more posts', async () => {
  const { n, account } = await open();
  const fill = async (hour: string, posts: number, likes: number) => {
    for (let week = 0; week < posts; week++) {
      const day = String(2 + 7 * week).padStart(2, '0');
      await publish(n, [account], `2026-11-${day}T${hour}:00:00Z`, [{ likes }]);
    }
  };
  await fill('06', 2, 99);
  await fill('07', 3, 1);
  await fill('08', 3, 5);
  await fill('09', 4, 5);
  await fill('10', 3, 7);
  const { best, cells } = await read(n);
  expect(best.map(({ hour }) => hour)).toEqual([10, 9, 8]);
  expect(cells.map(({ hour }) => hour)).toEqual([6, 7, 8, 9, 10]);
});

test('covers the posts published in the range, by default of the last thirty days', async () => {
  const { n, account } = await open();
  await publish(n, [account], '2026-10-25T23:59:59Z', [{ likes: 1 }]);
  await publish(n, [account], '2026-10-26T00:00:00Z', [{ likes: 1 }]);
  const { cells, range } = await read(n);
  expect([range.from, range.to, cells.length]).toEqual(['2026-10-26', '2026-11-24', 1]);
  expect((await read(n, { from: '2026-10-25', to: '2026-10-25' })).cells).toHaveLength(1);
  expect(await codeOf(n, { from: '2025-11-23', to: '2026-11-24' })).toBe('request.invalid');
  expect(await codeOf(n, { from: '2025-11-24', to: '2026-11-24' })).toBe('ok');
});

test('a key of one profile sees no posts of another one', async () => {
  const { n, profile, account } = await open();
  const neighbor = await n.addProfile();
  const reachable = n.call({ profileIds: [neighbor.id] });
  await publish(n, [account], '2026-11-02T10:00:00Z', [{ likes: 1 }]);
  expect((await read(n, {}, reachable)).cells).toEqual([]);
  expect((await read(n, {}, n.call({ profileIds: [profile.id] }))).cells).toHaveLength(1);
  expect(await codeOf(n, { profileId: profile.id }, reachable)).toBe('profile.not_found');
  expect(await codeOf(n, { connectionId: account.id }, reachable)).toBe('connection.not_found');
  expect(await codeOf(n, { platform: ['unknown'] })).toBe('platform.not_found');
});

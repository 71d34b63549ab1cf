import { describe, expect, test } from '@jest/globals';
import { memoryAnalytics } from '../../testing/analytics/memory-analytics.js';
import { createAnalyticsFixture, type AnalyticsFixture } from '../../testing/analytics/analytics-fixture.js';
import type { Call } from '../call.js';
import type { Connection } from '../connections/connection.js';
import type { Post } from '../posts/post.js';
import type { Metrics } from './metrics.js';
import { getAnalytics, type GetAnalytics } from './get-analytics.js';

const NOW = new Date('2026-03-02T09:00:00Z');
const MINUTE_MS = 60_000;
const ask: GetAnalytics = {
  basis: 'published',
  source: 'switchboard',
  granularity: 'total',
  groupBy: 'platform',
  sort: 'key',
  limit: 20,
};

async function report(n: AnalyticsFixture, command: Partial<GetAnalytics> = {}, call: Call = n.call()) {
  const result = await getAnalytics(n.ports, call, { ...ask, ...command });
  if (!result.ok) throw new Error(result.failure.message);
  return result.value;
}
const codeOf = async (n: AnalyticsFixture, command: Partial<GetAnalytics>, call: Call = n.call()) => {
  const result = await getAnalytics(n.ports, call, { ...ask, ...command });
  return result.ok ? 'ok' : result.failure.code;
};
const delivery = ({ deliveries }: Post) => {
  if (!deliveries[0]) throw new Error('a post without a delivery');
  return deliveries[0];
};

/** One platform that reports all of its metrics, one that reports no impressions. */
async function open() {
  const n = await createAnalyticsFixture(NOW);
  const loud = memoryAnalytics({
    clock: n.clock,
    id: 'loud',
    posts: { a: { impressions: 1000, likes: 40, comments: 10, clicks: 7 }, b: { impressions: 0, likes: 0 } },
    account: { followers: 120 },
  });
  const quiet = memoryAnalytics({
    clock: n.clock,
    id: 'quiet',
    posts: { a: { likes: 5 } },
    account: { followers: 30 },
  });
  const onLoud = await n.connect(loud);
  const onQuiet = await n.connect(quiet);
  return { n, loud, quiet, onLoud, onQuiet };
}

describe('metrics', () => {
  test('are summed over platforms where they are known, and null where no platform reports them', async () => {
    const { n, onLoud, onQuiet } = await open();
    await n.publish([onLoud, onQuiet], '2026-03-01T10:00:00Z', 'a');
    const { totals, postCount, groups } = await report(n);
    expect(totals).toEqual({
      impressions: 1000,
      reach: null,
      views: null,
      likes: 45,
      comments: 10,
      shares: null,
      saves: null,
      clicks: 7,
      followers: 150,
      followers_gained: null,
      engagements: 55,
      engagement_rate: 0.05,
    });
    expect(postCount).toBe(1);
    expect(groups.map(({ key, metrics }) => [key, metrics.impressions, metrics.likes])).toEqual([
      ['loud', 1000, 40],
      ['quiet', null, 5],
    ]);
  });

  test('list the platforms that contribute, and those that were queried without result', async () => {
    const { n, onLoud, onQuiet } = await open();
    await n.publish([onLoud, onQuiet], '2026-03-01T10:00:00Z', 'a');
    const { coverage } = await report(n, { metrics: ['likes', 'clicks', 'saves', 'engagement_rate'] });
    expect(coverage).toEqual({
      likes: { platforms: ['loud', 'quiet'], missing: [], reasons: {} },
      clicks: { platforms: ['loud'], missing: ['quiet'], reasons: { quiet: 'not_provided' } },
      saves: {
        platforms: [],
        missing: ['loud', 'quiet'],
        reasons: { loud: 'not_provided', quiet: 'not_provided' },
      },
      engagement_rate: { platforms: ['loud'], missing: ['quiet'], reasons: { quiet: 'not_provided' } },
    });
  });

  test('a platform without a post in the range is not missing', async () => {
    const { n, onLoud } = await open();
    await n.publish([onLoud], '2026-03-01T10:00:00Z', 'a');
    const { coverage } = await report(n, { metrics: ['likes', 'followers'] });
    expect(coverage.likes).toEqual({ platforms: ['loud'], missing: [], reasons: {} });
    expect(coverage.followers).toEqual({ platforms: ['loud', 'quiet'], missing: [], reasons: {} });
  });

  test('a known zero stays zero', async () => {
    const { n, onLoud } = await open();
    await n.publish([onLoud], '2026-03-01T10:00:00Z', 'b');
    const { totals } = await report(n);
    expect([totals.impressions, totals.likes, totals.clicks, totals.engagement_rate]).toEqual([
      0,
      0,
      null,
      null,
    ]);
  });

  test('a platform that reports nothing is missing and is not queried', async () => {
    const { n } = await open();
    const silent = await n.connect(memoryAnalytics({ clock: n.clock, id: 'silent', hasNoAnalytics: true }));
    await n.publish([silent], '2026-03-01T10:00:00Z', 'a');
    const { totals, coverage, notes } = await report(n, { platform: ['silent'] });
    expect([totals.likes, totals.followers]).toEqual([null, null]);
    expect(coverage.likes).toEqual({
      platforms: [],
      missing: ['silent'],
      reasons: { silent: 'not_provided' },
    });
    expect(notes).toEqual([]);
    expect(n.opened).toEqual([]);
  });

  test('only posts published in the range count, by the days of the profile’s zone', async () => {
    const n = await createAnalyticsFixture(NOW);
    const madrid = await n.addProfile({ timezone: 'Europe/Madrid' });
    const counts = { likes: 1 };
    const feed = memoryAnalytics({
      clock: n.clock,
      posts: { early: counts, first: counts, last: counts, late: counts },
    });
    const account = await n.connect(feed, {}, madrid);
    await n.publish([account], '2026-02-09T22:59:59.999Z', 'early');
    await n.publish([account], '2026-02-09T23:00:00.000Z', 'first');
    await n.publish([account], '2026-02-11T22:59:59.999Z', 'last');
    await n.publish([account], '2026-02-11T23:00:00.000Z', 'late');
    const asked = { from: '2026-02-10', to: '2026-02-11', groupBy: 'post', profileId: madrid.id } as const;
    const { groups, range } = await report(n, asked);
    expect(groups.map(({ post }) => post?.text)).toEqual(['first', 'last']);
    expect(range.timezone).toBe('Europe/Madrid');
    const utc = await report(n, { ...asked, timezone: 'UTC' });
    expect(utc.groups.map(({ post }) => post?.text)).toEqual(['last', 'late']);
  });
});

describe('a platform without metrics', () => {
  const reasonsOf = async (
    feed: Partial<Parameters<typeof memoryAnalytics>[0]>,
    account: Partial<Connection> = {},
  ) => {
    const n = await createAnalyticsFixture(NOW);
    const on = await n.connect(
      memoryAnalytics({ clock: n.clock, id: 'feed', name: 'Feed', ...feed }),
      account,
    );
    await n.publish([on], '2026-03-02T07:00:00Z', 'a');
    const { coverage, notes } = await report(n, { metrics: ['likes', 'saves'] });
    return {
      reasons: [coverage.likes?.reasons['feed'], coverage.saves?.reasons['feed']],
      notes: notes.map(({ connectionId, platform, code }) => [connectionId ?? platform, code]),
      id: on.id,
    };
  };
  const likes = { posts: { a: { likes: null } } };

  test('of which no account is connected is named with that reason', async () => {
    const { n, onLoud } = await open();
    await n.publish([onLoud], '2026-03-01T10:00:00Z', 'a');
    const other = await n.addProfile();
    const asked = { platform: ['loud', 'quiet'], metrics: ['likes'] } as const;
    expect((await report(n, asked)).coverage.likes?.missing).toEqual([]);
    const nothing = await report(n, { ...asked, profileId: other.id });
    expect(nothing.coverage.likes).toEqual({
      platforms: [],
      missing: ['loud', 'quiet'],
      reasons: { loud: 'not_connected', quiet: 'not_connected' },
    });
    expect(nothing.notes).toMatchObject([
      { connectionId: null, platform: 'loud', code: 'analytics.not_connected' },
      { connectionId: null, platform: 'quiet', code: 'analytics.not_connected' },
    ]);
    expect((await report(n, { profileId: other.id })).notes).toEqual([
      {
        connectionId: null,
        code: 'analytics.not_connected',
        message: 'No social account is connected: connect one to read its metrics.',
      },
    ]);
  });

  test('whose login has expired is named with that reason, also when nothing was queried', async () => {
    const { reasons, notes, id } = await reasonsOf(likes, { status: 'needs_reauth' });
    expect(reasons).toEqual(['needs_reauth', 'not_provided']);
    expect(notes).toEqual([[id, 'connection.needs_reauth']]);
  });

  test('whose account lacks the permission is named with that reason', async () => {
    const needs = { ...likes, permissions: ['read_insights'] };
    const missing = await reasonsOf(needs, { grantedPermissions: ['publish'] });
    expect(missing.reasons).toEqual(['permission_missing', 'not_provided']);
    expect(missing.notes).toEqual([[missing.id, 'platform.permission_missing']]);
    const refused = await reasonsOf(needs, {
      grantedPermissions: ['read_insights'],
      refusedPermissions: ['read_insights'],
    });
    expect(refused.reasons).toEqual(['permission_missing', 'not_provided']);
    const unknown = await reasonsOf(needs, { grantedPermissions: [] });
    expect(unknown).toMatchObject({ reasons: ['not_read', 'not_provided'], notes: [] });
  });

  test('whose posts are all younger than its delay is named with that reason', async () => {
    const { reasons, notes } = await reasonsOf({ ...likes, lagHours: 24 });
    expect(reasons).toEqual(['too_new', 'not_provided']);
    expect(notes).toEqual([['feed', 'analytics.too_new']]);
    expect((await reasonsOf({ ...likes, lagHours: 2 })).reasons).toEqual(['not_read', 'not_provided']);
  });

  test('provides a derived metric where it provides its components', async () => {
    const { n, onLoud, onQuiet } = await open();
    await n.publish([onLoud, onQuiet], '2026-03-01T10:00:00Z', 'c');
    const { coverage } = await report(n, { metrics: ['engagements', 'engagement_rate'] });
    expect(coverage.engagements?.reasons).toEqual({ loud: 'not_read', quiet: 'not_read' });
    expect(coverage.engagement_rate?.reasons).toEqual({ loud: 'not_read', quiet: 'not_provided' });
  });
});

describe('the time zone', () => {
  test('is that of the only profile with data, else the workspace’s', async () => {
    const n = await createAnalyticsFixture(NOW);
    expect((await report(n)).range.timezone).toBe('UTC');
    const tokyo = await n.addProfile({ timezone: 'Asia/Tokyo' });
    const feed = memoryAnalytics({ clock: n.clock });
    const there = await n.connect(feed, {}, tokyo);
    expect((await report(n)).range.timezone).toBe('Asia/Tokyo');
    const lima = await n.addProfile({ timezone: 'America/Lima' });
    await n.connect(feed, {}, lima);
    expect((await report(n)).range.timezone).toBe('UTC');
    expect((await report(n, { connectionId: there.id })).range.timezone).toBe('Asia/Tokyo');
    expect((await report(n, {}, n.call({ profileIds: [lima.id] }))).range.timezone).toBe('America/Lima');
  });
});

describe('the series', () => {
  test('has a point for each day, and null values for days without a post', async () => {
    const { n, onLoud } = await open();
    await n.publish([onLoud], '2026-02-27T10:00:00Z', 'a');
    const { series } = await report(n, { from: '2026-02-26', to: '2026-02-28', granularity: 'day' });
    expect(
      series.map(({ date, postCount, metrics }) => [date, postCount, metrics.likes, metrics.followers]),
    ).toEqual([
      ['2026-02-26', 0, null, null],
      ['2026-02-27', 1, 40, null],
      ['2026-02-28', 0, null, null],
    ]);
  });

  test('assigns every post of the range to a bucket, so that the points sum up to the total', async () => {
    const n = await createAnalyticsFixture(NOW);
    const texts = Array.from({ length: 28 }, (_, day) => `post ${day}`);
    const feed = memoryAnalytics({
      clock: n.clock,
      posts: Object.fromEntries(texts.map((text) => [text, { likes: 1 }])),
    });
    const account = await n.connect(feed);
    for (const [day, text] of texts.entries()) {
      await n.publish([account], new Date(Date.UTC(2026, 1, day + 1, 3)).toISOString(), text);
    }
    for (const granularity of ['day', 'week', 'month'] as const) {
      const asked = { from: '2026-01-31', to: '2026-02-28', timezone: 'America/New_York', granularity };
      const { series, totals } = await report(n, asked);
      expect(totals.likes).toBe(28);
      expect(series.reduce((sum, { metrics }) => sum + (metrics.likes ?? 0), 0)).toBe(28);
    }
  });
});

describe('freshness', () => {
  test('metrics read within the hour are not queried again', async () => {
    const { n, loud, onLoud } = await open();
    await n.publish([onLoud], '2026-03-01T10:00:00Z', 'a');
    await report(n);
    const asked = loud.asked.length;
    expect(asked).toBe(2);
    n.clock.advance(59 * MINUTE_MS);
    expect((await report(n)).totals.likes).toBe(45 - 5);
    expect(loud.asked).toHaveLength(asked);
    n.clock.advance(2 * MINUTE_MS);
    loud.posts.set('a', { likes: 41 });
    expect((await report(n)).totals.likes).toBe(41);
    expect(loud.asked).toHaveLength(2 * asked);
  });

  test('only the sources of the requested metrics are read', async () => {
    const { n, loud, onLoud } = await open();
    await n.publish([onLoud], '2026-03-01T10:00:00Z', 'a');
    await report(n, { metrics: ['followers'] });
    expect(loud.asked).toEqual(['account']);
    await report(n, { metrics: ['likes'] });
    expect(loud.asked).toEqual(['account', ['a']]);
    expect(n.opened.every(({ purpose }) => purpose === 'analytics')).toBe(true);
  });

  test('the report states when collection began and how old the oldest value is', async () => {
    const { n, loud, onLoud } = await open();
    const post = await n.publish([onLoud], '2026-02-20T10:00:00Z', 'a');
    await n.storeMetrics(delivery(post), new Date('2026-02-21T10:00:00Z'), { likes: 3 });
    loud.switches.down = true;
    const { dataSince, asOf, totals } = await report(n);
    expect(dataSince).toEqual(new Date('2026-02-21T10:00:00Z'));
    expect(asOf).toEqual(new Date('2026-02-21T10:00:00Z'));
    expect(totals.likes).toBe(3);
  });

  test('without any data, dataSince is null and asOf is now', async () => {
    const n = await createAnalyticsFixture(NOW);
    expect(await report(n)).toMatchObject({
      dataSince: null,
      asOf: NOW,
      postCount: 0,
      groups: [],
      notes: [{ connectionId: null, code: 'analytics.not_connected' }],
    });
  });
});

describe('a failure of one platform', () => {
  test('becomes a note and affects neither the other platforms nor stored metrics', async () => {
    const { n, loud, onLoud, onQuiet } = await open();
    const post = await n.publish([onLoud, onQuiet], '2026-03-01T10:00:00Z', 'a');
    await n.storeMetrics(delivery(post), new Date('2026-03-01T11:00:00Z'), { likes: 30 });
    loud.switches.down = true;
    const { totals, notes } = await report(n);
    expect(totals.likes).toBe(35);
    expect(notes).toEqual([
      {
        connectionId: onLoud.id,
        code: 'platform.unavailable',
        message: 'The platform cannot be reached. The last known metrics are used.',
      },
    ]);
  });

  test('a slow platform times out after five seconds without delaying the caller further', async () => {
    const { n, loud, onLoud, onQuiet } = await open();
    await n.publish([onLoud, onQuiet], '2026-03-01T10:00:00Z', 'a');
    loud.switches.latencyMs = 60_000;
    const { totals, notes, coverage } = await report(n);
    expect(n.clock.now().getTime() - NOW.getTime()).toBe(5_000);
    expect(totals.likes).toBe(5);
    expect(coverage.likes).toEqual({
      platforms: ['quiet'],
      missing: ['loud'],
      reasons: { loud: 'not_read' },
    });
    expect(notes).toMatchObject([{ connectionId: onLoud.id, code: 'analytics.out_of_time' }]);
  });

  test('results received before the timeout are kept, and the next report continues from there', async () => {
    const n = await createAnalyticsFixture(NOW);
    const texts = Array.from({ length: 120 }, (_, index) => `post ${index}`);
    const feed = memoryAnalytics({
      clock: n.clock,
      latencyMs: 2_000,
      posts: Object.fromEntries(texts.map((text) => [text, { likes: 1 }])),
    });
    const account = await n.connect(feed);
    for (const text of texts) await n.publish([account], '2026-03-01T10:00:00Z', text);
    const first = await report(n);
    expect(first.totals.likes).toBe(100);
    expect(first.notes).toMatchObject([{ code: 'analytics.out_of_time' }]);
    const second = await report(n);
    expect(second.totals.likes).toBe(120);
    expect(second.notes).toEqual([]);
  });

  test('a failing account does not affect the metrics of its posts', async () => {
    const { n, loud, onLoud } = await open();
    await n.publish([onLoud], '2026-03-01T10:00:00Z', 'a');
    loud.switches.accountFails = true;
    const { totals, notes } = await report(n, { platform: ['loud'] });
    expect([totals.likes, totals.followers]).toEqual([40, null]);
    expect(notes).toMatchObject([{ connectionId: onLoud.id, code: 'platform.unavailable' }]);
  });

  test('an account that must be reconnected is not queried', async () => {
    const n = await createAnalyticsFixture(NOW);
    const account = await n.connect(memoryAnalytics({ clock: n.clock }), { status: 'needs_reauth' });
    await n.publish([account], '2026-03-01T10:00:00Z', 'a');
    expect((await report(n)).notes).toMatchObject([
      { connectionId: account.id, code: 'connection.needs_reauth' },
    ]);
    expect(n.opened).toEqual([]);
  });

  test('a post that the platform does not know keeps its last metrics and causes a note', async () => {
    const { n, loud, onLoud } = await open();
    const post = await n.publish([onLoud], '2026-03-01T10:00:00Z', 'a');
    await n.storeMetrics(delivery(post), new Date('2026-03-01T11:00:00Z'), { likes: 30 });
    loud.posts.delete('a');
    const { totals, notes } = await report(n);
    expect(totals.likes).toBe(30);
    expect(notes).toMatchObject([{ connectionId: onLoud.id, code: 'analytics.posts_missing' }]);
  });

  test('posts beyond the per-request maximum are deferred, never-read ones first', async () => {
    const n = await createAnalyticsFixture(NOW);
    const texts = Array.from({ length: 230 }, (_, index) => `post ${index}`);
    const feed = memoryAnalytics({
      clock: n.clock,
      posts: Object.fromEntries(texts.map((text) => [text, { likes: 1 }])),
    });
    const account = await n.connect(feed);
    for (const text of texts) await n.publish([account], '2026-03-01T10:00:00Z', text);
    const first = await report(n);
    expect(first.totals.likes).toBe(200);
    expect(first.notes).toMatchObject([
      { code: 'analytics.posts_waiting', message: expect.stringContaining('30 post') },
    ]);
    expect((await report(n)).totals.likes).toBe(230);

    n.clock.advance(61 * MINUTE_MS);
    feed.posts.set('never read', { likes: 1 });
    await n.publish([account], '2026-02-20T10:00:00Z', 'never read');
    feed.asked.length = 0;
    const later = await report(n);
    expect(later.totals.likes).toBe(231);
    expect(feed.asked[0]?.[0]).toBe('never read');
    expect(later.notes).toMatchObject([
      { code: 'analytics.posts_waiting', message: expect.stringContaining('31 post') },
    ]);
  });

  test('an aborted caller causes no queries', async () => {
    const { n, onLoud } = await open();
    await n.publish([onLoud], '2026-03-01T10:00:00Z', 'a');
    await report(n, {}, n.call({}, { signal: AbortSignal.abort() }));
    expect(n.clock.now()).toEqual(NOW);
  });
});

describe('groups', () => {
  test('by post combine its deliveries, with the first time and every address', async () => {
    const { n, onLoud, onQuiet } = await open();
    const post = await n.publish([onLoud, onQuiet], '2026-03-01T10:00:00Z', 'a', {
      url: 'https://feed.example/a',
    });
    const { groups } = await report(n, { groupBy: 'post' });
    expect(groups).toHaveLength(1);
    expect(groups[0]).toMatchObject({
      key: post.id,
      post: {
        id: post.id,
        text: 'a',
        publishedAt: new Date('2026-03-01T10:00:00Z'),
        urls: ['https://feed.example/a', 'https://feed.example/a'],
      },
      postCount: 1,
    });
    expect(groups[0]?.metrics).toMatchObject({ likes: 45, followers: null });
  });

  test('by connection and profile include accounts that published nothing', async () => {
    const { n, onLoud, onQuiet } = await open();
    await n.publish([onLoud], '2026-03-01T10:00:00Z', 'a');
    const byConnection = await report(n, { groupBy: 'connection', sort: '-likes' });
    expect(
      byConnection.groups.map(({ key, postCount, metrics }) => [key, postCount, metrics.followers]),
    ).toEqual([
      [onLoud.id, 1, 120],
      [onQuiet.id, 0, 30],
    ]);
    const byProfile = await report(n, { groupBy: 'profile' });
    expect(byProfile.groups.map(({ key, metrics }) => [key, metrics.followers])).toEqual([
      [n.profile.id, 150],
    ]);
  });

  test('are paginated without duplicates; totals cover all groups', async () => {
    const n = await createAnalyticsFixture(NOW);
    const texts = ['v', 'w', 'x', 'y', 'z'];
    const feed = memoryAnalytics({
      clock: n.clock,
      posts: Object.fromEntries(texts.map((text, index) => [text, { likes: index % 2 }])),
    });
    const account = await n.connect(feed);
    for (const text of texts) await n.publish([account], '2026-03-01T10:00:00Z', text);
    const asked = { groupBy: 'post', sort: '-likes', limit: 2 } as const;
    const seen: (string | undefined)[] = [];
    let cursor: string | undefined;
    do {
      const page = await report(n, { ...asked, cursor });
      expect(page.totals.likes).toBe(2);
      seen.push(...page.groups.map(({ post }) => post?.text));
      cursor = page.nextCursor ?? undefined;
    } while (cursor !== undefined);
    expect(seen).toEqual(['w', 'y', 'v', 'x', 'z']);

    const { nextCursor } = await report(n, asked);
    const foreign = { ...asked, sort: 'key', cursor: nextCursor ?? undefined } as const;
    expect(await codeOf(n, foreign)).toBe('request.invalid_cursor');
  });
});

describe('visibility', () => {
  test('a key sees only the metrics of its own profiles', async () => {
    const { n, loud, onLoud } = await open();
    const other = await n.addProfile();
    const theirs = await n.connect(loud, {}, other);
    await n.publish([onLoud], '2026-03-01T10:00:00Z', 'a');
    await n.publish([theirs], '2026-03-01T10:00:00Z', 'b');
    const bound = n.call({ profileIds: [other.id] });
    const { postCount, groups } = await report(n, { groupBy: 'connection' }, bound);
    expect(postCount).toBe(1);
    expect(groups.map(({ key }) => key)).toEqual([theirs.id]);
    expect(await codeOf(n, { profileId: n.profile.id }, bound)).toBe('profile.not_found');
    expect(await codeOf(n, { connectionId: onLoud.id }, bound)).toBe('connection.not_found');
  });

  test('an unknown name is not found, and an impossible range is rejected', async () => {
    const { n } = await open();
    expect(await codeOf(n, { profileId: 'prf_nobody' })).toBe('profile.not_found');
    expect(await codeOf(n, { connectionId: 'con_nobody' })).toBe('connection.not_found');
    expect(await codeOf(n, { platform: ['nobody'] })).toBe('platform.not_found');
    expect(await codeOf(n, { from: '2026-03-01', to: '2026-02-01' })).toBe('request.invalid');
    expect(n.opened).toEqual([]);
  });
});

describe('activity', () => {
  const asked = { basis: 'activity', from: '2026-02-20', to: '2026-02-28' } as const;

  /** A post and an account with snapshots around the range; the platform is not reachable. */
  async function openHistory() {
    const { n, loud, onLoud } = await open();
    loud.switches.down = true;
    const post = await n.publish([onLoud], '2026-02-10T10:00:00Z', 'a');
    const store = (day: string, metrics: Partial<Metrics>) =>
      n.storeMetrics(delivery(post), new Date(`2026-02-${day}T12:00:00Z`), metrics);
    const storeFollowers = (day: string, followers: number) =>
      n.storeMetrics({ ...delivery(post), id: null }, new Date(`2026-02-${day}T12:00:00Z`), { followers });
    return { n, onLoud, post, store, storeFollowers };
  }

  test('is what was gained in the range, also by posts that were published before it', async () => {
    const { n, store, storeFollowers } = await openHistory();
    for (const [day, likes] of [
      ['19', 5],
      ['21', 9],
      ['27', 11],
    ] as const)
      await store(day, { likes });
    for (const [day, followers] of [
      ['18', 100],
      ['22', 103],
      ['28', 101],
    ] as const)
      await storeFollowers(day, followers);
    const { totals, postCount, groups, notes, coverage } = await report(n, { ...asked, platform: ['loud'] });
    expect([totals.likes, totals.comments, totals.followers, totals.followers_gained]).toEqual([
      6,
      null,
      101,
      1,
    ]);
    expect(postCount).toBe(1);
    expect(groups.map(({ key, metrics }) => [key, metrics.likes])).toEqual([['loud', 6]]);
    expect(coverage.comments?.reasons).toEqual({ loud: 'no_baseline' });
    expect(notes).toMatchObject([
      { code: 'analytics.decreased', message: expect.stringContaining('1 post') },
    ]);
  });

  test('has a series of what was gained each day, with the followers at its end', async () => {
    const { n, store, storeFollowers } = await openHistory();
    for (const [day, likes] of [
      ['19', 5],
      ['21', 9],
      ['27', 11],
    ] as const)
      await store(day, { likes });
    await storeFollowers('21', 100);
    await storeFollowers('22', 104);
    const { series } = await report(n, {
      ...asked,
      from: '2026-02-21',
      to: '2026-02-22',
      granularity: 'day',
    });
    expect(series.map(({ metrics }) => [metrics.likes, metrics.followers, metrics.followers_gained])).toEqual(
      [
        [4, 100, null],
        [null, 104, 4],
      ],
    );
  });

  test('without a baseline is unknown, and a note explains it', async () => {
    const { n, store } = await openHistory();
    await store('22', { likes: 500 });
    const { totals, notes } = await report(n, asked);
    expect(totals.likes).toBeNull();
    expect(notes).toMatchObject([{ code: 'analytics.no_baseline' }]);
  });

  test('of a range in the past queries no platform', async () => {
    const { n } = await openHistory();
    await report(n, asked);
    expect(n.opened).toEqual([]);
  });
});

describe('the comparison', () => {
  test('covers as many days before the range, and the change of each metric', async () => {
    const { n, onLoud } = await open();
    await n.publish([onLoud], '2026-02-19T10:00:00Z', 'a');
    await n.publish([onLoud], '2026-02-22T10:00:00Z', 'a');
    await n.publish([onLoud], '2026-02-23T10:00:00Z', 'a');
    await n.publish([onLoud], '2026-02-16T10:00:00Z', 'a');
    const { previous, change, totals } = await report(n, {
      from: '2026-02-21',
      to: '2026-02-24',
      compare: 'previous',
    });
    expect(previous).toMatchObject({ range: { from: '2026-02-17', to: '2026-02-20' }, postCount: 1 });
    expect([totals.likes, previous?.totals.likes]).toEqual([80, 40]);
    expect(change?.likes).toEqual({ absolute: 40, percent: 100 });
    expect(change?.saves).toEqual({ absolute: null, percent: null });
    expect((await report(n)).previous).toBeUndefined();
  });
});

test('groups by metadata contain every post, also those without the key', async () => {
  const { n, onLoud } = await open();
  await n.publish([onLoud], '2026-03-01T10:00:00Z', 'a', {}, { campaign: 'spring' });
  await n.publish([onLoud], '2026-03-01T11:00:00Z', 'a', {}, { campaign: 'spring' });
  await n.publish([onLoud], '2026-03-01T12:00:00Z', 'a', {}, { other: 'x' });
  const { groups, totals } = await report(n, { groupBy: 'metadata.campaign', sort: '-likes' });
  expect(groups.map(({ key, postCount, metrics }) => [key, postCount, metrics.likes])).toEqual([
    ['spring', 2, 80],
    ['', 1, 40],
  ]);
  expect(totals.likes).toBe(120);
});

test('finding 86: totals include all posts of the range', async () => {
  const n = await createAnalyticsFixture(NOW);
  const feed = memoryAnalytics({ clock: n.clock, posts: { a: { likes: 1 } } });
  const account = await n.connect(feed);
  for (let index = 0; index < 10_050; index++) await n.publish([account], '2026-02-01T10:00:00Z', 'a');
  const { postCount } = await report(n, { from: '2026-02-01', to: '2026-02-01', metrics: ['followers'] });
  expect(postCount).toBe(10_050);
});

describe('a platform that reports its accounts by day', () => {
  const days = {
    '2026-02-10': { views: 900, clicks: 90 },
    '2026-02-27': { views: 70, clicks: 7 },
    '2026-02-28': { views: 30, clicks: 0 },
    '2026-03-01': { views: 5 },
  };
  const range = { from: '2026-02-27', to: '2026-03-02', basis: 'activity' } as const;

  async function openDaily() {
    const n = await createAnalyticsFixture(NOW);
    const daily = memoryAnalytics({ clock: n.clock, id: 'daily', account: null, days });
    const loud = memoryAnalytics({ clock: n.clock, id: 'loud', posts: { a: { views: 12 } }, account: null });
    const onDaily = await n.connect(daily);
    const onLoud = await n.connect(loud);
    return { n, daily, onDaily, onLoud };
  }

  test('adds what they gained in the range to the gains of posts', async () => {
    const { n, onLoud } = await openDaily();
    await n.publish([onLoud], '2026-03-01T10:00:00Z', 'a');
    const { totals, groups, coverage, postCount } = await report(n, range);
    expect([totals.views, totals.clicks, postCount]).toEqual([117, 97 - 90, 1]);
    expect(groups.map(({ key, postCount: posts, metrics }) => [key, posts, metrics.views])).toEqual([
      ['daily', 0, 105],
      ['loud', 1, 12],
    ]);
    expect(coverage.views).toEqual({ platforms: ['daily', 'loud'], missing: [], reasons: {} });
    expect(coverage.likes?.reasons['daily']).toBe('not_provided');
  });

  test('has a series with a value for each day that is known, and null for every other', async () => {
    const { n } = await openDaily();
    const { series } = await report(n, { ...range, granularity: 'day' });
    expect(series.map(({ date, metrics }) => [date, metrics.views, metrics.clicks])).toEqual([
      ['2026-02-27', 70, 7],
      ['2026-02-28', 30, 0],
      ['2026-03-01', 5, null],
      ['2026-03-02', null, null],
    ]);
  });

  test('is compared with the days before', async () => {
    const { n } = await openDaily();
    const last = { from: '2026-02-27', to: '2026-03-15', basis: 'activity', compare: 'previous' } as const;
    const { previous, totals } = await report(n, last);
    expect([totals.views, previous?.totals.views]).toEqual([105, 900]);
  });

  test('has no part in counts of published posts, and is not asked for them', async () => {
    const { n, daily } = await openDaily();
    const { totals, notes } = await report(n);
    expect([totals.views, totals.clicks]).toEqual([null, null]);
    expect(notes.map(({ code, platform }) => [code, platform])).toEqual([['analytics.by_day', 'daily']]);
    expect((await report(n, { metrics: ['likes'] })).notes).toEqual([]);
    expect(daily.asked.filter((one) => one !== 'account')).toEqual([]);
  });

  test('that is connected in two profiles counts once', async () => {
    const { n, daily, onDaily } = await openDaily();
    await n.connect(daily, { account: onDaily.account }, await n.addProfile());
    const { totals } = await report(n, range);
    expect(totals.views).toBe(105);
  });

  test('and is down is a note, and is missing from the report', async () => {
    const { n, daily, onDaily } = await openDaily();
    daily.switches.down = true;
    const { totals, notes, coverage } = await report(n, range);
    expect(totals.views).toBeNull();
    expect(notes).toContainEqual(
      expect.objectContaining({ connectionId: onDaily.id, code: 'platform.unavailable' }),
    );
    expect(coverage.views?.reasons['daily']).toBe('not_read');
  });
});

import { describe, expect, test } from '@jest/globals';
import { createAnalyticsFixture, type AnalyticsFixture } from '../../testing/analytics/analytics-fixture.js';
import { memoryAnalytics, type MemoryAnalytics } from '../../testing/analytics/memory-analytics.js';
import type { PostListFacts } from '../ports/index.js';
import { getAnalytics, type GetAnalytics } from './get-analytics.js';
import { noMetrics } from './metrics.js';
import type { AnalyticsReport } from './report.js';
import { takeDueSnapshots } from './take-due-snapshots.js';

const NOW = new Date('2026-03-20T12:00:00Z');
const DAY_MS = 86_400_000;
const daysAgo = (days: number) => new Date(NOW.getTime() - days * DAY_MS);

async function open(postList: PostListFacts | undefined = { pages: 2, postsPerPage: 3, postsMax: null }) {
  const n = await createAnalyticsFixture(NOW);
  const feed = memoryAnalytics({ clock: n.clock, ...(postList && { postList }), reports: { likes: 0 } });
  const connection = await n.connect(feed);
  return { n, feed, connection };
}

/** A post in the account's list, with its likes. */
function addListed(feed: MemoryAnalytics, id: string, days: number, likes: number | null, isCounted = false) {
  const metrics = likes === null ? null : { ...noMetrics, likes };
  feed.listed.push({
    externalId: id,
    publishedAt: daysAgo(days),
    url: `https://feed.example/${id}`,
    text: `text of ${id}`,
    metrics: isCounted ? metrics : null,
  });
  if (metrics) feed.posts.set(id, metrics);
}

async function report(n: AnalyticsFixture, over: Partial<GetAnalytics> = {}): Promise<AnalyticsReport> {
  const read = await getAnalytics(n.ports, n.call(), {
    basis: 'published',
    source: 'all',
    granularity: 'total',
    groupBy: 'platform',
    sort: 'key',
    limit: 100,
    ...over,
  });
  if (!read.ok) throw new Error(read.failure.message);
  return read.value;
}

const codesOf = ({ notes }: AnalyticsReport) => notes.map(({ code }) => code);

test('posts made elsewhere count beside those made here, and each once', async () => {
  const { n, feed, connection } = await open();
  await n.publish([connection], '2026-03-18T09:00:00Z', 'ours');
  addListed(feed, 'ours', 2, 5);
  addListed(feed, 'theirs', 3, 7);
  const { totals, postCount, groups, notes } = await report(n, { groupBy: 'post', sort: '-likes' });
  expect([postCount, totals.likes, notes]).toEqual([2, 12, []]);
  expect(groups).toMatchObject([
    {
      key: expect.stringMatching(/^ext_/) as unknown,
      platform: 'memory_feed',
      connectionId: connection.id,
      post: {
        id: null,
        text: 'text of theirs',
        publishedAt: daysAgo(3),
        urls: ['https://feed.example/theirs'],
      },
      metrics: { likes: 7 },
    },
    { post: { text: 'ours' }, metrics: { likes: 5 } },
  ]);
  expect(await report(n, { source: 'switchboard' })).toMatchObject({ postCount: 1, totals: { likes: 5 } });
});

test('a post that was listed before its publication was recorded here counts once', async () => {
  const { n, feed, connection } = await open();
  addListed(feed, 'ours', 0.01, 5);
  expect((await report(n)).postCount).toBe(1);
  await n.publish([connection], NOW.toISOString(), 'ours');
  expect(await report(n)).toMatchObject({ postCount: 1, totals: { likes: 5 } });
  expect(await report(n, { source: 'switchboard' })).toMatchObject({ postCount: 1, totals: { likes: 5 } });
});

test('while the platform has not assigned the public id of a post made here, new posts of the account wait', async () => {
  const { n, feed, connection } = await open();
  addListed(feed, 'public id', 0.01, 5);
  addListed(feed, 'older', 9, 2);
  await n.publish([connection], NOW.toISOString(), 'temporary id', {
    resolveUrlAt: new Date(NOW.getTime() + 60_000),
  });
  expect(await report(n)).toMatchObject({ postCount: 2, totals: { likes: 2 } });
});

test('an account that is connected in two profiles is listed once, and its posts count once', async () => {
  const { n, feed, connection } = await open();
  const other = await n.connect(feed, { account: connection.account }, await n.addProfile());
  addListed(feed, 'theirs', 3, 7);
  await n.publish([other], '2026-03-18T09:00:00Z', 'ours');
  addListed(feed, 'ours', 2, 5);
  expect(await report(n, { groupBy: 'connection' })).toMatchObject({ postCount: 2, totals: { likes: 12 } });
  expect(feed.pages).toEqual([null]);
  await report(n, { connectionId: other.id });
  expect(feed.pages).toHaveLength(2);
  const both = await report(n, { groupBy: 'connection' });
  expect([both.postCount, both.totals.likes]).toEqual([2, 12]);
  expect(both.groups.reduce((sum, { metrics }) => sum + (metrics.likes ?? 0), 0)).toBe(12);
});

test('a platform that lists no posts is named', async () => {
  const n = await createAnalyticsFixture(NOW);
  const feed = memoryAnalytics({ clock: n.clock, name: 'Quiet', reports: { likes: 0 } });
  await n.connect(feed);
  const { notes } = await report(n);
  expect(notes).toEqual([
    {
      connectionId: null,
      platform: 'memory_feed',
      code: 'analytics.elsewhere_not_provided',
      message: 'Quiet lists no posts that were made elsewhere: only posts made here are included.',
    },
  ]);
  expect((await report(n, { source: 'switchboard' })).notes).toEqual([]);
});

describe('the page budget', () => {
  const listMany = (feed: MemoryAnalytics, count: number) => {
    for (let index = 0; index < count; index++) addListed(feed, `post ${index}`, index + 0.4, 1);
  };

  test('ends a list, a note says until when posts are included, and the next report continues there', async () => {
    const { n, feed, connection } = await open();
    listMany(feed, 14);
    const first = await report(n);
    expect([first.postCount, feed.pages]).toEqual([6, [null, '3']]);
    expect(first.notes).toEqual([
      {
        connectionId: connection.id,
        code: 'analytics.posts_not_listed',
        message:
          'Posts made elsewhere before 2026-03-15 are not included yet: one request lists at most 2 page(s) of 3 posts. Repeat it to list older posts.',
      },
    ]);
    const second = await report(n);
    expect([second.postCount, feed.pages.slice(2)]).toEqual([12, ['6', '9']]);
    expect(codesOf(second)).toEqual(['analytics.posts_not_listed']);
    const third = await report(n);
    expect([third.postCount, third.notes, feed.pages.slice(4)]).toEqual([14, [], ['12']]);
    expect((await report(n)).postCount).toBe(14);
    expect(feed.pages).toHaveLength(5);
  });

  test('is not spent on posts before the range', async () => {
    const { n, feed } = await open();
    listMany(feed, 14);
    const { postCount, notes } = await report(n, { from: '2026-03-19', to: '2026-03-20' });
    expect([postCount, notes, feed.pages]).toEqual([2, [], [null]]);
  });

  test('an hour later only newer posts are listed, until they join the known ones', async () => {
    const { n, feed } = await open();
    listMany(feed, 5);
    expect((await report(n)).postCount).toBe(5);
    await n.clock.sleep(2 * 3_600_000);
    addListed(feed, 'new', -0.05, 4);
    feed.pages.splice(0);
    expect(await report(n)).toMatchObject({ postCount: 6, totals: { likes: 9 }, notes: [] });
    expect(feed.pages).toEqual([null]);
  });

  test('more new posts than it allows leave no gap unreported', async () => {
    const { n, feed } = await open();
    listMany(feed, 3);
    expect((await report(n)).notes).toEqual([]);
    await n.clock.sleep(5 * DAY_MS);
    for (let index = 0; index < 9; index++) addListed(feed, `new ${index}`, -1 - index / 10, 1);
    const gap = await report(n);
    expect([gap.postCount, codesOf(gap)]).toEqual([9, ['analytics.posts_not_listed']]);
    const closed = await report(n);
    expect([closed.postCount, closed.notes]).toEqual([12, []]);
  });

  test('a platform that lists only its newest posts ends the list, and a note says so', async () => {
    const { n, feed } = await open({ pages: 5, postsPerPage: 3, postsMax: 6 });
    listMany(feed, 14);
    const { postCount, notes } = await report(n);
    expect([postCount, feed.pages]).toEqual([6, [null, '3']]);
    expect(notes).toMatchObject([
      {
        code: 'analytics.posts_not_listed',
        message:
          'Posts made elsewhere before 2026-03-15 are not included: the platform lists only the newest 6 posts of an account.',
      },
    ]);
    await report(n);
    expect(feed.pages).toHaveLength(2);
  });

  test('a list that fails is a note, and neither its posts nor the metrics of others are lost', async () => {
    const { n, feed, connection } = await open();
    await n.publish([connection], '2026-03-18T09:00:00Z', 'ours');
    feed.posts.set('ours', { likes: 5 });
    listMany(feed, 8);
    feed.switches.listingFails = true;
    expect(await report(n)).toMatchObject({
      totals: { likes: 5 },
      notes: [
        {
          connectionId: connection.id,
          code: 'platform.unavailable',
          message: 'The platform cannot be reached. Posts made elsewhere are included as last listed.',
        },
      ],
    });
    feed.switches.listingFails = false;
    expect((await report(n)).postCount).toBe(7);
  });

  test('a cursor that the platform no longer accepts lets the next report begin with the newest post', async () => {
    const { n, feed } = await open();
    listMany(feed, 14);
    await report(n);
    feed.switches.listingFails = true;
    expect(codesOf(await report(n))).toEqual(['platform.unavailable', 'analytics.posts_not_listed']);
    feed.switches.listingFails = false;
    feed.pages.splice(0);
    expect(codesOf(await report(n))).toEqual(['analytics.posts_not_listed']);
    expect(feed.pages).toEqual([null, '3']);
  });
});

test('metrics that the list contains are not requested again', async () => {
  const { n, feed } = await open();
  addListed(feed, 'counted', 2, 6, true);
  expect(await report(n)).toMatchObject({ totals: { likes: 6 } });
  expect(feed.asked.filter((asked) => asked !== 'account')).toEqual([]);
});

test('an expired login lists nothing, and what is known remains', async () => {
  const { n, feed, connection } = await open();
  addListed(feed, 'theirs', 2, 6);
  await report(n);
  await n.clock.sleep(2 * 3_600_000);
  await n.ports.transactions.run(async (tx) => {
    await tx.connections.update(connection.workspaceId, connection.id, { status: 'needs_reauth' });
    return { ok: true, value: undefined };
  });
  feed.pages.splice(0);
  const { totals, notes } = await report(n);
  expect(totals.likes).toBe(6);
  expect(feed.pages).toEqual([]);
  expect(notes.map(({ code }) => code)).toContain('connection.needs_reauth');
});

test('the worker lists accounts whose posts a report requested, and reads them, for thirty days', async () => {
  const { n, feed } = await open();
  addListed(feed, 'theirs', 2, 6);
  const run = () =>
    takeDueSnapshots(n.ports, new AbortController().signal, (error) => {
      throw error as Error;
    });
  await run();
  expect(feed.pages).toEqual([]);
  await report(n);
  feed.pages.splice(0);
  for (let day = 0; day < 40; day++) {
    await n.clock.sleep(DAY_MS);
    addListed(feed, `day ${day}`, -day - 0.9, 1);
    await run();
  }
  expect(feed.pages.length).toBeGreaterThanOrEqual(29);
  expect(feed.pages.length).toBeLessThanOrEqual(31);
  feed.asked.splice(0);
  await n.clock.sleep(3 * DAY_MS);
  await run();
  expect(feed.asked).toEqual(['account']);
  expect(await report(n, { basis: 'activity', from: '2026-03-21', to: '2026-03-27' })).toMatchObject({
    totals: { likes: 7 },
  });
});

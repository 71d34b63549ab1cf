import { expect, test } from '@jest/globals';
import { memoryAnalytics } from '../../testing/analytics/memory-analytics.js';
import { createAnalyticsFixture, type AnalyticsFixture } from '../../testing/analytics/analytics-fixture.js';
import { memorySocial } from '../../testing/environment/memory-social.js';
import type { Connection } from '../connections/connection.js';
import { ok } from '../result.js';
import { takeDueSnapshots } from './take-due-snapshots.js';

const NOW = new Date('2026-03-02T09:00:00Z');
const HOUR_MS = 3_600_000;
const take = async (n: AnalyticsFixture) =>
  (
    await takeDueSnapshots(n.ports, new AbortController().signal, (error) => {
      throw error;
    })
  ).taken;
const accountOf = async (n: AnalyticsFixture, { workspaceId, id }: Connection) =>
  (await n.ports.snapshots.listLatestOfAccounts(workspaceId, [id])).get(id);

test('stores the metrics of an account and of its published posts', async () => {
  const n = await createAnalyticsFixture(NOW);
  const feed = memoryAnalytics({ clock: n.clock, posts: { new: { likes: 4 } }, account: { followers: 12 } });
  const account = await n.connect(feed);
  const post = await n.publish([account], '2026-02-01T10:00:00Z', 'new');
  expect(await take(n)).toBe(2);
  expect(feed.asked).toEqual([['new'], 'account']);
  const ids = post.deliveries.map(({ id }) => id);
  const [kept] = (await n.ports.snapshots.listLatest(n.workspace.id, ids)).values();
  expect(kept?.metrics).toMatchObject({ likes: 4, shares: null });
  expect((await accountOf(n, account))?.metrics.followers).toBe(12);
});

test('reads a post often while it is young, ever less often later, and after ninety days not at all', async () => {
  const n = await createAnalyticsFixture(NOW);
  const feed = memoryAnalytics({ clock: n.clock, posts: { post: { likes: 4 } } });
  await n.publish([await n.connect(feed)], NOW.toISOString(), 'post');
  const days: [number, number, number] = [0, 0, 0];
  for (let hour = 1; hour <= 120 * 24; hour++) {
    n.clock.advance(HOUR_MS - (n.clock.now().getTime() % HOUR_MS));
    const before = feed.asked.filter((asked) => asked !== 'account').length;
    await take(n);
    const reads = feed.asked.filter((asked) => asked !== 'account').length - before;
    if (hour <= 24) days[0] += reads;
    else if (hour <= 7 * 24) days[1] += reads;
    else days[2] += reads;
  }
  expect(days).toEqual([24, 24, 32]);
  expect(feed.asked.filter((asked) => asked === 'account')).toHaveLength(120);
});

test('records an account without account metrics as queried, with no known values', async () => {
  const n = await createAnalyticsFixture(NOW);
  const account = await n.connect(memoryAnalytics({ clock: n.clock, account: null }));
  await take(n);
  expect((await accountOf(n, account))?.metrics.followers).toBeNull();
});

test('keeps what was received before a failure, and what other accounts report', async () => {
  const n = await createAnalyticsFixture(NOW);
  const feed = memoryAnalytics({ clock: n.clock, id: 'first', posts: { a: { likes: 4 } } });
  const other = memoryAnalytics({ clock: n.clock, id: 'second', account: { followers: 7 } });
  const account = await n.connect(feed);
  const otherAccount = await n.connect(other);
  const post = await n.publish([account], '2026-03-01T10:00:00Z', 'a');
  feed.switches.accountFails = true;
  expect(await take(n)).toBe(2);
  const ids = post.deliveries.map(({ id }) => id);
  expect((await n.ports.snapshots.listLatest(n.workspace.id, ids)).size).toBe(1);
  expect((await accountOf(n, otherAccount))?.metrics.followers).toBe(7);
});

test('reads no account that must be reconnected, and repeats a failed reading at its next time', async () => {
  const n = await createAnalyticsFixture(NOW);
  const feed = memoryAnalytics({ clock: n.clock, id: 'down' });
  const expired = memoryAnalytics({ clock: n.clock, id: 'expired' });
  await n.connect(feed);
  await n.connect(expired, { status: 'needs_reauth' });
  feed.switches.down = true;
  expect(await take(n)).toBe(0);
  feed.switches.down = false;
  expect(await take(n)).toBe(0);
  n.clock.advance(24 * HOUR_MS);
  expect(await take(n)).toBe(1);
  expect(expired.asked).toEqual([]);
});

test('does not query a post without a public id', async () => {
  const n = await createAnalyticsFixture(NOW);
  const feed = memoryAnalytics({ clock: n.clock, posts: { early: { likes: 4 }, found: { likes: 9 } } });
  const { publishing } = memorySocial({ resolvePublishedUrl: async () => ok(null) }).platform;
  const account = await n.connect({
    ...feed,
    platform: { ...feed.platform, ...(publishing && { publishing }) },
  });
  await n.publish([account], '2026-03-01T10:00:00Z', 'early');
  await n.publish([account], '2026-03-01T11:00:00Z', 'found', { url: 'https://social.example/found' });
  expect(await take(n)).toBe(2);
  expect(feed.asked).toEqual([['found'], 'account']);
});

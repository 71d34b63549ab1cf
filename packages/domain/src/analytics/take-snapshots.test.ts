import { expect, test } from '@jest/globals';
import { memoryAnalytics } from '../../testing/analytics/memory-analytics.js';
import { createAnalyticsFixture, type AnalyticsFixture } from '../../testing/analytics/analytics-fixture.js';
import { memorySocial } from '../../testing/environment/memory-social.js';
import type { Connection } from '../connections/connection.js';
import { ok } from '../result.js';
import { takeSnapshots } from './take-snapshots.js';

const NOW = new Date('2026-03-02T09:00:00Z');
const never = new AbortController().signal;
const workOf = ({ workspaceId, id }: Connection) => ({ workspaceId, connectionId: id });
const accountOf = async (n: AnalyticsFixture, { workspaceId, id }: Connection) =>
  (await n.ports.snapshots.listLatestOfAccounts(workspaceId, [id])).get(id);

test('stores metrics of the account and of its posts of the last thirty days', async () => {
  const n = await createAnalyticsFixture(NOW);
  const feed = memoryAnalytics({
    clock: n.clock,
    posts: { new: { likes: 4 }, old: { likes: 9 } },
    account: { followers: 12 },
  });
  const account = await n.connect(feed);
  const recent = await n.publish([account], '2026-02-01T10:00:00Z', 'new');
  await n.publish([account], '2026-01-20T10:00:00Z', 'old');
  expect(await takeSnapshots(n.ports, workOf(account), never)).toEqual({ ok: true, value: { taken: 2 } });
  expect(feed.asked).toEqual([['new'], 'account']);
  const ids = recent.deliveries.map(({ id }) => id);
  const [kept] = (await n.ports.snapshots.listLatest(n.workspace.id, ids)).values();
  expect(kept?.metrics).toMatchObject({ likes: 4, shares: null });
  expect((await accountOf(n, account))?.metrics.followers).toBe(12);
});

test('records an account without account metrics as queried, with no known values', async () => {
  const n = await createAnalyticsFixture(NOW);
  const account = await n.connect(memoryAnalytics({ clock: n.clock, account: null }));
  await takeSnapshots(n.ports, workOf(account), never);
  expect((await accountOf(n, account))?.metrics.followers).toBeNull();
});

test('keeps results received before a failure, and returns the failure', async () => {
  const n = await createAnalyticsFixture(NOW);
  const feed = memoryAnalytics({ clock: n.clock, posts: { a: { likes: 4 } } });
  const account = await n.connect(feed);
  const post = await n.publish([account], '2026-03-01T10:00:00Z', 'a');
  feed.switches.accountFails = true;
  const result = await takeSnapshots(n.ports, workOf(account), never);
  expect(result).toMatchObject({ ok: false, failure: { code: 'platform.unavailable' } });
  const ids = post.deliveries.map(({ id }) => id);
  expect((await n.ports.snapshots.listLatest(n.workspace.id, ids)).size).toBe(1);
});

test('does nothing for a deleted account', async () => {
  const n = await createAnalyticsFixture(NOW);
  const feed = memoryAnalytics({ clock: n.clock });
  const account = n.build.connection(n.profile);
  expect(await takeSnapshots(n.ports, workOf(account), never)).toEqual({ ok: true, value: { taken: 0 } });
  expect(feed.asked).toEqual([]);
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
  expect(await takeSnapshots(n.ports, workOf(account), never)).toEqual({ ok: true, value: { taken: 2 } });
  expect(feed.asked).toEqual([['found'], 'account']);
});

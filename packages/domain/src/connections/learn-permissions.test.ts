import { describe, expect, test } from '@jest/globals';
import { createAnalyticsFixture } from '../../testing/analytics/analytics-fixture.js';
import { memoryAnalytics, type MemoryAnalytics } from '../../testing/analytics/memory-analytics.js';
import { memoryStore, type MemoryStore } from '../../testing/stores/memory-store.js';
import { remoteOrder } from '../../testing/stores/order-builder.js';
import { createStoreFixture } from '../../testing/stores/store-fixture.js';
import { takeDueSnapshots } from '../analytics/take-due-snapshots.js';
import { refuse } from '../failure.js';
import { getOrder } from '../orders/get-order.js';
import { listOrders } from '../orders/list-orders.js';
import { formatOrderId } from '../orders/order-id.js';
import type { Manifest, Ports } from '../ports/index.js';
import { refundOrder } from '../refunds/refund-order.js';
import type { Connection } from './connection.js';
import { missingPermissions } from './connection-health.js';

const noPermission = () => refuse('platform.permission_missing', 'The account lacks a permission.');

/** The status of a connection, what it lacks, and the events so far. */
async function healthOf(
  { connections }: Pick<Ports, 'connections'>,
  { workspaceId, id }: Connection,
  events: readonly { readonly type: string }[],
) {
  const found = await connections.find(workspaceId, id);
  return {
    status: found?.status,
    missing: found && missingPermissions(null, found),
    events: events.map(({ type }) => type).filter((type) => type.startsWith('connection.')),
  };
}

/** A store that refuses the abilities in `refused`. */
function guardedStore(permissions: Manifest['permissions']) {
  const s = createStoreFixture();
  const store = memoryStore({ clock: s.clock, orders: [remoteOrder()] });
  const refused = new Set<'orders' | 'refunds'>();
  const { orders, refunds, manifest } = store.platform;
  if (!orders || !refunds) throw new Error('the store has orders and refunds');
  const guarded: MemoryStore = {
    ...store,
    platform: {
      ...store.platform,
      manifest: { ...manifest, permissions },
      orders: {
        ...orders,
        list: async (...which) => (refused.has('orders') ? noPermission() : orders.list(...which)),
        get: async (...which) => (refused.has('orders') ? noPermission() : orders.get(...which)),
      },
      refunds: {
        ...refunds,
        refund: async (...which) => (refused.has('refunds') ? noPermission() : refunds.refund(...which)),
      },
    },
  };
  // What was granted is unknown.
  const connection = s.connect(guarded, { grantedPermissions: [] });
  const orderId = formatOrderId({ connectionId: connection.id, externalId: 'so_1' });
  const call = () => s.call(s.key());
  return {
    refused,
    health: () => healthOf(s.ports, connection, s.events()),
    list: () => listOrders(s.ports, call(), { sort: '-created_at', limit: 20 }),
    get: () => getOrder(s.ports, call(), { orderId }),
    refund: () => refundOrder(s.ports, call(), { orderId, amount: '1.00', allowDuplicate: true }),
  };
}

const DEGRADED = ['connection.degraded'];
const RESTORED = ['connection.degraded', 'connection.restored'];
const permissions = { orders: ['orders:read'], refunds: ['refunds:write', 'orders:read'] };

describe('a permission that the store refuses degrades its connection, once, until it is proven', () => {
  test.each(['list', 'get'] as const)('when orders are read: %s', async (read) => {
    const it = guardedStore(permissions);
    it.refused.add('orders');
    for (const _ of [1, 2]) {
      expect(await it[read]()).toMatchObject({ ok: false });
      expect(await it.health()).toEqual({ status: 'degraded', missing: ['orders:read'], events: DEGRADED });
    }
    it.refused.clear();
    expect(await it[read]()).toMatchObject({ ok: true });
    expect(await it.health()).toEqual({ status: 'active', missing: [], events: RESTORED });
  });

  test('when money is refunded, and reading orders proves only what it needs itself', async () => {
    const it = guardedStore(permissions);
    it.refused.add('refunds');
    expect(await it.refund()).toMatchObject({ failure: { code: 'platform.permission_missing' } });
    expect(await it.health()).toMatchObject({ status: 'degraded', missing: permissions.refunds });
    await it.get();
    expect(await it.health()).toEqual({ status: 'degraded', missing: ['refunds:write'], events: DEGRADED });
    it.refused.clear();
    expect(await it.refund()).toMatchObject({ value: { status: 'succeeded' } });
    expect(await it.health()).toEqual({ status: 'active', missing: [], events: RESTORED });
  });

  test('by the name of the ability, where another one that works requires the same', async () => {
    const it = guardedStore({ orders: ['all'], refunds: ['all'] });
    it.refused.add('refunds');
    await it.refund();
    await it.list();
    expect(await it.health()).toEqual({ status: 'degraded', missing: ['refunds'], events: DEGRADED });
  });

  test.each<[string, Manifest['permissions'], readonly string[]]>([
    ['when metrics are read', { analytics: ['insights'] }, ['insights']],
    ['but not for metrics for which no permission is named', { analytics: [] }, []],
  ])('%s', async (_when, required, missing) => {
    const n = await createAnalyticsFixture(new Date('2026-03-02T09:00:00Z'));
    const feed = memoryAnalytics({ clock: n.clock, posts: { a: { likes: 4 } } });
    const { analytics, manifest } = feed.platform;
    if (!analytics?.ofPosts) throw new Error('the platform has analytics of posts');
    let isRefused = true;
    const guarded: MemoryAnalytics = {
      ...feed,
      platform: {
        ...feed.platform,
        manifest: { ...manifest, permissions: required },
        analytics: {
          ...analytics,
          ofPosts: async (...which) => (isRefused ? noPermission() : analytics.ofPosts(...which)),
        },
      },
    };
    const account = await n.connect(guarded, { grantedPermissions: [] });
    const health = () => healthOf(n.ports, account, n.events());
    const DAY_MS = 86_400_000;
    const take = async () => {
      n.clock.advance(DAY_MS);
      const { taken } = await takeDueSnapshots(n.ports, new AbortController().signal, (error) => {
        throw error;
      });
      return taken;
    };
    await n.publish([account], '2026-03-01T10:00:00Z', 'a');
    for (const _ of [1, 2]) {
      // The account; the post is refused.
      expect(await take()).toBe(1);
      expect(await health()).toEqual(
        missing.length > 0
          ? { status: 'degraded', missing, events: DEGRADED }
          : { status: 'active', missing, events: [] },
      );
    }
    isRefused = false;
    expect(await take()).toBe(2);
    expect(await health()).toMatchObject({ status: 'active', missing: [] });
  });
});

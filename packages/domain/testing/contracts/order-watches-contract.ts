import { beforeEach, describe, expect, test } from '@jest/globals';
import type { Connection } from '../../src/connections/connection.js';
import { SWEEP_MS, VERSIONS_MAX } from '../../src/orders/order-watch.js';
import { type CreateStorage, useStorageWorld } from './storage-world.js';

export function orderWatchesContract(make: CreateStorage): void {
  describe('OrderWatches', () => {
    const world = useStorageWorld(make, beforeEach);

    async function watchedStore(since = world.clock.now()): Promise<Connection> {
      const store = world.build.connection(world.ours.profile, { kind: 'commerce', watchOrders: true });
      const { workspaceId, id: connectionId } = store;
      await world.connections.insert(store);
      await world.orderWatches.start({ workspaceId, connectionId, since });
      return store;
    }
    const find = ({ workspaceId, id }: Connection) => world.orderWatches.find(workspaceId, id);
    const claim = (limit = 10) => world.orderWatches.claimDue(limit, 60);
    const add = async (
      { workspaceId, id }: Connection,
      externalId: string,
      digest: string,
      isReported = true,
    ) => {
      const versions = [{ externalId, digest, isReported }];
      const added = await world.orderWatches.addVersions(workspaceId, id, versions);
      return added.get(externalId) ?? null;
    };

    test('a watch begins a day before its time, is found in its workspace only, and ends with its versions', async () => {
      const since = world.clock.now();
      const store = await watchedStore(since);
      expect(await find(store)).toMatchObject({
        since,
        isBaselined: false,
        position: new Date(since.getTime() - SWEEP_MS),
        reading: null,
        failures: 0,
      });
      expect(await world.orderWatches.find(world.theirs.workspace.id, store.id)).toBeNull();
      await add(store, 'so_1', 'one');
      await world.orderWatches.delete(world.theirs.workspace.id, store.id);
      expect(await find(store)).not.toBeNull();
      await world.orderWatches.delete(store.workspaceId, store.id);
      expect(await find(store)).toBeNull();
      await world.orderWatches.start({ workspaceId: store.workspaceId, connectionId: store.id, since });
      expect(await add(store, 'so_1', 'one')).toEqual({ isFirst: true });
    });

    test('a due watch is claimed by one caller, and only the latest claim settles it', async () => {
      const store = await watchedStore();
      const [first] = await claim();
      expect(first?.connectionId).toBe(store.id);
      expect(await claim()).toEqual([]);
      if (!first) throw new Error('nothing was claimed');
      const settle = (fence: number, at = world.clock.now()) => {
        const cursor = {
          token: 'next',
          lastListed: { timeMs: 5, externalIds: ['so_1'] },
          boundMs: null,
          notes: [],
        };
        const reading = { fromMs: 1, isSweep: true, cursor };
        const next = { ...first, fence, isBaselined: true, failures: 2, reading };
        return world.orderWatches.settle(next, at);
      };
      expect(await settle(first.fence - 1)).toBe(false);
      expect(await settle(first.fence)).toBe(true);
      expect(await find(store)).toMatchObject({
        isBaselined: true,
        failures: 2,
        reading: { fromMs: 1, isSweep: true, cursor: { token: 'next' } },
      });
      const [second] = await claim();
      expect(second?.fence).toBe(first.fence + 1);
      expect(await settle(first.fence)).toBe(false);
    });

    test('the store of an account that must be reconnected is not due', async () => {
      const store = await watchedStore();
      const set = (status: Connection['status']) =>
        world.connections.update(store.workspaceId, store.id, { status });
      await set('needs_reauth');
      expect(await claim()).toEqual([]);
      await set('active');
      expect(await claim()).toHaveLength(1);
    });

    test('a version is new once, also when an older one returns, among the last of its order', async () => {
      const [store, other] = [await watchedStore(), await watchedStore()];
      expect(await add(store, 'so_1', 'v0')).toEqual({ isFirst: true });
      expect(await add(store, 'so_1', 'v1')).toEqual({ isFirst: false });
      for (const known of ['v0', 'v1']) expect(await add(store, 'so_1', known)).toBeNull();
      expect(await add(other, 'so_1', 'v0')).toEqual({ isFirst: true });
      for (let version = 2; version <= VERSIONS_MAX; version++) await add(store, 'so_1', `v${version}`);
      expect(await add(store, 'so_1', 'v1')).toBeNull();
      expect(await add(store, 'so_1', 'v0')).toEqual({ isFirst: false });
    });

    test('beginning again from an earlier time forgets what was not reported', async () => {
      const store = await watchedStore();
      const { workspaceId, id: connectionId } = store;
      const since = world.clock.after(-3_600_000);
      await add(store, 'so_1', 'existed', false);
      await add(store, 'so_2', 'reported');
      await add(store, 'so_3', 'existed', false);
      await add(store, 'so_3', 'reported');
      const fence = (await find(store))?.fence ?? 0;
      await world.orderWatches.start({ workspaceId, connectionId, since });
      expect(await find(store)).toMatchObject({ since, isBaselined: false, fence: fence + 1 });
      await world.orderWatches.start({ workspaceId, connectionId, since: world.clock.after(3_600_000) });
      expect(await find(store)).toMatchObject({ since });
      expect(await add(store, 'so_1', 'existed')).toEqual({ isFirst: true });
      expect(await add(store, 'so_2', 'reported')).toBeNull();
      expect(await add(store, 'so_3', 'existed')).toBeNull();
    });

    test('disconnecting the account ends the watch', async () => {
      const store = await watchedStore();
      await add(store, 'so_1', 'one');
      await world.connections.delete(store.workspaceId, store.id);
      expect(await find(store)).toBeNull();
      expect(await claim()).toEqual([]);
    });
  });
}

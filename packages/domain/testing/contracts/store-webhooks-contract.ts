import { beforeEach, describe, expect, test } from '@jest/globals';
import type { Connection } from '../../src/connections/connection.js';
import type { StoreWebhook } from '../../src/orders/store-webhook.js';
import { type CreateStorage, useStorageWorld } from './storage-world.js';

export function storeWebhooksContract(make: CreateStorage): void {
  describe('StoreWebhooks', () => {
    const world = useStorageWorld(make, beforeEach);

    async function watchedStore(over: Partial<Connection> = {}): Promise<Connection> {
      const store = world.build.connection(world.ours.profile, {
        kind: 'commerce',
        watchOrders: true,
        ...over,
      });
      await world.connections.insert(store);
      await world.orderWatches.start({ ...keyOf(store), since: world.clock.now() });
      return store;
    }
    const keyOf = ({ workspaceId, id }: Connection) => ({ workspaceId, connectionId: id });
    const find = ({ workspaceId, id }: Connection) => world.storeWebhooks.find(workspaceId, id);
    const wake = (store: Connection, address: string | null) =>
      world.storeWebhooks.wake(keyOf(store), address === null ? null : { address });
    const claim = (limit = 10) => world.storeWebhooks.claimDue(limit, 60);
    const settle = (webhook: StoreWebhook, at = world.clock.after(3_600_000)) =>
      world.storeWebhooks.settle(webhook, at);
    const record = (store: Connection, deliveryId: string) =>
      world.storeWebhooks.recordDelivery(keyOf(store), deliveryId);

    test('a webhook is added once, keeps its address, and is found by it', async () => {
      const store = await watchedStore();
      await wake(store, null);
      expect(await find(store)).toBeNull();
      await wake(store, 'first');
      await wake(store, 'second');
      expect(await find(store)).toMatchObject({
        ...keyOf(store),
        address: 'first',
        sealedSecret: null,
        generation: 0,
        externalIds: [],
        failures: 0,
      });
      expect(await world.storeWebhooks.findByAddress('first')).toEqual(await find(store));
      expect(await world.storeWebhooks.findByAddress('second')).toBeNull();
      expect(await world.storeWebhooks.find(world.theirs.workspace.id, store.id)).toBeNull();
    });

    test('a due webhook is claimed by one caller, and only the latest claim settles or deletes it', async () => {
      const store = await watchedStore();
      await wake(store, 'address');
      const [claimed] = await claim();
      if (!claimed) throw new Error('nothing was claimed');
      expect(await claim()).toEqual([]);
      const next = {
        ...claimed,
        sealedSecret: new Uint8Array([1, 2]),
        generation: 1,
        externalIds: ['a', 'b'],
        failures: 2,
      };
      expect(await settle({ ...next, fence: next.fence - 1 })).toBe(false);
      expect(await settle(next)).toBe(true);
      expect(await claim()).toEqual([]);
      const found = await find(store);
      expect({ ...found, sealedSecret: [...(found?.sealedSecret ?? [])] }).toEqual({
        ...next,
        sealedSecret: [1, 2],
      });

      await wake(store, null);
      expect(await settle(next)).toBe(false);
      expect(await world.storeWebhooks.delete(next)).toBe(false);
      const [again] = await claim();
      expect(again).toMatchObject({ externalIds: ['a', 'b'], failures: 0 });
      if (!again) throw new Error('it is not due again');
      expect(await world.storeWebhooks.delete(again)).toBe(true);
      expect(await find(store)).toBeNull();
    });

    test('the webhook of an account that must be reconnected is not due', async () => {
      const store = await watchedStore();
      await wake(store, 'address');
      const set = (status: Connection['status']) =>
        world.connections.update(store.workspaceId, store.id, { status });
      await set('needs_reauth');
      expect(await claim()).toEqual([]);
      await set('active');
      expect(await claim()).toHaveLength(1);
    });

    test('a watched store without a webhook is missing one, if its connect method supports them', async () => {
      const [store, other] = [await watchedStore(), await watchedStore()];
      const methods = [`${store.platform} ${store.connectMethod}`];
      const missing = async (connectMethods: readonly string[], limit = 10) =>
        (await world.storeWebhooks.listMissing(connectMethods, limit))
          .map(({ connectionId }) => connectionId)
          .sort();
      expect(await missing(methods)).toEqual([store.id, other.id].sort());
      expect(await missing(methods, 1)).toHaveLength(1);
      expect(await missing([`${store.platform} another`])).toEqual([]);
      await wake(store, 'address');
      expect(await missing(methods)).toEqual([other.id]);
      await world.orderWatches.delete(other.workspaceId, other.id);
      expect(await missing(methods)).toEqual([]);
    });

    test('a delivery is new once for its connection, and never without a webhook', async () => {
      const [store, other] = [await watchedStore(), await watchedStore()];
      await wake(store, 'one');
      await wake(other, 'two');
      const long = 'x'.repeat(5000);
      for (const id of ['a', 'b', long]) expect(await record(store, id)).toBe(true);
      for (const id of ['a', 'b', long]) expect(await record(store, id)).toBe(false);
      expect(await record(other, 'a')).toBe(true);
      const [claimed] = await claim(1);
      await world.change(async (tx) => claimed && tx.storeWebhooks.delete(claimed));
      const gone = claimed?.connectionId === store.id ? store : other;
      expect(await record(gone, 'c')).toBe(false);
      await wake(gone, 'three');
      expect(await record(gone, 'a')).toBe(true);
    });

    test('disconnecting the account deletes its webhook', async () => {
      const store = await watchedStore();
      await wake(store, 'address');
      await record(store, 'a');
      await world.connections.delete(store.workspaceId, store.id);
      expect(await find(store)).toBeNull();
      expect(await world.storeWebhooks.findByAddress('address')).toBeNull();
      expect(await claim()).toEqual([]);
    });
  });
}

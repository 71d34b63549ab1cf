import { beforeAll, describe, expect, test } from '@jest/globals';
import type { Connection } from '../../src/connections/connection.js';
import type { Delivery } from '../../src/deliveries/delivery.js';
import type { DeliveryId } from '../../src/ids.js';
import type { Pause } from '../../src/pauses/pause.js';
import type { Tx } from '../../src/ports/index.js';
import type { Refund } from '../../src/refunds/refund.js';
import {
  createStorageWorld,
  type CreateStorage,
  type StorageWorld,
  useStorageWorld,
} from './storage-world.js';

const everything = { limit: 1000, perConnection: 1000, remaining: new Map() };

/** What is paused is not sent, and everything else is. */
export function pausesContract(make: CreateStorage): void {
  describe('Pauses', () => {
    const world = useStorageWorld(make);
    let pause: Pause;
    beforeAll(async () => {
      pause = { cause: 'requested', reason: 'Recall', by: 'system:operator', at: world.clock.now() };
    });

    const setPause = (change: (tx: Tx) => Promise<unknown>) =>
      world.change(async (tx) => {
        await tx.pauses.lock();
        await change(tx);
      });
    const pauseInstallation = (value: Pause | null) =>
      setPause((tx) => tx.pauses.updateInstallation({ pause: value }));
    const pauseConnection = ({ workspaceId, id }: Connection, value: Pause | null) =>
      setPause((tx) => tx.connections.update(workspaceId, id, { pause: value }));

    async function storedOn(connection: Connection, over: Partial<Delivery> = {}): Promise<Delivery> {
      const profile = [world.ours.profile, world.theirs.profile].find(
        ({ id }) => id === connection.profileId,
      );
      const scheduledAt = over.scheduledAt ?? world.clock.after(-1000);
      const post = world.build.post(profile ?? world.ours.profile, [connection], { scheduledAt }, over);
      await world.insert(post);
      const [delivery] = post.deliveries;
      if (!delivery) throw new Error('a post without a delivery');
      return delivery;
    }
    const anotherConnection = async () => {
      const connection = world.build.connection(world.ours.profile);
      await world.insert(connection);
      return connection;
    };
    const claimOne = async (id: DeliveryId) =>
      (await world.deliveries.claim('deliver', { id }, 30)).map(({ delivery }) => delivery.id);
    const due = async () => (await world.deliveries.listDue(1000)).map(({ id }) => id);
    const holdsOf = async ({ workspaceId, postId }: Delivery) =>
      (await world.posts.find(workspaceId, postId))?.holds;

    test('a paused connection is not claimed, by its id or among others, until it is resumed', async () => {
      const [held, free] = [await anotherConnection(), await anotherConnection()];
      const [one, other] = [await storedOn(held), await storedOn(free)];
      await pauseConnection(held, pause);
      expect(await world.connections.find(held.workspaceId, held.id)).toMatchObject({ pause });
      expect(await due()).not.toContain(one.id);
      expect(await claimOne(one.id)).toEqual([]);
      const claimed = await world.deliveries.claim('deliver', everything, 30);
      expect(claimed.map(({ delivery }) => delivery.id)).toEqual([other.id]);
      expect([await holdsOf(one), await holdsOf(other)]).toEqual([{ [held.id]: 'connection' }, {}]);
      await pauseConnection(held, null);
      expect(await due()).toContain(one.id);
      expect(await claimOne(one.id)).toEqual([one.id]);
      expect(await holdsOf(one)).toEqual({});
    });

    test('a paused profile holds its connections, and those of no other profile', async () => {
      const { ours, theirs } = world;
      const [held, free] = [await storedOn(ours.connection), await storedOn(theirs.connection)];
      const { workspaceId, id } = ours.profile;
      await setPause((tx) => tx.profiles.update(workspaceId, id, { pause }));
      expect(await world.profiles.find(workspaceId, id)).toMatchObject({ pause });
      const paused = { reach: null, isPaused: true } as const;
      expect(await world.profiles.list(workspaceId, paused, { limit: 9 })).toMatchObject({ items: [{ id }] });
      expect(await claimOne(held.id)).toEqual([]);
      expect(await claimOne(free.id)).toEqual([free.id]);
      expect(await holdsOf(held)).toEqual({ [ours.connection.id]: 'profile' });
      await pauseConnection(ours.connection, pause);
      expect(await world.pauses.countPaused()).toEqual({ installation: 0, profile: 1, connection: 1 });
      const views = await world.connections.list(workspaceId, paused, { limit: 9 });
      expect(views.items.map(({ connection }) => connection.id)).toEqual([ours.connection.id]);
      expect(await holdsOf(held)).toEqual({ [ours.connection.id]: 'profile' });
      await setPause((tx) => tx.profiles.update(workspaceId, id, { pause: null }));
      expect(await holdsOf(held)).toEqual({ [ours.connection.id]: 'connection' });
      await pauseConnection(ours.connection, null);
      expect(await claimOne(held.id)).toEqual([held.id]);
    });

    test('a paused installation holds everything but what is read back', async () => {
      const connection = await anotherConnection();
      const pending = await storedOn(connection);
      const lost = await storedOn(connection, { status: 'unknown' });
      expect(await world.pauses.findInstallation()).toMatchObject({ pause: null, publicUrl: null });
      await pauseInstallation(pause);
      await world.pauses.updateInstallation({ publicUrl: 'https://one.example' });
      expect(await world.pauses.findInstallation()).toEqual({
        pause,
        publicUrl: 'https://one.example',
        timeline: null,
        promotion: null,
      });
      expect(await due()).toEqual([lost.id]);
      expect(await world.deliveries.claim('deliver', everything, 30)).toEqual([]);
      const readBack = await world.deliveries.claim('read_back', everything, 30);
      expect(readBack.map(({ delivery }) => delivery.id)).toEqual([lost.id]);
      expect(await world.pauses.listHolds([connection.id, world.theirs.connection.id])).toEqual(
        new Map([
          [connection.id, 'installation'],
          [world.theirs.connection.id, 'installation'],
        ]),
      );
      await pauseInstallation(null);
      expect(await claimOne(pending.id)).toEqual([pending.id]);
    });

    test('a held refund is not listed, and is not sent by a process that has claimed it', async () => {
      const connection = await anotherConnection();
      const stored = async (over: Partial<Refund> = {}) => {
        const refund = world.build.refund(connection, { status: 'pending', sentAt: null, ...over });
        await world.insert(refund);
        return refund;
      };
      const unsent = await stored();
      const sent = await stored({ sentAt: world.clock.after(-1000), orderExternalId: 'another' });
      const listed = async () => (await world.refunds.listUnsettled(99)).map(({ id }) => id);
      const claimed = await world.refunds.claim(unsent.id, 0);
      await pauseConnection(connection, pause);
      expect(await listed()).toEqual([sent.id]);
      expect(await world.refunds.find(unsent.workspaceId, unsent.id)).toMatchObject({ heldBy: 'connection' });
      expect(await world.refunds.find(sent.workspaceId, sent.id)).toMatchObject({ heldBy: null });
      const epoch = (claimed?.epoch ?? 0) + 1;
      expect(await world.refunds.claim(unsent.id, 30)).toMatchObject({ epoch });
      const mark = (epochNow: number) => world.refunds.markSent(unsent.id, epochNow);
      expect(await mark(epoch)).toBe('held');
      expect(await mark(epoch - 1)).toBe('lost');
      expect(await world.refunds.find(unsent.workspaceId, unsent.id)).toMatchObject({ sentAt: null });
      await pauseConnection(connection, null);
      expect(await mark(epoch)).toBe('sent');
    });

    test('another timeline than the recorded one holds everything, until what waits is marked', async () => {
      const fresh = await createStorageWorld(await make());
      const { connection } = fresh.ours;
      const store = storeDelivery(fresh);
      const due = await store({});
      const later = fresh.clock.after(3_600_000);
      const waiting = [
        due,
        await store({ scheduledAt: later }),
        await store({ status: 'retrying', nextAttemptAt: later }),
        await store({ status: 'blocked' }),
        await store({ status: 'awaiting_approval' }),
        await store({ status: 'unknown', nextAttemptAt: later }),
      ];
      const ended = [
        await store({ status: 'published', publishedAt: fresh.clock.now() }),
        await store({ status: 'failed' }),
        await store({ status: 'cancelled' }),
      ];
      const unsent = fresh.build.refund(connection, { status: 'pending', sentAt: null });
      const sent = fresh.build.refund(connection, {
        status: 'unknown',
        sentAt: fresh.clock.after(-60_000),
        firstSentAt: fresh.clock.after(-60_000),
        orderExternalId: 'another',
      });
      await fresh.insert(unsent, sent);
      const { current: timeline } = await fresh.pauses.findTimelines();
      expect(timeline).toEqual(expect.any(String));

      await fresh.change((tx) => tx.pauses.updateInstallation({ timeline: 'lost' }));
      expect(await fresh.deliveries.listDue(99)).toEqual([]);
      expect(await fresh.change((tx) => tx.deliveries.claim('deliver', everything, 30))).toEqual([]);
      expect((await fresh.refunds.listUnsettled(99)).map(({ id }) => id)).toEqual([sent.id]);
      const claimed = await fresh.change((tx) => tx.refunds.claim(unsent.id, 30));
      const mark = () => fresh.change((tx) => tx.refunds.markSent(unsent.id, claimed?.epoch ?? 0));
      expect(await mark()).toBe('held');

      const promotion = { at: fresh.clock.now(), deliveries: waiting.length, refunds: 2 };
      await fresh.change(async (tx) => {
        expect(await tx.pauses.lockTimeline()).toBe(true);
        expect(await tx.pauses.doubtWaiting()).toEqual({ deliveries: waiting.length, refunds: 2 });
        await tx.pauses.updateInstallation({ timeline, promotion });
      });
      expect(await fresh.pauses.findInstallation()).toMatchObject({ timeline, promotion });
      const deliveryOf = ({ workspaceId, id }: Delivery) => fresh.deliveries.find(workspaceId, id);
      for (const one of waiting)
        expect(await deliveryOf(one)).toEqual({
          ...one,
          restoredAt: expect.any(Date),
          epoch: one.epoch + 1000,
        });
      for (const one of ended) expect(await deliveryOf(one)).toEqual(one);
      // The process that claimed the refund before the promotion was recorded would not read it back.
      expect(await mark()).toBe('lost');
      for (const { workspaceId, id } of [unsent, sent])
        expect(await fresh.refunds.find(workspaceId, id)).toMatchObject({
          sentAt: expect.any(Date),
          firstSentAt: id === sent.id ? sent.firstSentAt : expect.any(Date),
        });
      expect(await fresh.change((tx) => tx.deliveries.claim('deliver', { id: due.id }, 30))).toEqual([]);
      expect(await fresh.change((tx) => tx.deliveries.claim('read_back', { id: due.id }, 30))).toHaveLength(
        1,
      );
    });

    test('what is overdue becomes doubtful, and nothing else', async () => {
      const fresh = await createStorageWorld(await make());
      const store = storeDelivery(fresh);
      const overdue = [
        await store({}),
        await store({ status: 'retrying', nextAttemptAt: fresh.clock.after(-10) }),
        await store({ status: 'blocked' }),
      ];
      const later = fresh.clock.after(3_600_000);
      await store({ scheduledAt: later });
      await store({ status: 'retrying', nextAttemptAt: later });
      await store({ status: 'published', publishedAt: fresh.clock.now() });
      const refund = fresh.build.refund(fresh.ours.connection, { status: 'pending', sentAt: null });
      await fresh.insert(refund);
      const doubted = await fresh.change((tx) => tx.pauses.doubtOverdue(2));
      const rest = await fresh.change((tx) => tx.pauses.doubtOverdue(9));
      expect([...doubted, ...rest].map(({ id }) => id).sort()).toEqual(overdue.map(({ id }) => id).sort());
      expect([doubted.length, ...doubted.map(({ status }) => status)]).toEqual([2, 'unknown', 'unknown']);
      expect(await fresh.change((tx) => tx.pauses.doubtOverdue(9))).toEqual([]);
      expect(await fresh.change((tx) => tx.pauses.doubtRefunds())).toBe(1);
      expect(await fresh.change((tx) => tx.pauses.doubtRefunds())).toBe(0);
      expect((await fresh.refunds.find(refund.workspaceId, refund.id))?.sentAt).not.toBeNull();
    });
  });
}

/** Stores a post with one delivery that is due unless it states otherwise. */
const storeDelivery =
  (world: StorageWorld) =>
  async (over: Partial<Delivery>): Promise<Delivery> => {
    const { profile, connection } = world.ours;
    const scheduledAt = over.scheduledAt ?? world.clock.after(-1000);
    const post = world.build.post(profile, [connection], { scheduledAt }, over);
    await world.insert(post);
    return post.deliveries[0] as Delivery;
  };

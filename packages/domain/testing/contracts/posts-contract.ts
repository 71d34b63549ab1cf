import { describe, expect, test } from '@jest/globals';
import type { Connection } from '../../src/connections/connection.js';
import { publicDeliveryStatuses, type Delivery, type DeliveryStatus } from '../../src/deliveries/delivery.js';
import type { DeliveryId } from '../../src/ids.js';
import type { ClaimedDelivery, PostFilter, ClaimCapacity, ClaimPurpose } from '../../src/ports/index.js';
import { postStatus } from '../../src/posts/post-status.js';
import type { PostStatus } from '../../src/posts/post.js';
import { readAll } from './records-contract.js';
import { type CreateStorage, useStorageWorld } from './storage-world.js';

const statuses: readonly DeliveryStatus[] = ['awaiting_approval', ...publicDeliveryStatuses];
const HOUR_MS = 3_600_000;

export function postsContract(make: CreateStorage): void {
  describe('Posts', () => {
    const world = useStorageWorld(make);

    /** A stored post with one delivery, on a connection of its own so that tests do not interfere. */
    async function stored(over: Partial<Delivery> = {}): Promise<Delivery> {
      const connection = world.build.connection(world.ours.profile);
      const scheduledAt = over.scheduledAt ?? world.clock.after(-1000);
      const post = world.build.post(world.ours.profile, [connection], { scheduledAt }, over);
      await world.insert(connection, post);
      const [delivery] = post.deliveries;
      if (!delivery) throw new Error('a post without a delivery');
      return delivery;
    }
    const read = ({ workspaceId, id }: Delivery) => world.deliveries.find(workspaceId, id);
    const claimOne = async (purpose: ClaimPurpose, id: DeliveryId, leaseSeconds: number) => {
      const [claimed] = await world.deliveries.claim(purpose, { id }, leaseSeconds);
      return claimed?.delivery ?? null;
    };
    const claim = (id: DeliveryId, leaseSeconds = 30) => claimOne('deliver', id, leaseSeconds);
    const claimReadBack = (id: DeliveryId, leaseSeconds = 30) => claimOne('read_back', id, leaseSeconds);
    const claimDue = (purpose: ClaimPurpose, over: Partial<ClaimCapacity> = {}) => {
      const capacity = { limit: 1000, perConnection: 1000, remaining: new Map(), ...over };
      return world.deliveries.claim(purpose, capacity, 30);
    };
    const settle = async (id: DeliveryId, epoch: number, changes: Partial<Delivery>) =>
      (await world.deliveries.settle([{ id, epoch, changes }])).has(id);
    const isDue = async ({ id }: Delivery) =>
      (await world.deliveries.listDue(1000)).some((due) => due.id === id);

    test('exactly one of twenty concurrent claims gets a due delivery', async () => {
      const delivery = await stored();
      const claims = await Promise.all(Array.from({ length: 20 }, () => claim(delivery.id)));
      const got = claims.filter((claimed) => claimed !== null);
      expect(got).toEqual([{ ...delivery, status: 'sending', attempts: 1, epoch: 1 }]);
    });

    test('nothing is claimed before its time', async () => {
      const later = world.clock.after(HOUR_MS);
      const scheduled = await stored({ scheduledAt: later });
      const retrying = await stored({ status: 'retrying', nextAttemptAt: later });
      for (const delivery of [scheduled, retrying]) {
        expect(await isDue(delivery)).toBe(false);
        expect(await claim(delivery.id)).toBeNull();
      }
    });

    test('a retry is claimed when it is due', async () => {
      const delivery = await stored({
        status: 'retrying',
        attempts: 1,
        nextAttemptAt: world.clock.after(-10),
      });
      expect(await isDue(delivery)).toBe(true);
      expect(await claim(delivery.id)).toMatchObject({ status: 'sending', attempts: 2 });
    });

    test('the time until the next delivery is due is that of the earliest later one within the period', async () => {
      const deliveries = [
        await stored(),
        await stored({ scheduledAt: world.clock.after(50_000) }),
        await stored({ status: 'retrying', nextAttemptAt: world.clock.after(40_000) }),
        await stored({ status: 'cancelled', scheduledAt: world.clock.after(30_000) }),
        await stored({ status: 'unknown', nextAttemptAt: world.clock.after(30_000) }),
      ];
      const inMs = await world.deliveries.findNextDueInMs(60_000);
      expect(Number.isInteger(inMs)).toBe(true);
      expect(inMs).toBeGreaterThan(20_000);
      expect(inMs).toBeLessThanOrEqual(40_000);
      expect(await world.deliveries.findNextDueInMs(10_000)).toBeNull();
      // Other tests claim everything that is due.
      for (const { id, epoch } of deliveries) await settle(id, epoch, { status: 'cancelled' });
      expect(await world.deliveries.findNextDueInMs(60_000)).toBeNull();
    });

    test('the backlog is what is due and not claimed, and the time since the oldest of it was due', async () => {
      const before = await world.deliveries.measureBacklog(1000);
      const old = await stored({ scheduledAt: world.clock.after(-90_000) });
      const others = [
        await stored({ status: 'retrying', nextAttemptAt: world.clock.after(-10_000) }),
        await stored({ scheduledAt: world.clock.after(HOUR_MS) }),
        await stored({ status: 'unknown', nextAttemptAt: world.clock.after(-200_000) }),
      ];
      const backlog = await world.deliveries.measureBacklog(1000);
      expect(backlog.due).toBe(before.due + 2);
      expect(backlog.oldestSeconds).toBeGreaterThanOrEqual(90);
      expect((await world.deliveries.measureBacklog(1)).due).toBe(1);
      await claim(old.id);
      expect((await world.deliveries.measureBacklog(1000)).due).toBe(before.due + 1);
      for (const { id, epoch } of others) await settle(id, epoch, { status: 'cancelled' });
      expect(await world.deliveries.measureBacklog(1000)).toMatchObject({ due: before.due });
    });

    test('a delivery being sent is never sent again, but read back when its lease has ended', async () => {
      const delivery = await stored();
      await claim(delivery.id, 1);
      expect(await claimReadBack(delivery.id)).toBeNull();
      await world.clock.sleep(1100);
      expect(await isDue(delivery)).toBe(true);
      expect(await claim(delivery.id)).toBeNull();
      expect(await claimReadBack(delivery.id)).toMatchObject({ status: 'unknown', attempts: 1, epoch: 2 });
      expect(await claimReadBack(delivery.id)).toBeNull();
      expect(await isDue(delivery)).toBe(false);
    });

    test('an extended lease is held longer, until it is settled or another process has taken over', async () => {
      const extend = ({ id }: Delivery, epoch: number) => world.deliveries.extendLease(id, epoch, 30);
      const [delivery, other, unclaimed] = [await stored(), await stored(), await stored()];
      await claim(delivery.id, 1);
      expect(await extend(delivery, 1)).toBe(true);
      await claim(other.id, 1);
      await world.clock.sleep(1100);
      expect([await claimReadBack(delivery.id), await isDue(delivery)]).toEqual([null, false]);
      expect(await claimReadBack(other.id)).toMatchObject({ epoch: 2 });
      expect(await extend(other, 1)).toBe(false);
      expect(await extend(unclaimed, 0)).toBe(false);
      await settle(delivery.id, 1, { status: 'retrying', nextAttemptAt: world.clock.after(-10) });
      expect(await extend(delivery, 1)).toBe(false);
      expect(await isDue(delivery)).toBe(true);
    });

    test('an unknown outcome is read back when it is due, or at once on request', async () => {
      const delivery = await stored({
        status: 'unknown',
        epoch: 1,
        nextAttemptAt: world.clock.after(HOUR_MS),
      });
      expect(await isDue(delivery)).toBe(false);
      expect(await claimReadBack(delivery.id)).toMatchObject({ status: 'unknown', epoch: 2 });
      expect(await settle(delivery.id, 2, { nextAttemptAt: world.clock.after(-10) })).toBe(true);
      expect(await isDue(delivery)).toBe(true);
    });

    test('a blocked delivery is due after its not_after, to be missed', async () => {
      const waiting = await stored({ status: 'blocked' });
      const late = await stored({ status: 'blocked', notAfter: world.clock.after(-10) });
      expect([await isDue(waiting), await isDue(late)]).toEqual([false, true]);
      expect(await claim(waiting.id)).toBeNull();
      expect(await claim(late.id)).toMatchObject({ status: 'sending', epoch: 1 });
    });

    test('a delivery of a backup is read back when it is due, and sent after that', async () => {
      const restoredAt = world.clock.after(-60_000);
      const [due, waiting] = [
        await stored({ restoredAt }),
        await stored({ restoredAt, scheduledAt: world.clock.after(HOUR_MS) }),
      ];
      expect([await isDue(due), await isDue(waiting)]).toEqual([true, false]);
      expect(await claim(due.id)).toBeNull();
      expect(await claimReadBack(waiting.id)).toBeNull();
      expect(await claimReadBack(due.id)).toMatchObject({
        status: 'unknown',
        epoch: 1,
        attempts: 0,
        restoredAt,
      });
      await settle(due.id, 1, { status: 'retrying', nextAttemptAt: world.clock.after(-1), restoredAt: null });
      expect(await claimReadBack(due.id)).toBeNull();
      expect(await claim(due.id)).toMatchObject({ status: 'sending', epoch: 2, restoredAt: null });
    });

    test('a stale epoch writes nothing', async () => {
      const delivery = await stored();
      await claim(delivery.id, 0.02);
      await world.clock.sleep(40);
      await claimReadBack(delivery.id);
      const publishedAt = world.clock.now();
      const published = { status: 'published', externalId: 'remote-1', publishedAt } as const;
      expect(await settle(delivery.id, 1, { status: 'failed', externalId: 'stale' })).toBe(false);
      expect(await read(delivery)).toMatchObject({ status: 'unknown', externalId: null });
      expect(await settle(delivery.id, 2, published)).toBe(true);
      expect(await read(delivery)).toMatchObject(published);
    });

    test('settling stores parts and error, can clear them, and increments the version of the post', async () => {
      const delivery = await stored();
      await claim(delivery.id);
      const error = {
        code: 'platform.unavailable',
        message: 'Later.',
        platform: { name: 'Sandbox', message: 'busy', code: '503' },
      } as const;
      const parts = [
        world.build.part({ status: 'published', externalId: 'r', receipt: { cid: 'c' } }),
        world.build.part({ index: 1, kind: 'thread', text: 'And more' }),
      ];
      expect(
        await settle(delivery.id, 1, {
          status: 'retrying',
          error,
          parts,
          nextAttemptAt: world.clock.after(-1),
        }),
      ).toBe(true);
      expect(await read(delivery)).toMatchObject({ status: 'retrying', error, parts });
      await claim(delivery.id);
      await settle(delivery.id, 2, { status: 'published', error: null });
      expect(await read(delivery)).toMatchObject({ status: 'published', error: null, parts });
      expect(await world.posts.find(delivery.workspaceId, delivery.postId)).toMatchObject({ version: 3 });
    });

    test('progress is written by the holder of the claim, and keeps its lease', async () => {
      const delivery = await stored();
      await claim(delivery.id);
      const parts = [world.build.part({ status: 'published', externalId: 'r', receipt: { cid: 'c' } })];
      const publishedAt = world.clock.after(-1000);
      const progress = { parts, externalId: 'r', url: 'https://social.example/r', publishedAt };
      const record = (epoch: number) => world.deliveries.recordParts(delivery.id, epoch, progress);
      expect(await record(2)).toBe(false);
      expect(await read(delivery)).toMatchObject({ parts: [{ status: 'pending' }], publishedAt: null });
      expect(await record(1)).toBe(true);
      expect(await read(delivery)).toMatchObject({ status: 'sending', epoch: 1, ...progress });
      expect(await claim(delivery.id)).toBeNull();
      expect(await claimReadBack(delivery.id)).toBeNull();
    });

    test('concurrent settlements are each written, and none under a stale epoch', async () => {
      const [first, second, stale] = [await stored(), await stored(), await stored()];
      for (const { id } of [first, second, stale]) await claim(id);
      const publishedAt = world.clock.now();
      const error = { code: 'platform.refused', message: 'No: \u0000 “quoted”.' } as const;
      const written = await world.deliveries.settle([
        {
          id: first.id,
          epoch: 1,
          changes: { status: 'published', url: 'https://social.example/1', publishedAt },
        },
        { id: second.id, epoch: 1, changes: { status: 'failed', error, nextAttemptAt: null } },
        { id: stale.id, epoch: 0, changes: { status: 'failed' } },
      ]);
      expect([...written].sort()).toEqual([first.id, second.id].sort());
      expect(await read(first)).toMatchObject({
        status: 'published',
        url: 'https://social.example/1',
        publishedAt,
      });
      expect(await read(second)).toMatchObject({ status: 'failed', url: null, publishedAt: null });
      expect(await read(stale)).toMatchObject({ status: 'sending', epoch: 1 });
      expect(await world.deliveries.settle([])).toEqual(new Set());
    });

    test('due deliveries are claimed in batches, oldest first, with the profile of their post', async () => {
      await claimDue('deliver');
      const at = (ms: number) => ({ scheduledAt: world.clock.after(ms) });
      const late = await stored(at(-5000));
      const latest = await stored(at(-9000));
      const soon = await stored(at(HOUR_MS));
      const { profile } = world.ours;
      const expected = (delivery: Delivery) => ({
        profileId: profile.id,
        needsApproval: false,
        traceparent: null,
        delivery: { ...delivery, status: 'sending', attempts: 1, epoch: 1 },
      });
      expect(await claimDue('deliver', { limit: 1 })).toEqual([expected(latest)]);
      expect(await claimDue('deliver')).toEqual([expected(late)]);
      expect(await claimDue('deliver')).toEqual([]);
      expect(await read(soon)).toMatchObject({ status: 'pending' });
    });

    test('no more than the capacity is claimed per connection, and later deliveries of other connections are claimed too', async () => {
      await claimDue('deliver');
      const connections = [
        world.build.connection(world.ours.profile),
        world.build.connection(world.ours.profile),
      ];
      const [busy, idle] = connections as [Connection, Connection];
      const posts = [busy, busy, busy, idle].map((connection, index) =>
        world.build.post(world.ours.profile, [connection], { scheduledAt: world.clock.after(-9000 + index) }),
      );
      await world.insert(...connections, ...posts);
      const from = async (inProgress: number) =>
        (
          await claimDue('deliver', { perConnection: 2, remaining: new Map([[busy.id, 2 - inProgress]]) })
        ).map(({ delivery }) => posts.findIndex(({ id }) => id === delivery.postId));
      expect(await from(1)).toEqual([0, 3]);
      expect(await from(2)).toEqual([]);
      expect(await from(0)).toEqual([1, 2]);
    });

    test('read-backs are claimed separately from deliveries', async () => {
      await claimDue('read_back');
      await claimDue('deliver');
      const unknown = await stored({ status: 'unknown', epoch: 1, nextAttemptAt: world.clock.after(-10) });
      await stored({ status: 'unknown', epoch: 1, nextAttemptAt: world.clock.after(HOUR_MS) });
      const pending = await stored();
      const ids = (claimed: readonly ClaimedDelivery[]) =>
        claimed.map(({ delivery: { id, status } }) => [id, status]);
      expect(ids(await claimDue('read_back'))).toEqual([[unknown.id, 'unknown']]);
      expect(ids(await claimDue('deliver'))).toEqual([[pending.id, 'sending']]);
    });

    test('of many concurrent claims each delivery has one', async () => {
      await claimDue('deliver');
      const due: Delivery[] = [];
      for (let index = 0; index < 30; index += 1) due.push(await stored());
      const got = await Promise.all(Array.from({ length: 12 }, () => claimDue('deliver', { limit: 7 })));
      const rest = await claimDue('deliver');
      const claimed = [...got.flat(), ...rest].map(({ delivery }) => delivery.id);
      expect(claimed.sort()).toEqual(due.map(({ id }) => id).sort());
    });

    describe('a delivery without a public id', () => {
      const claimUnresolvedUrls = (limit = 1000, afterSeconds: readonly number[] = [60, 3600]) =>
        world.deliveries.claimUnresolvedUrls(limit, afterSeconds);
      const unlocated = (over: Partial<Delivery> = {}) =>
        stored({
          status: 'published',
          publishedAt: world.clock.after(-120_000),
          resolveUrlAt: world.clock.after(-10),
          ...over,
        });

      test('is claimed when it is due, and again at each further time, until none is left', async () => {
        const first = await unlocated();
        await unlocated({ resolveUrlAt: world.clock.after(HOUR_MS) });
        await unlocated({ resolveUrlAt: null });
        const next = new Date((first.publishedAt?.getTime() ?? 0) + 3_600_000);
        expect(await claimUnresolvedUrls()).toEqual([{ ...first, resolveUrlAt: next }]);
        expect(await claimUnresolvedUrls()).toEqual([]);
        expect(await read(first)).toEqual({ ...first, resolveUrlAt: next });

        const last = await unlocated({ publishedAt: world.clock.after(-2 * HOUR_MS) });
        expect(await claimUnresolvedUrls()).toEqual([{ ...last, resolveUrlAt: null }]);
        expect(await claimUnresolvedUrls()).toEqual([]);
      });

      test('is skipped when it was unpublished meanwhile, and its post is unchanged', async () => {
        const gone = await unlocated();
        await settle(gone.id, 0, { status: 'deleted' });
        const taken = await unlocated();
        const before = await world.posts.find(taken.workspaceId, taken.postId);
        expect((await claimUnresolvedUrls()).map(({ id }) => id)).toEqual([taken.id]);
        const after = await world.posts.find(taken.workspaceId, taken.postId);
        expect([after?.version, after?.updatedAt]).toEqual([before?.version, before?.updatedAt]);
      });

      test('is claimed by one of many concurrent processes, up to the requested number', async () => {
        const due: Delivery[] = [];
        for (let index = 0; index < 12; index += 1) due.push(await unlocated());
        const got = await Promise.all(Array.from({ length: 6 }, () => claimUnresolvedUrls(3)));
        expect(Math.max(...got.map(({ length }) => length))).toBe(3);
        const claimed = [...got.flat(), ...(await claimUnresolvedUrls())].map(({ id }) => id);
        expect(claimed.sort()).toEqual(due.map(({ id }) => id).sort());
      });

      test('is no longer claimed when it is resolved', async () => {
        const found = await unlocated();
        await settle(found.id, 0, { url: 'https://social.example/1', resolveUrlAt: null });
        expect(await claimUnresolvedUrls()).toEqual([]);
        expect(await read(found)).toMatchObject({ url: 'https://social.example/1', resolveUrlAt: null });
      });
    });

    describe('an edit of a published delivery', () => {
      const claimEdits = (limit = 1000) => world.deliveries.claimEdits(limit, 12);
      const editing = (over: Partial<Delivery> = {}) =>
        stored({
          status: 'published',
          publishedAt: world.clock.after(-120_000),
          nextAttemptAt: world.clock.after(-10),
          edit: {
            parts: [{ index: 0, title: null, text: 'After', link: null }],
            contentDigest: 'after',
            requestedBy: 'key_1',
            requestedAt: world.clock.now().toISOString(),
            attempts: 0,
          },
          ...over,
        });

      test('is claimed when it is due, under a lease and a new epoch, by one worker', async () => {
        const due = await editing();
        await editing({ nextAttemptAt: world.clock.after(HOUR_MS) });
        await editing({ edit: null });
        await editing({ status: 'deleted' });
        const got = await Promise.all(Array.from({ length: 4 }, () => claimEdits()));
        expect(got.flat().map(({ delivery }) => delivery)).toEqual([{ ...due, epoch: 1 }]);
        expect(await world.deliveries.extendLease(due.id, 1, 12)).toBe(true);
        expect(await claimEdits()).toEqual([]);
      });

      test('is stored with its progress, and ends with the new content', async () => {
        const due = await editing();
        await claimEdits();
        const { parts, externalId, url, publishedAt, edit } = due;
        if (!edit) throw new Error('a delivery has no edit');
        const sentAt = world.clock.now().toISOString();
        const begun = { ...edit, parts: edit.parts.map((part) => ({ ...part, sentAt })) };
        const progress = { parts, externalId, url, publishedAt, edit: begun };
        expect(await world.deliveries.recordParts(due.id, 0, progress)).toBe(false);
        expect(await world.deliveries.recordParts(due.id, 1, progress)).toBe(true);
        expect(await read(due)).toMatchObject({ edit: begun });
        await settle(due.id, 1, { edit: null, nextAttemptAt: null, contentDigest: 'after' });
        expect(await read(due)).toMatchObject({ edit: null, nextAttemptAt: null, contentDigest: 'after' });
        expect(await claimEdits()).toEqual([]);
      });

      test('is held by a pause of its connection', async () => {
        const held = await editing();
        const pause = { cause: 'requested', reason: null, by: 'key', at: world.clock.now() } as const;
        const change = (paused: typeof pause | null) =>
          world.connections.update(held.workspaceId, held.connectionId, { pause: paused });
        await change(pause);
        expect(await claimEdits()).toEqual([]);
        const post = await world.posts.find(held.workspaceId, held.postId);
        expect(post?.holds).toEqual({ [held.connectionId]: 'connection' });
        await change(null);
        expect((await claimEdits()).map(({ delivery }) => delivery.id)).toEqual([held.id]);
      });
    });

    test('cancelling does not affect started deliveries', async () => {
      const { workspaceId } = world.ours.profile;
      const connections = statuses.map(() => world.build.connection(world.ours.profile));
      const post = world.build.post(world.ours.profile, connections);
      const deliveries = post.deliveries.map((delivery, at) => ({
        ...delivery,
        status: statuses[at] ?? 'pending',
      }));
      const begun = world.build.part({ status: 'published', externalId: 'r' });
      const thread = world.build.connection(world.ours.profile);
      const half = world.build.delivery(thread, { postId: post.id, status: 'retrying', parts: [begun] });
      await world.insert(...connections, thread, { ...post, deliveries: [...deliveries, half] });
      const ids = [...deliveries, half].map(({ id }) => id);
      const cancel = (...which: DeliveryId[]) => world.deliveries.cancelUnsent(workspaceId, post.id, which);
      const waiting = deliveries
        .filter(({ status }) => ['awaiting_approval', 'pending', 'retrying', 'blocked'].includes(status))
        .map(({ id }) => id);
      const [first, ...others] = waiting;
      expect(first && (await cancel(first))).toEqual([first]);
      expect([...(await cancel(...ids))].sort()).toEqual(others.sort());
      const after = await world.posts.find(workspaceId, post.id);
      const expected = statuses.map((status) =>
        ['awaiting_approval', 'pending', 'retrying', 'blocked'].includes(status) ? 'cancelled' : status,
      );
      expect(after?.deliveries.map(({ status }) => status)).toEqual([...expected, 'retrying']);
      expect(after?.version).toBe(3);
      expect(await cancel(...ids)).toEqual([]);
    });

    test('blocked deliveries of a connection are released, and its unsent ones are counted', async () => {
      const blocked = await stored({ status: 'blocked' });
      const { workspaceId, connectionId } = blocked;
      const listed = await world.connections.list(
        workspaceId,
        { reach: null, ids: [connectionId] },
        { limit: 1 },
      );
      expect(listed.items).toMatchObject([{ scheduledPosts: 1, nextPostAt: blocked.scheduledAt }]);
      const unsent = (limit: number, of = workspaceId) =>
        world.deliveries.listUnsentOf(of, connectionId, limit);
      expect(await unsent(5)).toEqual({ count: 1, ids: [blocked.postId] });
      expect(await unsent(5, world.theirs.workspace.id)).toEqual({ count: 0, ids: [] });
      const freed = await world.deliveries.unblock(workspaceId, connectionId);
      expect(freed).toEqual([{ ...blocked, status: 'pending' }]);
      expect(await world.deliveries.cancelUnsentOf(workspaceId, connectionId)).toEqual([
        { ...blocked, status: 'cancelled' },
      ]);
      expect(await unsent(5)).toEqual({ count: 0, ids: [] });
      expect(await read(blocked)).toMatchObject({ status: 'cancelled' });
    });

    test('a live delivery of the same content within a day is a duplicate, another is not', async () => {
      const delivery = await stored();
      const { workspaceId, connectionId, contentDigest, scheduledAt, postId } = delivery;
      const findDuplicate = (digest: string, around: Date) =>
        world.change((tx) => tx.posts.findDuplicate(workspaceId, connectionId, digest, around));
      const off = (ms: number) => new Date(scheduledAt.getTime() + ms);
      expect(await findDuplicate(contentDigest, off(23 * HOUR_MS))).toBe(postId);
      expect(await findDuplicate(contentDigest, off(-23 * HOUR_MS))).toBe(postId);
      expect(await findDuplicate(contentDigest, off(25 * HOUR_MS))).toBeNull();
      expect(await findDuplicate('other content', scheduledAt)).toBeNull();
      await world.deliveries.cancelUnsent(workspaceId, postId, [delivery.id]);
      expect(await findDuplicate(contentDigest, scheduledAt)).toBeNull();
    });

    test('content that was removed at its platform is no duplicate', async () => {
      const delivery = await stored();
      const { workspaceId, connectionId, contentDigest, scheduledAt, id, epoch } = delivery;
      const [part] = delivery.parts;
      if (!part) throw new Error('a delivery without parts');
      const removedAt = '2026-11-21T12:00:00.000Z';
      const changes = { status: 'published', parts: [{ ...part, status: 'published', removedAt }] } as const;
      await world.deliveries.settle([{ id, epoch, changes }]);
      expect(await read(delivery)).toMatchObject({ parts: [{ removedAt }] });
      expect(
        await world.change((tx) =>
          tx.posts.findDuplicate(workspaceId, connectionId, contentDigest, scheduledAt),
        ),
      ).toBeNull();
    });

    test('of twenty concurrent posts of the same content, the guard accepts one', async () => {
      const connection = world.build.connection(world.ours.profile);
      await world.insert(connection);
      const create = () =>
        world.change(async (tx) => {
          const post = world.build.post(world.ours.profile, [connection], {}, { contentDigest: 'the same' });
          await tx.posts.lockContent(connection.id, 'the same');
          const { workspaceId, scheduledAt } = post;
          if (await tx.posts.findDuplicate(workspaceId, connection.id, 'the same', scheduledAt)) return false;
          await tx.posts.insert(post);
          return true;
        });
      const created = await Promise.all(Array.from({ length: 20 }, create));
      expect(created.filter(Boolean)).toHaveLength(1);
    });

    test('the history of a post is in order', async () => {
      const delivery = await stored();
      const entries = ['attempt', 'read_back', 'decision'].map((kind) => ({
        id: world.ids.next('att'),
        deliveryId: delivery.id,
        workspaceId: delivery.workspaceId,
        epoch: 1,
        kind: kind as 'attempt' | 'read_back' | 'decision',
        outcome: 'said',
        error:
          kind === 'attempt' ? ({ code: 'platform.outcome_unknown', message: 'Perhaps.' } as const) : null,
        actor: kind === 'decision' ? 'key_1' : null,
        note: kind === 'decision' ? 'Seen there.' : null,
        at: world.clock.now(),
      }));
      for (const entry of entries) await world.deliveries.insertAttempts(entry);
      expect(await world.deliveries.listHistory(delivery.workspaceId, delivery.postId)).toEqual(entries);
    });

    test('the status filter matches the reported status', async () => {
      const workspace = world.build.workspace();
      const profile = world.build.profile(workspace);
      const later = world.clock.after(HOUR_MS);
      const mixes: Pick<Delivery, 'status' | 'scheduledAt'>[][] = [
        [],
        ...statuses.flatMap((first) =>
          statuses.map((second) =>
            [first, second].map((status) => ({ status, scheduledAt: world.clock.after(-1000) })),
          ),
        ),
        ...statuses.map((status) => [
          { status, scheduledAt: later },
          { status: 'pending' as const, scheduledAt: later },
        ]),
      ];
      const connections = [world.build.connection(profile), world.build.connection(profile)] as const;
      const expected = new Map<PostStatus, string[]>();
      await world.change(async (tx) => {
        await tx.workspaces.insert(workspace);
        await tx.profiles.insert(profile);
        for (const each of connections) await tx.connections.insert(each);
        for (const mix of mixes) {
          const id = world.ids.next('pst');
          const deliveries = mix.map((over, at) =>
            world.build.delivery(connections[at] ?? connections[0], { postId: id, ...over }),
          );
          await tx.posts.insert(world.build.post(profile, [], { id, deliveries }));
          const status = postStatus(deliveries, world.clock.now());
          expected.set(status, [id, ...(expected.get(status) ?? [])]);
        }
      });
      const filter: PostFilter = { reach: null, sort: '-created_at' };
      for (const [status, ids] of expected) {
        const found = await readAll(7, (page) =>
          world.posts.list(workspace.id, { ...filter, statuses: [status] }, page),
        );
        expect({ status, ids: found.map(({ id }) => id) }).toEqual({ status, ids });
      }
      const some: PostStatus[] = ['published', 'failed'];
      const both = await readAll(5, (page) =>
        world.posts.list(workspace.id, { ...filter, statuses: some }, page),
      );
      expect(both).toHaveLength(some.flatMap((status) => expected.get(status) ?? []).length);
    });

    test('pages contain every post once in either order, also with equal times', async () => {
      const workspace = world.build.workspace();
      const profile = world.build.profile(workspace);
      const connection = world.build.connection(profile);
      const times = [3, 1, 2, 1, 1, 3, 2].map((hour) => new Date(`2026-05-01T0${hour}:00:00Z`));
      const posts = times.map((scheduledAt) => world.build.post(profile, [connection], { scheduledAt }));
      await world.insert(workspace, profile, connection, ...posts);
      const byTime = [...posts].sort(
        (a, b) => a.scheduledAt.getTime() - b.scheduledAt.getTime() || (a.id < b.id ? -1 : 1),
      );
      for (const limit of [1, 2, 3, 7, 50]) {
        const list = (sort: PostFilter['sort']) =>
          readAll(limit, (page) => world.posts.list(workspace.id, { reach: null, sort }, page));
        expect(await list('-created_at')).toEqual([...posts].reverse());
        expect(await list('scheduled_at')).toEqual(byTime);
      }
    });

    test('a list is filtered by profile, target, times and the caller’s own id together', async () => {
      const workspace = world.build.workspace();
      const [mine, other] = [world.build.profile(workspace), world.build.profile(workspace)];
      const [bluesky, sandbox] = [
        world.build.connection(mine, { platform: 'bluesky' }),
        world.build.connection(mine),
      ];
      const at = (hour: number) => new Date(`2026-05-01T0${hour}:00:00Z`);
      const published = { status: 'published', publishedAt: at(3) } as const;
      const wanted = world.build.post(mine, [bluesky], { scheduledAt: at(2), externalId: 'x' }, published);
      const decoys = [
        world.build.post(mine, [sandbox], { scheduledAt: at(2), externalId: 'x' }, published),
        world.build.post(mine, [bluesky], { scheduledAt: at(4), externalId: 'x' }, published),
        world.build.post(mine, [bluesky], { scheduledAt: at(2) }, published),
        world.build.post(mine, [bluesky], { scheduledAt: at(2), externalId: 'x' }),
        world.build.post(other, [bluesky], { scheduledAt: at(2), externalId: 'x' }, published),
      ];
      await world.insert(workspace, mine, other, bluesky, sandbox, wanted, ...decoys);
      const filter: PostFilter = {
        reach: [mine.id],
        profileId: mine.id,
        connectionId: bluesky.id,
        platforms: ['bluesky'],
        scheduledAfter: at(2),
        scheduledBefore: at(4),
        publishedAfter: at(3),
        publishedBefore: at(4),
        externalId: 'x',
        statuses: ['published'],
        sort: 'scheduled_at',
      };
      const list = (over: Partial<PostFilter> = {}) =>
        readAll(3, (page) => world.posts.list(workspace.id, { ...filter, ...over }, page));
      expect(await list()).toEqual([wanted]);
      expect(await list({ publishedBefore: at(3) })).toEqual([]);
      expect(await list({ reach: [other.id] })).toEqual([]);
    });

    test('a list by time finds a target with a time of its own, and only on its account (finding 41)', async () => {
      const workspace = world.build.workspace();
      const profile = world.build.profile(workspace);
      const [early, late] = [world.build.connection(profile), world.build.connection(profile)];
      const at = (hour: number) => new Date(`2026-05-01T0${hour}:00:00Z`);
      const whole = world.build.post(profile, [early, late], { scheduledAt: at(1) });
      const ownTime = { connectionId: late.id, scheduledAt: at(5).toISOString() };
      const targets = [{ connectionId: early.id }, ownTime];
      const post = {
        ...whole,
        requested: { ...whole.requested, targets },
        deliveries: whole.deliveries.map((one, index) =>
          index === 1 ? { ...one, scheduledAt: at(5) } : one,
        ),
      };
      const single = world.build.post(profile, [early], { scheduledAt: at(5) });
      const draft = world.build.post(profile, [], { draft: true, scheduledAt: at(5) });
      await world.insert(workspace, profile, early, late, post, single, draft);
      const list = (over: Partial<PostFilter>, sort: PostFilter['sort'] = 'scheduled_at') =>
        readAll(1, (page) => world.posts.list(workspace.id, { reach: null, sort, ...over }, page));
      const fromFive = { scheduledAfter: at(5), scheduledBefore: at(6) };
      expect(await list(fromFive)).toEqual([post, single, draft]);
      expect(await list(fromFive, '-created_at')).toEqual([draft, single, post]);
      expect(await list({ ...fromFive, statuses: ['scheduled', 'publishing', 'draft'] })).toEqual([
        post,
        single,
        draft,
      ]);
      expect(await list({ ...fromFive, connectionId: late.id })).toEqual([post]);
      expect(await list({ ...fromFive, connectionId: early.id })).toEqual([single]);
      expect(await list({ scheduledBefore: at(5), connectionId: late.id })).toEqual([]);
      expect(await list({ scheduledAfter: at(2), scheduledBefore: at(5) })).toEqual([]);
      expect(await list({ scheduledBefore: at(2) })).toEqual([post]);
    });
  });
}

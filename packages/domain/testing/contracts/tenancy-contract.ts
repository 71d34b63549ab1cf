import { describe, expect, test } from '@jest/globals';
import { noMetrics } from '../../src/analytics/metrics.js';
import { identityOf } from '../../src/connections/account-identity.js';
import { ledgerKeyOf } from '../../src/refunds/refund-record.js';
import { type CreateStorage, useStorageWorld } from './storage-world.js';

const everything = { limit: 100 };
const reach = null;

/** No method with a workspace parameter reads, counts or changes a row of another one. */
export function tenancyContract(make: CreateStorage): void {
  describe('a row of another workspace', () => {
    const world = useStorageWorld(make);

    test('is not found as a profile, and is not changed or deleted', async () => {
      const { ours, theirs, profiles } = world;
      const us = ours.workspace.id;
      expect(await profiles.find(us, theirs.profile.id)).toBeNull();
      expect((await profiles.list(us, { reach }, everything)).items).toEqual([ours.profile]);
      expect((await profiles.list(us, { reach: [theirs.profile.id] }, everything)).items).toEqual([]);
      expect(await world.profiles.update(us, theirs.profile.id, { name: 'stolen' })).toBeNull();
      expect(await profiles.countUses(us, theirs.profile.id)).toEqual({ connections: 0, scheduledPosts: 0 });
      await world.profiles.delete(us, theirs.profile.id);
      expect(await profiles.find(theirs.workspace.id, theirs.profile.id)).toEqual(theirs.profile);
      expect(await world.connections.find(theirs.workspace.id, theirs.connection.id)).toEqual(
        theirs.connection,
      );
    });

    test('is not found as an API key, and is not revoked', async () => {
      const key = world.build.apiKey(world.theirs.workspace);
      await world.apiKeys.insert(key, new Uint8Array([1]));
      const us = world.ours.workspace.id;
      expect(await world.apiKeys.find(us, key.id)).toBeNull();
      expect((await world.apiKeys.list(us, everything)).items).toEqual([]);
      expect(await world.apiKeys.revoke(us, key.id)).toBeNull();
      expect(await world.apiKeys.find(world.theirs.workspace.id, key.id)).toEqual(key);
    });

    test('is not found as a connection, and is not changed or deleted', async () => {
      const { ours, theirs, connections } = world;
      const us = ours.workspace.id;
      const { id } = theirs.connection;
      expect(await connections.find(us, id)).toBeNull();
      expect(
        await connections.findByAccount(us, theirs.profile.id, identityOf(theirs.connection)),
      ).toBeNull();
      expect(await connections.listByAccount(us, identityOf(theirs.connection))).toEqual([]);
      expect((await connections.list(us, { reach, ids: [id] }, everything)).items).toEqual([]);
      expect(await connections.listAll(us, { reach })).toEqual([ours.connection]);
      expect(await world.connections.update(us, id, { label: 'stolen' })).toBeNull();
      await world.connections.delete(us, id);
      expect(await connections.find(theirs.workspace.id, id)).toEqual(theirs.connection);
    });

    test('is not found as a credential, and is not renewed or replaced', async () => {
      const { ours, theirs, credentials } = world;
      const connectionId = theirs.connection.id;
      const credential = {
        connectionId,
        workspaceId: theirs.workspace.id,
        generation: 1,
        sealed: new Uint8Array([1]),
        accessExpiresAt: null,
      };
      await world.credentials.insert(credential);
      expect(await credentials.find(ours.workspace.id, connectionId)).toBeNull();
      const stolen = {
        ...credential,
        workspaceId: ours.workspace.id,
        generation: 2,
        sealed: new Uint8Array([6]),
      };
      await expect(world.credentials.replace(stolen)).rejects.toThrow();
      expect(await credentials.find(theirs.workspace.id, connectionId)).toEqual(credential);
    });

    test('is not found as a connect session', async () => {
      const session = world.build.connectSession(world.theirs.profile);
      await world.connectSessions.insert(session);
      expect(await world.connectSessions.find(world.ours.workspace.id, session.id)).toBeNull();
      expect(await world.connectSessions.find(world.theirs.workspace.id, session.id)).toEqual(session);
    });

    test('is not found as a post or delivery, has no history and is not cancelled or unblocked', async () => {
      const { ours, theirs, posts, deliveries } = world;
      const us = ours.workspace.id;
      const later = world.clock.after(3_600_000);
      const post = world.build.post(theirs.profile, [theirs.connection], { scheduledAt: later });
      const blocked = world.build.post(theirs.profile, [theirs.connection], {}, { status: 'blocked' });
      const done = world.build.post(
        theirs.profile,
        [theirs.connection],
        {},
        { status: 'published', publishedAt: later },
      );
      const [delivery] = post.deliveries;
      if (!delivery) throw new Error('a post without a delivery');
      for (const each of [post, blocked, done]) await world.posts.insert(each);
      await world.deliveries.insertAttempts({
        id: world.ids.next('att'),
        deliveryId: delivery.id,
        workspaceId: theirs.workspace.id,
        epoch: 1,
        kind: 'attempt',
        outcome: 'sending',
        error: null,
        actor: null,
        note: null,
        at: world.clock.now(),
      });
      const { contentDigest, connectionId } = delivery;
      expect(await posts.find(us, post.id)).toBeNull();
      expect(await deliveries.find(us, delivery.id)).toBeNull();
      expect((await posts.list(us, { reach, sort: '-created_at' }, everything)).items).toEqual([]);
      expect(
        await world.change((tx) => tx.posts.findDuplicate(us, connectionId, contentDigest, later)),
      ).toBeNull();
      expect(await deliveries.listHistory(us, post.id)).toEqual([]);
      expect(await world.deliveries.cancelUnsent(us, post.id, [delivery.id])).toEqual([]);
      expect(await world.deliveries.cancelUnsentOf(us, connectionId)).toEqual([]);
      expect(await world.deliveries.unblock(us, connectionId)).toEqual([]);

      const them = theirs.workspace.id;
      expect(await posts.find(them, post.id)).toEqual(post);
      expect(await posts.find(them, blocked.id)).toEqual(blocked);
      expect(await deliveries.listHistory(them, post.id)).toHaveLength(1);
    });

    test('is not found as a refund or quote, and its keys are not released', async () => {
      const { ours, theirs, refunds } = world;
      const us = ours.workspace.id;
      const quote = world.build.quote(theirs.connection);
      const refund = world.build.refund(theirs.connection, { quoteId: quote.id });
      await world.refunds.insertQuote(quote);
      await world.refunds.insert(refund, { key: 'order-7', fingerprint: 'print' });
      await world.refunds.useQuote(quote.id, refund.id);
      expect(await refunds.find(us, refund.id)).toBeNull();
      expect(await refunds.findQuote(us, quote.id)).toBeNull();
      expect((await refunds.list(us, { reach }, everything)).items).toEqual([]);
      expect(await refunds.findByIdempotencyKey(us, 'key_lineage', 'order-7')).toBeNull();
      const order = { ...ledgerKeyOf(refund), workspaceId: us };
      expect(await refunds.findRecentDuplicate(order, 1200, new Date(0))).toBeNull();
      expect(await refunds.sumCharges(us, ['key_lineage'], new Date(0))).toEqual([]);
      await world.refunds.releaseKeys(us, refund.id);

      const them = theirs.workspace.id;
      expect(await refunds.findByIdempotencyKey(them, 'key_lineage', 'order-7')).toEqual({
        refund,
        fingerprint: 'print',
      });
      expect(await refunds.findQuote(them, quote.id)).toEqual({ ...quote, usedBy: refund.id });
      expect(await world.ledger.lock(order, 'EUR')).toMatchObject({ inFlight: null });
    });

    test('is not found as a snapshot', async () => {
      const { ours, theirs, snapshots } = world;
      const us = ours.workspace.id;
      const snapshot = {
        workspaceId: theirs.workspace.id,
        connectionId: theirs.connection.id,
        deliveryId: null,
        metrics: { ...noMetrics, followers: 12 },
        takenAt: world.clock.now(),
      };
      await world.snapshots.insert([snapshot]);
      expect(await snapshots.listLatestOfAccounts(us, [theirs.connection.id])).toEqual(new Map());
      expect(await snapshots.findFirstTime(us, [theirs.connection.id])).toBeNull();
      expect(await snapshots.listLatestOfAccounts(theirs.workspace.id, [theirs.connection.id])).toEqual(
        new Map([[theirs.connection.id, snapshot]]),
      );
    });

    test('is not found as an idempotency response or data key', async () => {
      const scope = { operation: 'createPost', lineage: 'key', key: 'same' };
      const [us, them] = [world.ours.workspace.id, world.theirs.workspace.id];
      await world.idempotency.claim({ ...scope, workspaceId: them }, 'print', 60);
      expect(await world.idempotency.claim({ ...scope, workspaceId: us }, 'other', 60)).toEqual({
        kind: 'claimed',
      });
      const wrapped = new Uint8Array([1]);
      await world.dataKeys.insert({ workspaceId: them, version: 1, masterKeyId: 'm', wrapped });
      expect(await world.dataKeys.find(us)).toBeNull();
    });
  });
}

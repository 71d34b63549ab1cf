import { beforeEach, describe, expect, test } from '@jest/globals';
import { noMetrics } from '../../src/analytics/metrics.js';
import type { WorkspaceId } from '../../src/ids.js';
import { ledgerKeyOf } from '../../src/refunds/refund-record.js';
import { type CreateStorage, type Tenant, useStorageWorld } from './storage-world.js';
import { opaqueEvent } from '../opaque-event.js';

/** Deletion of a workspace: all of its data at once, and nothing of other workspaces. */
export function deletionContract(make: CreateStorage): void {
  describe('a workspace that is deleted', () => {
    const world = useStorageWorld(make, beforeEach);

    /** Some of everything that a workspace can have. */
    async function insertEverything({ workspace, profile, connection }: Tenant) {
      const { build } = world;
      const workspaceId = workspace.id;
      const media = build.media(workspace);
      const webhook = build.webhook(workspace);
      const session = build.connectSession(profile);
      const post = build.post(profile, [connection], { media: [] });
      const quote = build.quote(connection);
      const refund = build.refund(connection, { quoteId: quote.id });
      const key = build.apiKey(workspace);
      const replaced = build.apiKey(workspace, { replacedBy: key.id });
      const invitation = build.invitation(key);
      const client = build.client(key);
      const digest = new TextEncoder().encode(`token of ${client.id}`);
      await world.change(async (tx) => {
        await tx.dataKeys.insert({ workspaceId, version: 1, masterKeyId: 'm', wrapped: new Uint8Array([1]) });
        await tx.apiKeys.insert(key, new Uint8Array([1]));
        await tx.apiKeys.insert(replaced, new Uint8Array([2]));
        await tx.invitations.insert(invitation, digest);
        await tx.clients.insert(client);
        await tx.oauthRecords.store({
          kind: 'access_token',
          digest,
          clientId: client.id,
          payload: {},
          token: { scopes: client.scopes, audience: 'https://mcp.example/mcp' },
          expiresAt: world.clock.after(3_600_000),
        });
        await tx.platformApps.insert(build.platformApp(workspace));
        await tx.webhooks.insert(webhook, { generation: 1, sealed: new Uint8Array([1]) }, '0');
        await tx.credentials.insert({
          connectionId: connection.id,
          workspaceId,
          generation: 1,
          accessExpiresAt: null,
          sealed: new Uint8Array([1]),
        });
        await tx.connectSessions.insert(session);
        await tx.media.insert(media);
        await tx.posts.insert(post);
        await tx.media.setUses(workspaceId, post.id, [media.id]);
        await tx.refunds.insertQuote(quote);
        await tx.refunds.insert(refund, { key: 'order-7', fingerprint: 'print' });
        await tx.refunds.useQuote(quote.id, refund.id);
        await tx.ledger.lock(ledgerKeyOf(refund), 'EUR');
        await tx.snapshots.insert([
          {
            workspaceId,
            connectionId: connection.id,
            deliveryId: null,
            metrics: { ...noMetrics, followers: 12 },
            takenAt: world.clock.now(),
          },
        ]);
        await tx.events.append(opaqueEvent({ workspaceId, type: 'post.scheduled', profileId: profile.id }));
        await tx.audit.append({
          workspaceId,
          actor: 'system:test',
          action: 'fill',
          object: workspaceId,
          outcome: 'ok',
          requestId: '',
          details: {},
        });
      });
      const claim = { workspaceId, operation: 'createPost', lineage: 'l', key: 'k' };
      await world.idempotency.claim(claim, 'print', 60);
      return {
        workspaceId,
        media,
        session,
        post,
        quote,
        refund,
        key,
        webhook,
        connection,
        profile,
        claim,
        invitation,
        client,
        digest,
      };
    }
    const remove = ({ workspace }: Tenant) => world.workspaces.delete(workspace.id);

    /** The results of looking up each of these. */
    async function findEverything(of: Awaited<ReturnType<typeof insertEverything>>) {
      const { workspaceId: id } = of;
      return {
        workspace: await world.workspaces.find(id),
        profile: await world.profiles.find(id, of.profile.id),
        dataKey: await world.dataKeys.find(id),
        key: await world.apiKeys.findByPublicId(of.key.publicId),
        invitation: await world.invitations.find(of.invitation.id),
        client: await world.clients.findById(of.client.id),
        token: await world.oauthRecords.find('access_token', of.digest),
        apps: await world.platformApps.listApplicable(id, of.profile.id),
        webhook: await world.webhooks.find(id, of.webhook.id),
        connection: await world.connections.find(id, of.connection.id),
        credential: await world.credentials.find(id, of.connection.id),
        session: await world.connectSessions.find(id, of.session.id),
        media: (await world.media.find(id, of.media.id))?.id,
        post: await world.posts.find(id, of.post.id),
        quote: await world.refunds.findQuote(id, of.quote.id),
        refund: await world.refunds.find(id, of.refund.id),
        snapshots: await world.snapshots.listLatestOfAccounts(id, [of.connection.id]),
        events: (await world.recorded(id)).events,
      };
    }

    test('loses all of its data and returns its files; others keep theirs, byte for byte', async () => {
      const [ours, theirs] = [await insertEverything(world.ours), await insertEverything(world.theirs)];
      const before = await findEverything(theirs);
      expect(await remove(world.ours)).toEqual({ files: [ours.media.file?.name] });
      expect(await findEverything(ours)).toEqual({
        workspace: null,
        profile: null,
        dataKey: null,
        key: null,
        invitation: null,
        client: null,
        token: null,
        apps: [],
        webhook: null,
        connection: null,
        credential: null,
        session: null,
        media: undefined,
        post: null,
        quote: null,
        refund: null,
        snapshots: new Map(),
        events: [],
      });
      expect((await world.deliveries.listDue(100)).map(({ workspaceId }) => workspaceId)).toEqual([
        theirs.workspaceId,
      ]);
      expect(await world.idempotency.claim(ours.claim, 'other', 60)).toEqual({
        kind: 'claimed',
      });
      expect(await findEverything(theirs)).toEqual(before);
      expect((await world.workspaces.list()).map(({ id }) => id)).toEqual([theirs.workspaceId]);
    });

    test('is disabled first: nothing of it can be opened or called, and its rows stay', async () => {
      const [ours, theirs] = [await insertEverything(world.ours), await insertEverything(world.theirs)];
      const before = await findEverything(theirs);
      const disable = () => world.workspaces.disable(ours.workspaceId);
      expect([await disable(), await disable()]).toEqual([true, true]);
      const { dataKey, key, post, credential } = await findEverything(ours);
      expect({ dataKey, key }).toEqual({ dataKey: null, key: null });
      expect([post?.id, credential?.connectionId]).toEqual([ours.post.id, ours.connection.id]);
      expect(await findEverything(theirs)).toEqual(before);
      expect(await world.workspaces.disable('wsp_none' as WorkspaceId)).toBe(false);
    });

    test('loses its many rows in batches, and only its own (finding 88)', async () => {
      const [ours, theirs] = [await insertEverything(world.ours), await insertEverything(world.theirs)];
      const before = await findEverything(theirs);
      const { profile, connection } = world.ours;
      const posts = Array.from({ length: 4 }, () => world.build.post(profile, [connection]));
      await world.insert(...posts);
      const counts: number[] = [];
      do counts.push(await world.workspaces.deleteRows(ours.workspaceId, 2));
      while (counts.at(-1) !== 0);
      expect(Math.max(...counts)).toBe(2);
      expect(counts.reduce((sum, count) => sum + count)).toBeGreaterThanOrEqual(5);
      for (const { id } of [...posts, ours.post])
        expect(await world.posts.find(ours.workspaceId, id)).toBeNull();
      expect(await findEverything(theirs)).toEqual(before);
      expect(await remove(world.ours)).toEqual({ files: [ours.media.file?.name] });
    });

    test('leaves its audit rows, and its name to others', async () => {
      await insertEverything(world.ours);
      await remove(world.ours);
      expect((await world.recorded(world.ours.workspace.id)).audit).toEqual(['fill']);
      const nextWorkspace = world.build.workspace({ name: world.ours.workspace.name });
      await world.insert(nextWorkspace);
      expect(await world.workspaces.findByName(nextWorkspace.name)).toEqual(nextWorkspace);
    });

    test('is deleted once', async () => {
      expect(await remove(world.ours)).toEqual({ files: [] });
      expect(await remove(world.ours)).toBeNull();
    });

    test('is unchanged when the transaction fails', async () => {
      const ours = await insertEverything(world.ours);
      const before = await findEverything(ours);
      await expect(
        world.change(async (tx) => {
          await tx.workspaces.delete(ours.workspaceId);
          throw new Error('power cut');
        }),
      ).rejects.toThrow('power cut');
      expect(await findEverything(ours)).toEqual(before);
    });

    test('is deleted during concurrent inserts, and nothing of them is left behind', async () => {
      const { profile, connection, workspace } = world.ours;
      const adding = Array.from({ length: 20 }, async () => {
        const post = world.build.post(profile, [connection]);
        await world.insert(post);
      });
      await remove(world.ours);
      // Some committed before the deletion, and the others reference deleted rows.
      await Promise.allSettled(adding);
      expect(
        (await world.deliveries.listDue(100)).filter(({ workspaceId }) => workspaceId === workspace.id),
      ).toEqual([]);
      expect(await world.workspaces.find(workspace.id)).toBeNull();
    });
  });
}

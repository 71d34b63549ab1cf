import { describe, expect, test } from '@jest/globals';
import { unrestrictedPolicy } from '../../src/access/policy.js';
import { noMetrics } from '../../src/analytics/metrics.js';
import { identityOf } from '../../src/connections/account-identity.js';
import type { ConnectChoice, ConnectFlow } from '../../src/connections/connect-session.js';
import type { Connection, MediaRules } from '../../src/connections/connection.js';
import type { DeliveryStatus } from '../../src/deliveries/delivery.js';
import type { ProfileId } from '../../src/ids.js';
import type { PageRequest, Rows } from '../../src/page.js';
import { presentedOf } from '../builders.js';
import { type CreateStorage, useStorageWorld } from './storage-world.js';

const DAY_MS = 86_400_000;

/** Reads all pages of a list, `limit` rows each. */
export async function readAll<Item>(
  limit: number,
  read: (page: PageRequest) => Promise<Rows<Item>>,
): Promise<Item[]> {
  const items: Item[] = [];
  for (let after: string | undefined; ;) {
    const page = await read({ limit, after });
    if (page.items.length > limit) throw new Error('a page is longer than requested');
    items.push(...page.items);
    if (page.next === undefined) return items;
    after = page.next;
  }
}

/**
 * Workspaces, profiles, keys, connections, connect sessions, metrics and wrapped keys: they are returned as
 * they were stored.
 */
export function recordsContract(make: CreateStorage): void {
  describe('stored records', () => {
    const world = useStorageWorld(make);

    test('a workspace is found by id and name, and only the given fields change', async () => {
      const workspace = world.build.workspace({ logoUrl: 'https://shop.example/logo.png' });
      await world.insert(workspace);
      expect(await world.workspaces.find(workspace.id)).toEqual(workspace);
      expect(await world.workspaces.findByName(workspace.name)).toEqual(workspace);
      const changes = {
        accentColor: '#aa0000',
        returnUrls: ['https://a.example/', 'https://b.example/'],
        logoUrl: undefined,
      };
      const changed = { ...workspace, ...changes, logoUrl: workspace.logoUrl, version: 2 };
      expect(await world.workspaces.update(workspace.id, changes, 1)).toEqual(changed);
      expect(await world.workspaces.update(workspace.id, { name: 'late' }, 1)).toBeNull();
      expect((await world.workspaces.list()).at(-1)).toEqual(changed);
      expect(await world.workspaces.findByName('none of this name')).toBeNull();
    });

    test('a profile changes only in the version that the caller read', async () => {
      const profile = world.build.profile(world.ours.workspace);
      await world.insert(profile);
      const { workspaceId, id } = profile;
      const renamed = { ...profile, name: 'renamed', metadata: { a: 'b' }, version: 2 };
      const rename = { name: 'renamed', metadata: { a: 'b' }, pause: undefined };
      expect(await world.profiles.update(workspaceId, id, rename, 1)).toEqual(renamed);
      expect(await world.profiles.update(workspaceId, id, { name: 'late' }, 1)).toBeNull();
      expect(await world.profiles.find(workspaceId, id)).toEqual(renamed);
    });

    test('a key changes in the version that the caller read, and keeps omitted fields', async () => {
      const key = world.build.apiKey(world.ours.workspace);
      await world.apiKeys.insert(key, new Uint8Array([1]));
      const { workspaceId, id } = key;
      const policy = { ...key.policy, allowedCidrs: ['10.0.0.0/8'], expiresAt: world.clock.after(1000) };
      const changed = { ...key, policy, version: 2 };
      expect(await world.apiKeys.update(workspaceId, id, { policy }, 1)).toEqual(changed);
      expect(await world.apiKeys.update(workspaceId, id, { name: 'late' }, 1)).toBeNull();
      const theirs = world.theirs.workspace.id;
      expect(await world.apiKeys.update(theirs, id, { name: 'foreign' })).toBeNull();
      expect(await world.apiKeys.find(workspaceId, id)).toEqual(changed);
    });

    test('a connection keeps the limits of its own server until they change', async () => {
      const { account, ...rest } = world.build.connection(world.ours.profile);
      const mediaLimits: MediaRules = {
        max: 4,
        mixed: false,
        required: false,
        images: { max: 4, types: ['image/png'], maxBytes: 16_777_216, maxPixels: 33_177_600 },
        videos: null,
        documents: null,
        altTextMax: 1500,
        fetches: false,
      };
      const connection = {
        ...rest,
        account: { ...account, textLimits: { max: 5_000, perLink: 23 }, mediaLimits },
      };
      await world.insert(connection);
      const { workspaceId, id } = connection;
      expect(await world.connections.find(workspaceId, id)).toEqual(connection);
      const label = await world.connections.update(workspaceId, id, { label: 'a' });
      expect(label?.account).toEqual(connection.account);
      const moved = await world.connections.update(workspaceId, id, { account });
      expect(moved?.account).toEqual(account);
    });

    test('a profile is deleted with its connections, credentials, sessions and posts, and its refunds stay', async () => {
      const profile = world.build.profile(world.ours.workspace);
      const connection = world.build.connection(profile);
      const [post, refund] = [world.build.post(profile, [connection]), world.build.refund(connection)];
      const session = world.build.connectSession(profile);
      const { workspaceId } = profile;
      await world.profiles.insert(profile);
      await world.connections.insert(connection);
      await world.credentials.insert({
        connectionId: connection.id,
        workspaceId,
        generation: 1,
        sealed: new Uint8Array([1]),
        accessExpiresAt: null,
      });
      await world.connectSessions.insert(session);
      await world.posts.insert(post);
      await world.refunds.insert(refund);
      expect(await world.profiles.countUses(workspaceId, profile.id)).toEqual({
        connections: 1,
        scheduledPosts: 1,
      });
      await world.profiles.delete(workspaceId, profile.id);
      expect(await world.profiles.find(workspaceId, profile.id)).toBeNull();
      expect(await world.connections.find(workspaceId, connection.id)).toBeNull();
      expect(await world.credentials.find(workspaceId, connection.id)).toBeNull();
      expect(await world.connectSessions.find(workspaceId, session.id)).toBeNull();
      expect(await world.posts.find(workspaceId, post.id)).toBeNull();
      expect(await world.refunds.find(workspaceId, refund.id)).toEqual(refund);
      expect((await world.refunds.list(workspaceId, { reach: [profile.id] }, { limit: 5 })).items).toEqual(
        [],
      );
    });

    test('pages of a list contain every row once, newest first', async () => {
      const workspace = world.build.workspace();
      const profiles = Array.from({ length: 7 }, () => world.build.profile(workspace));
      await world.insert(workspace, ...profiles);
      const newest = [...profiles].reverse();
      for (const limit of [1, 2, 3, 7, 100]) {
        expect(
          await readAll(limit, (page) => world.profiles.list(workspace.id, { reach: null }, page)),
        ).toEqual(newest);
      }
      const reach = profiles.slice(0, 4).map(({ id }) => id);
      const within = await readAll(2, (page) => world.profiles.list(workspace.id, { reach }, page));
      expect(within).toEqual(newest.slice(3));
    });

    test('a profile is found by its name and by the caller’s own id (finding 48)', async () => {
      const workspace = world.build.workspace();
      const lumen = world.build.profile(workspace, { name: 'Lumen_100%', externalId: 'customer-17' });
      const other = world.build.profile(workspace, { name: 'Lumen 100', externalId: 'customer-1' });
      const foreign = world.build.profile(world.ours.workspace, {
        name: 'Lumen_100%',
        externalId: 'customer-17',
      });
      await world.insert(workspace, lumen, other, foreign);
      const list = async (filter: object, reach: readonly ProfileId[] | null = null) =>
        (await world.profiles.list(workspace.id, { reach, ...filter }, { limit: 5 })).items;
      expect(await list({ name: 'lumen_100%' })).toEqual([lumen]);
      expect(await list({ name: 'Lumen' })).toEqual([]);
      expect(await list({ externalId: 'customer-17' })).toEqual([lumen]);
      expect(await list({ name: 'Lumen 100', externalId: 'customer-17' })).toEqual([]);
      expect(await list({ externalId: 'customer-17' }, [other.id])).toEqual([]);
    });

    test('a key is found by its public part with its whole policy, and keeps its first revocation time', async () => {
      const key = world.build.apiKey(world.ours.workspace, {
        policy: {
          profileIds: [world.ours.profile.id],
          expiresAt: world.clock.after(1000),
          allowedCidrs: ['10.0.0.0/8'],
          refundCeilings: [{ currency: 'EUR', perRefundMinor: 100, perDayMinor: 200 }],
          approval: {
            posts: 'always',
            refundsOver: [{ currency: 'EUR', amountMinor: 50 }],
            expiresInHours: 24,
          },
          hidePersonalData: true,
        },
      });
      const hash = new Uint8Array([9, 8, 7]);
      await world.apiKeys.insert(key, hash);
      const found = await world.apiKeys.findByPublicId(key.publicId);
      expect(found?.key).toEqual(key);
      expect([...(found?.hash ?? [])]).toEqual([...hash]);
      const first = await world.apiKeys.revoke(key.workspaceId, key.id);
      await world.clock.sleep(5);
      const second = await world.apiKeys.revoke(key.workspaceId, key.id);
      expect(first?.revokedAt).toBeInstanceOf(Date);
      expect(second).toEqual(first);
      expect(await world.apiKeys.findByPublicId('unknown')).toBeNull();
    });

    test('many keys are found by their public parts at once, without missing ones', async () => {
      const keys = [
        world.build.apiKey(world.ours.workspace, {
          policy: { ...unrestrictedPolicy, expiresAt: world.clock.after(1000) },
        }),
        world.build.apiKey(world.theirs.workspace),
      ];
      for (const key of keys) await world.apiKeys.insert(key, new Uint8Array([1, 2]));
      const publicIds = keys.map(({ publicId }) => publicId);
      const found = await world.apiKeys.findAllByPublicId(['unknown', ...publicIds]);
      expect(found).toHaveLength(2);
      for (const key of keys) {
        const alone = await world.apiKeys.findByPublicId(key.publicId);
        expect(found.find(({ key: { id } }) => id === key.id)).toEqual(alone);
        expect(alone?.key).toEqual(key);
      }
      expect(await world.apiKeys.findAllByPublicId([])).toEqual([]);
    });

    test('the last use of a key never decreases', async () => {
      const keys = [
        world.build.apiKey(world.ours.workspace),
        world.build.apiKey(world.ours.workspace),
      ] as const;
      const [early, late] = [world.clock.after(-5000), world.clock.after(-1000)];
      for (const key of keys) await world.apiKeys.insert(key, new Uint8Array([1]));
      await world.apiKeys.touch([
        { id: keys[0].id, at: late },
        { id: keys[1].id, at: early },
        { id: keys[0].id, at: early },
      ]);
      await world.apiKeys.touch([{ id: keys[0].id, at: early }]);
      await world.apiKeys.touch([]);
      const uses = await Promise.all(keys.map(({ workspaceId, id }) => world.apiKeys.find(workspaceId, id)));
      expect(uses.map((key) => key?.lastUsedAt)).toEqual([late, early]);
    });

    test('a connection is warned about when the next of the warnings before its expiry is due', async () => {
      const { profile } = world.ours;
      const expiring = (days: number, warnedDays: number | null, more: Partial<Connection> = {}) =>
        world.build.connection(profile, {
          platform: 'bluesky',
          expiresAt: world.clock.after(days * DAY_MS - 1000),
          warnedDays,
          ...more,
        });
      const [due, notDue] = [
        [expiring(14, null), expiring(3, 14), expiring(1, 3), expiring(2, null), expiring(-1, 3)],
        [
          expiring(15, null),
          expiring(4, 14),
          expiring(2, 3),
          expiring(0.5, 1),
          expiring(3, 14, { status: 'needs_reauth' }),
          world.build.connection(profile, { platform: 'bluesky' }),
        ],
      ];
      await world.insert(...due, ...notDue);
      const ids = (await world.connections.listWarningsDue(1000)).map(({ id }) => id);
      expect([...due, ...notDue].map(({ id }) => ids.includes(id))).toEqual([
        ...due.map(() => true),
        ...notDue.map(() => false),
      ]);
    });

    test('a connection is reviewed when its status does not match its login and its app', async () => {
      const { profile } = world.ours;
      const [lost, known, mended, well] = [
        world.build.connection(profile, { platform: 'bluesky', status: 'active', appMissing: true }),
        world.build.connection(profile, { platform: 'bluesky', status: 'degraded', appMissing: true }),
        world.build.connection(profile, { platform: 'bluesky', status: 'degraded' }),
        world.build.connection(profile, { platform: 'bluesky', status: 'active' }),
      ];
      await world.insert(lost, known, mended, well);
      const ids = (await world.connections.listToReview([], 1_000)).map(({ id }) => id);
      expect([lost, known, mended, well].map(({ id }) => ids.includes(id))).toEqual([
        true,
        false,
        true,
        false,
      ]);
    });

    test('a connection is reviewed when it lacks permissions that its connect method requires', async () => {
      const { profile } = world.ours;
      const to = (connectMethod: string, grantedPermissions: readonly string[]) =>
        world.build.connection(profile, { platform: 'instagram', connectMethod, grantedPermissions });
      const made = [to('oauth', ['read']), to('oauth', ['post']), to('page', ['page']), to('page', ['post'])];
      await world.insert(...made);
      const wanted = [
        { platform: 'instagram', connectMethod: null, permissions: ['post'] },
        { platform: 'instagram', connectMethod: 'page', permissions: ['page'] },
        { platform: 'bluesky', connectMethod: 'oauth', permissions: ['other'] },
      ];
      const ids = (await world.connections.listToReview(wanted, 1_000)).map(({ id }) => id);
      expect(made.map(({ id }) => ids.includes(id))).toEqual([true, false, false, true]);
    });

    test('connections are filtered by all criteria together and by the reach of a key', async () => {
      const { workspace, profile } = world.ours;
      const other = world.build.profile(workspace);
      const wanted = world.build.connection(other, {
        platform: 'bluesky',
        status: 'degraded',
        appMissing: true,
        externalId: 'x',
        metadata: { tier: 'gold', region: 'north' },
        label: 'the "Spring" café \\ 春 🌸\n\u0001\u001f',
        grantedPermissions: ['read write', 'a,b', '"quoted"', '{}', 'null'],
        refusedPermissions: [''],
        expiresAt: new Date('2027-01-01T00:00:00.050Z'),
        lastCheckedAt: new Date('2026-01-01T10:00:00.000Z'),
      });
      const decoys = [
        world.build.connection(other, {
          platform: 'bluesky',
          status: 'degraded',
          externalId: 'x',
          metadata: { tier: 'silver' },
        }),
        world.build.connection(other, { platform: 'bluesky', status: 'active', externalId: 'x' }),
        world.build.connection(other, { platform: 'bluesky', status: 'degraded' }),
        world.build.connection(profile, { platform: 'bluesky', status: 'degraded', externalId: 'x' }),
        world.build.connection(other, {
          platform: 'sandbox_store',
          kind: 'commerce',
          status: 'degraded',
          externalId: 'x',
        }),
      ];
      await world.insert(other, wanted, ...decoys);
      const filter = {
        reach: [other.id],
        platforms: ['bluesky', 'sandbox_store'],
        kind: 'social',
        statuses: ['degraded'],
        externalId: 'x',
        metadata: { tier: 'gold' },
      } as const;
      expect(await world.connections.listAll(workspace.id, filter)).toEqual([wanted]);
      const listed = (more: object) =>
        world.connections.list(workspace.id, { ...filter, ...more }, { limit: 2 });
      const view = { connection: presentedOf(wanted), scheduledPosts: 0, nextPostAt: null };
      expect(await listed({ profileId: other.id, ids: [wanted.id] })).toEqual({ items: [view] });
      expect(await listed({ profileId: profile.id })).toEqual({ items: [] });
      expect(await listed({ ids: [] })).toEqual({ items: [] });
      expect(await world.connections.listAll(workspace.id, { ...filter, profileId: profile.id })).toEqual([]);
      const { account } = wanted;
      expect(await world.connections.findByAccount(workspace.id, other.id, identityOf(wanted))).toEqual(
        wanted,
      );
      const changes = {
        status: 'active',
        account: { ...account, name: 'New' },
        statusReason: undefined,
      } as const;
      const updated = await world.connections.update(workspace.id, wanted.id, changes);
      expect(updated).toEqual({
        ...wanted,
        status: 'active',
        account: { ...account, name: 'New' },
        version: 2,
      });
    });

    test('a deleted connection is deleted with its credential, and the account may be connected anew', async () => {
      const { workspace, profile } = world.ours;
      const connection = world.build.connection(profile);
      const credential = {
        connectionId: connection.id,
        workspaceId: workspace.id,
        generation: 1,
        sealed: new Uint8Array([1]),
        accessExpiresAt: null,
      };
      const again = world.build.connection(profile, { account: connection.account });
      const post = world.build.post(profile, [connection]);
      await world.connections.insert(connection);
      await world.credentials.insert(credential);
      await world.posts.insert(post);
      await world.connections.delete(workspace.id, connection.id);
      await world.connections.insert(again);
      expect(await world.connections.find(workspace.id, connection.id)).toBeNull();
      expect(await world.credentials.find(workspace.id, connection.id)).toBeNull();
      expect(await world.connections.find(workspace.id, again.id)).toEqual(again);
      expect(await world.posts.find(workspace.id, post.id)).toEqual(post);
    });

    test('finding 22: one id at two servers is two accounts, and at one server it is one', async () => {
      const { workspace, profile } = world.ours;
      const one = world.build.connection(profile, { accountServer: 'one.example' });
      const at = (accountServer: string) =>
        world.build.connection(profile, { account: one.account, accountServer });
      const other = at('other.example');
      await world.insert(one, other);
      const found = (connection: Connection) =>
        world.connections.findByAccount(workspace.id, profile.id, identityOf(connection));
      expect([await found(one), await found(other)]).toEqual([one, other]);
      expect(await found(at('third.example'))).toBeNull();
      const second = world.build.profile(workspace);
      const elsewhere = world.build.connection(second, {
        account: one.account,
        accountServer: 'one.example',
      });
      await world.insert(second, elsewhere);
      const everywhere = (connection: Connection) =>
        world.connections.listByAccount(workspace.id, identityOf(connection));
      expect([await everywhere(one), await everywhere(other)]).toEqual([[one, elsewhere], [other]]);
      expect(await everywhere(at('third.example'))).toEqual([]);
      await expect(world.connections.insert(at('one.example'))).rejects.toThrow();
      const filter = { reach: null, ids: [one.id] };
      const listed = await world.connections.list(workspace.id, filter, { limit: 2 });
      expect(listed.items.map(({ connection }) => connection)).toEqual([presentedOf(one)]);
    });

    test('an account connected concurrently is one connection, which the slower ones find', async () => {
      const once = world.build.connection(world.ours.profile);
      const { account, profileId, workspaceId } = once;
      const connect = () =>
        world.change(async (tx) => {
          const known = await tx.connections.findByAccount(workspaceId, profileId, identityOf(once));
          if (known) return known.id;
          const connection = world.build.connection(world.ours.profile, { account });
          await tx.connections.insert(connection);
          return connection.id;
        });
      const ids = await Promise.all(Array.from({ length: 6 }, connect));
      expect(new Set(ids).size).toBe(1);
    });

    test('of twenty that lock a connection, one at a time proceeds', async () => {
      const connection = world.build.connection(world.ours.profile);
      const { workspaceId, id } = connection;
      await world.insert(connection);
      const markNeedsReauth = () =>
        world.change(async (tx) => {
          const locked = await tx.connections.lock(workspaceId, id);
          if (locked?.status !== 'active') return false;
          await tx.connections.update(workspaceId, id, { status: 'needs_reauth' });
          return true;
        });
      const needsReauth = await Promise.all(Array.from({ length: 20 }, markNeedsReauth));
      expect(needsReauth.filter(Boolean)).toHaveLength(1);
      const { workspace } = world.theirs;
      expect(await world.connections.lock(workspace.id, id)).toBeNull();
      await world.connections.delete(workspaceId, id);
      expect(await world.connections.lock(workspaceId, id)).toBeNull();
    });

    test('a connect session ends once', async () => {
      const session = world.build.connectSession(world.ours.profile);
      await world.connectSessions.insert(session);
      expect(await world.connectSessions.findByToken(session.tokenHash)).toMatchObject({ id: session.id });
      const failed = {
        status: 'failed',
        connectionIds: [],
        error: { code: 'denied', message: 'No.' },
      } as const;
      const connected = {
        status: 'connected',
        connectionIds: [world.ours.connection.id],
        error: null,
      } as const;
      expect(await world.connectSessions.end(session.id, failed)).toMatchObject(failed);
      expect(await world.connectSessions.end(session.id, connected)).toBeNull();
    });

    test('a connect flow is used once, by the browser that started it, in time', async () => {
      const session = world.build.connectSession(world.ours.profile);
      const bytes = (text: string) => new TextEncoder().encode(text);
      const flow = {
        sessionId: session.id,
        workspaceId: session.workspaceId,
        platform: 'sandbox_social',
        connectMethod: 'oauth',
        stateHash: bytes('state 1'),
        browserHash: bytes('browser'),
        sealedContext: bytes('sealed'),
        deliveryHash: null,
        sealedDelivery: null,
        expiresAt: world.clock.after(60_000),
      };
      const replaced = { ...flow, stateHash: bytes('state 0') };
      const late = {
        ...flow,
        stateHash: bytes('state 2'),
        browserHash: bytes('other'),
        expiresAt: world.clock.after(-1),
      };
      await world.connectSessions.insert(session);
      for (const each of [replaced, flow, late]) await world.connectSessions.insertFlow(each);
      const consume = (state: Uint8Array, browser: Uint8Array) =>
        world.connectSessions.consumeFlow(state, browser);
      expect(await consume(replaced.stateHash, replaced.browserHash)).toBeNull();
      expect(await consume(flow.stateHash, bytes('other browser'))).toBeNull();
      expect(await consume(late.stateHash, late.browserHash)).toBeNull();
      const taken = await consume(flow.stateHash, flow.browserHash);
      expect(taken && { ...taken, sealedContext: [...taken.sealedContext] }).toMatchObject({
        sessionId: session.id,
        connectMethod: 'oauth',
        sealedContext: [...flow.sealedContext],
        expiresAt: flow.expiresAt,
      });
      expect(await consume(flow.stateHash, flow.browserHash)).toBeNull();
    });

    test('a flow receives keys once, in time, and has them when it is consumed', async () => {
      const session = world.build.connectSession(world.ours.profile);
      const bytes = (text: string) => new TextEncoder().encode(text);
      const flow = (name: string, over: Partial<ConnectFlow> = {}): ConnectFlow => ({
        sessionId: session.id,
        workspaceId: session.workspaceId,
        platform: name,
        connectMethod: 'keys',
        stateHash: bytes(`state ${name}`),
        browserHash: bytes('browser'),
        sealedContext: bytes('sealed'),
        deliveryHash: bytes(`secret ${name}`),
        sealedDelivery: null,
        expiresAt: world.clock.after(60_000),
        ...over,
      });
      await world.change(async (tx) => {
        await tx.connectSessions.insert(session);
        const late = flow('late', { expiresAt: world.clock.after(-1) });
        for (const each of [flow('one'), late, flow('none', { deliveryHash: null })])
          await tx.connectSessions.insertFlow(each);
      });
      const find = (name: string) => world.connectSessions.findFlowByKeyCallback(bytes(`secret ${name}`));
      const keep = (name: string, what: string) =>
        world.connectSessions.storeKeyCallback(bytes(`secret ${name}`), bytes(what));
      expect(await find('one')).toMatchObject({
        platform: 'one',
        connectMethod: 'keys',
        sessionId: session.id,
      });
      for (const name of ['late', 'none', 'unknown']) {
        expect(await find(name)).toBeNull();
        expect(await keep(name, 'keys')).toBe(false);
      }
      const kept = await Promise.all([keep('one', 'keys'), keep('one', 'others')]);
      expect([...kept].sort()).toEqual([false, true]);
      expect(await find('one')).toBeNull();
      const taken = await world.connectSessions.consumeFlow(bytes('state one'), bytes('browser'));
      expect([...(taken?.sealedDelivery ?? [])]).toEqual([...bytes(kept[0] ? 'keys' : 'others')]);
      expect(await keep('one', 'keys')).toBe(false);
    });

    test('a connect session grows until it ends', async () => {
      const session = world.build.connectSession(world.ours.profile, { locale: 'de', maxConnections: 3 });
      const { id, workspaceId } = session;
      await world.connectSessions.insert(session);
      const connectionIds = [world.ours.connection.id];
      const expiresAt = new Date(session.expiresAt.getTime() - 1000);
      const grown = await world.connectSessions.extend(id, { connectionIds, expiresAt });
      expect(grown).toEqual({ ...session, connectionIds, expiresAt });
      await world.connectSessions.postponeExpiry(id, session.expiresAt);
      await world.connectSessions.postponeExpiry(id, expiresAt);
      expect(await world.connectSessions.find(workspaceId, id)).toEqual({ ...session, connectionIds });
      await world.connectSessions.extend(id, { connectionIds, expiresAt });
      expect(await world.connectSessions.lock(workspaceId, id)).toEqual(grown);
      const ending = { status: 'connected', error: null, connectionIds } as const;
      await world.connectSessions.end(id, ending);
      expect(await world.connectSessions.extend(id, { connectionIds: [], expiresAt })).toBeNull();
      expect(await world.connectSessions.find(workspaceId, id)).toMatchObject(ending);
    });

    test('a choice is open in its browser until it is consumed, abandoned, replaced or expired', async () => {
      const session = world.build.connectSession(world.ours.profile);
      const { workspaceId } = session;
      const bytes = (text: string) => new TextEncoder().encode(text);
      const choice = (browser: string, over: Partial<ConnectChoice> = {}): ConnectChoice => ({
        id: world.ids.next('cch'),
        sessionId: session.id,
        workspaceId,
        platform: 'sandbox_social',
        connectMethod: 'oauth',
        browserHash: bytes(browser),
        sealedLogin: bytes('sealed'),
        accounts: [world.ours.connection.account],
        accountServer: 'social.example',
        expiresAt: world.clock.after(60_000),
        ...over,
      });
      const [first, second, other] = [choice('browser'), choice('browser'), choice('other')];
      const late = choice('late', { expiresAt: world.clock.after(-1) });
      const find = async (browser: string) =>
        (await world.connectSessions.findChoice(workspaceId, session.id, bytes(browser)))?.id ?? null;
      const abandoned = async () =>
        (await world.connectSessions.listAbandonedChoices(10))
          .filter(({ sessionId }) => sessionId === session.id)
          .map(({ id }) => id)
          .sort();
      await world.connectSessions.insert(session);
      await world.connectSessions.insertChoice(first);
      expect(await world.connectSessions.findChoice(workspaceId, session.id, bytes('browser'))).toMatchObject(
        {
          id: first.id,
          platform: 'sandbox_social',
          connectMethod: 'oauth',
          expiresAt: first.expiresAt,
          accounts: first.accounts,
        },
      );
      for (const each of [second, other, late]) await world.connectSessions.insertChoice(each);
      const open = [await find('browser'), await find('other'), await find('late')];
      expect(open).toEqual([second.id, other.id, null]);
      expect(
        await world.connectSessions.findChoice(world.theirs.workspace.id, session.id, bytes('browser')),
      ).toBeNull();
      expect(await abandoned()).toEqual([first.id, late.id].sort());
      expect(await world.connectSessions.abandonChoice(other.id)).toBe(true);
      expect(await find('other')).toBeNull();
      const take = (id: ConnectChoice['id']) => world.connectSessions.consumeChoice(id);
      for (const { id } of [first, other, late]) expect(await take(id)).toBeNull();
      const last = choice('last');
      await world.connectSessions.insertChoice(last);
      expect([...((await take(last.id))?.sealedLogin ?? [])]).toEqual([...last.sealedLogin]);
      expect(await take(last.id)).toBeNull();
      expect(await world.connectSessions.abandonChoice(last.id)).toBe(false);
      await world.connectSessions.deleteChoice(first.id);
      await world.connectSessions.end(session.id, { status: 'cancelled', error: null, connectionIds: [] });
      expect(await abandoned()).toEqual([second.id, other.id, late.id].sort());
    });

    test('metrics are kept in one row per subject and hour, and the newest is read', async () => {
      const { workspace, profile, connection } = world.ours;
      const post = world.build.post(profile, [connection]);
      const [delivery] = post.deliveries;
      if (!delivery) throw new Error('a post without a delivery');
      const at = (text: string) => new Date(`2026-02-01T${text}Z`);
      const taken = (likes: number, takenAt: Date, deliveryId: typeof delivery.id | null = delivery.id) => ({
        workspaceId: workspace.id,
        connectionId: connection.id,
        deliveryId,
        metrics: { ...noMetrics, likes },
        takenAt,
      });
      const latest = taken(7, at('11:20:00'));
      await world.posts.insert(post);
      await world.snapshots.insert([taken(1, at('10:05:00')), taken(5, at('11:10:00')), latest]);
      await world.snapshots.insert([taken(3, at('09:00:00'), null)]);
      expect(await world.snapshots.listLatest(workspace.id, [delivery.id])).toEqual(
        new Map([[delivery.id, latest]]),
      );
      expect(await world.snapshots.findFirstTime(workspace.id, [connection.id])).toEqual(at('09:00:00'));
    });

    test('what is due to be read is claimed once', async () => {
      const { workspace, profile } = world.ours;
      const hoursAgo = (hours: number) => world.clock.after(-hours * 3_600_000);
      const connection = world.build.connection(profile);
      const publishedOn = (on: Connection, publishedAt: Date, status: DeliveryStatus = 'published') =>
        world.build.post(profile, [on], {}, { status, publishedAt });
      const posts = [
        publishedOn(connection, hoursAgo(2)),
        publishedOn(connection, hoursAgo(100)),
        publishedOn(connection, hoursAgo(100 * 24)),
        // Due in five minutes: read with the others of its account.
        publishedOn(connection, hoursAgo(55 / 60)),
      ];
      const notDue = [
        publishedOn(connection, hoursAgo(0.5)),
        publishedOn(connection, hoursAgo(2), 'deleted'),
        publishedOn(connection, hoursAgo(2), 'failed'),
      ];
      await world.insert(connection, ...posts, ...notDue);
      const claim = async () =>
        (await world.snapshots.claimDue(1000)).filter(({ connectionId }) => connectionId === connection.id);
      const [claimed, ...rest] = await claim();
      expect(rest).toEqual([]);
      expect(claimed).toEqual({
        workspaceId: workspace.id,
        connectionId: connection.id,
        deliveryIds: expect.arrayContaining(
          posts.flatMap(({ deliveries }) => deliveries.map(({ id }) => id)),
        ) as unknown,
        externalPostIds: [],
        includesAccount: true,
      });
      expect(claimed?.deliveryIds).toHaveLength(posts.length);
      expect(await claim()).toEqual([]);
    });

    test('concurrent snapshots are one row, and an older one never replaces a newer one', async () => {
      const { workspace, connection } = world.ours;
      const taken = (followers: number, time: string) => ({
        workspaceId: workspace.id,
        connectionId: connection.id,
        deliveryId: null,
        metrics: { ...noMetrics, followers },
        takenAt: new Date(`2026-02-03T${time}Z`),
      });
      const newest = taken(9, '10:50:00');
      await Promise.all(
        [taken(1, '10:10:00'), newest, taken(2, '10:20:00'), taken(3, '10:30:00')].map((snapshot) =>
          world.snapshots.insert([snapshot]),
        ),
      );
      await world.snapshots.insert([newest, taken(4, '10:40:00')]);
      expect(await world.snapshots.listLatestOfAccounts(workspace.id, [connection.id])).toEqual(
        new Map([[connection.id, newest]]),
      );
    });

    test('of two concurrent first data keys, and of two canaries, the first is kept', async () => {
      const key = (byte: number) => ({
        workspaceId: world.ours.workspace.id,
        version: 1,
        masterKeyId: 'master',
        wrapped: new Uint8Array([byte]),
      });
      const read = async (found: Promise<{ wrapped: Uint8Array } | null>) => [
        ...((await found)?.wrapped ?? []),
      ];
      expect(await read(world.dataKeys.insert(key(1)))).toEqual([1]);
      expect(await read(world.dataKeys.insert(key(2)))).toEqual([1]);
      expect(await read(world.dataKeys.find(world.ours.workspace.id))).toEqual([1]);
      expect(await world.dataKeys.find(null)).toBeNull();

      expect(await world.canaries.find()).toBeNull();
      expect([...(await world.canaries.insert(new Uint8Array([1])))]).toEqual([1]);
      expect([...(await world.canaries.insert(new Uint8Array([2])))]).toEqual([1]);
      expect([...((await world.canaries.find()) ?? [])]).toEqual([1]);
    });
  });
}

import { describe, expect, test } from '@jest/globals';
import { memorySocial, remoteAccount } from '../../testing/environment/memory-social.js';
import { createTestEnvironment, type TestEnvironment } from '../../testing/environment/test-environment.js';
import { memoryWebhooksOfStore } from '../../testing/stores/memory-webhooks-of-store.js';
import type { KeyPolicy } from '../access/policy.js';
import { refuse } from '../failure.js';
import type { AtomicPorts, Job, Ports } from '../ports/index.js';
import { ok } from '../result.js';
import { Secret } from '../secret.js';
import { credentialBinding } from './credential.js';
import type { Connection } from './connection.js';
import { disconnect } from './disconnect.js';
import { getConnection } from './get-connection.js';
import { listConnections, type ListConnections } from './list-connections.js';
import { revokeGrant } from './revoke-grant.js';
import { updateConnection, type UpdateConnection } from './update-connection.js';

async function withCredential(it: TestEnvironment, over: Partial<Connection> = {}) {
  const connection = await it.connect(over);
  const vault = await it.ports.vault.unlock(it.workspace.id);
  if (!vault.ok) throw new Error(vault.failure.code);
  await it.repositories.credentials.insert({
    connectionId: connection.id,
    workspaceId: it.workspace.id,
    generation: 3,
    sealed: vault.value.seal(credentialBinding(connection.id, 3), new Secret('the grant')),
    accessExpiresAt: null,
  });
  return connection;
}

const never = new AbortController().signal;

describe('disconnecting', () => {
  const end = (it: TestEnvironment, id: string, policy: Partial<KeyPolicy> = {}) =>
    it.atomic((ports) => disconnect(ports, it.call({}, policy), { id }));

  test('destroys the credential, cancels unsent deliveries, and enqueues a job that can revoke the grant', async () => {
    const it = await createTestEnvironment();
    const connection = await withCredential(it);
    const post = it.build.post(it.profile, [connection]);
    await it.repositories.posts.insert(post);
    expect(await end(it, connection.id)).toMatchObject({ value: { id: connection.id } });
    expect(await it.repositories.connections.find(it.workspace.id, connection.id)).toBeNull();
    expect(await it.repositories.credentials.find(it.workspace.id, connection.id)).toBeNull();
    expect(await it.repositories.posts.find(it.workspace.id, post.id)).toMatchObject({
      deliveries: [{ status: 'cancelled' }],
    });
    expect(await it.repositories.deliveries.listHistory(it.workspace.id, post.id)).toMatchObject([
      { kind: 'state', outcome: 'cancelled', actor: expect.stringMatching(/^key_/) },
    ]);
    expect(it.events()).toMatchObject([
      { type: 'connection.disconnected', data: { cancelled_deliveries: 1 } },
    ]);
    const [{ job } = { job: undefined }] = it.jobs();
    expect(await revokeGrant(it.ports, job as Extract<Job, { name: 'revoke_grant' }>, never)).toMatchObject({
      ok: true,
    });
    expect(it.revoked).toEqual(['the grant']);
  });

  test('removes the webhooks of the store; a removal that fails does not delay the revocation, and is retried', async () => {
    const it = await createTestEnvironment();
    const { id: connectionId, workspaceId } = await withCredential(it);
    const webhooks = memoryWebhooksOfStore();
    const find = (name: string) => ({
      ...it.ports.platforms.find(name),
      orders: { webhooks: webhooks.ability },
    });
    const ports = { ...it.ports, platforms: { ...it.ports.platforms, find } } as unknown as Ports;
    await it.atomic(async (tx) => {
      await tx.storeWebhooks.wake({ workspaceId, connectionId }, { address: 'address' });
      return ok();
    });
    const url = 'https://switchboard.example/store-webhooks/address';
    webhooks.registered.set('wh_1', { url, secret: new Secret('a secret') });
    await end(it, connectionId);
    expect(await it.repositories.storeWebhooks.findByAddress('address')).toBeNull();
    const job = it.jobs()[0]?.job as Extract<Job, { name: 'revoke_grant' }>;
    webhooks.switches.fails = 'platform.unavailable';
    expect(await revokeGrant(ports, job, never)).toMatchObject({ failure: { code: 'platform.unavailable' } });
    expect(it.revoked).toEqual(['the grant']);
    webhooks.switches.fails = null;
    expect(await revokeGrant(ports, job, never)).toMatchObject({ ok: true });
    expect(webhooks.registered.size).toBe(0);
  });

  test('and changing leave a connection alone that has just left the key’s reach', async () => {
    const it = await createTestEnvironment();
    const other = it.build.profile(it.workspace);
    await it.repositories.profiles.insert(other);
    const { id } = await it.connect();
    const racing = ({ connections, ...ports }: AtomicPorts): AtomicPorts => {
      const leave = () => connections.update(it.workspace.id, id, { profileId: other.id });
      return {
        ...ports,
        connections: {
          ...connections,
          async find(...of) {
            const found = await connections.find(...of);
            await leave();
            return found;
          },
          async lock(...of) {
            await leave();
            return connections.lock(...of);
          },
        },
      };
    };
    const call = () => it.call({}, { profileIds: [it.profile.id] });
    const gone = { failure: { code: 'connection.not_found' } };
    expect(await it.atomic((ports) => disconnect(racing(ports), call(), { id }))).toMatchObject(gone);
    const changes = { id, label: 'taken over' };
    expect(await it.atomic((ports) => updateConnection(racing(ports), call(), changes))).toMatchObject(gone);
    expect(await it.repositories.connections.find(it.workspace.id, id)).toMatchObject({ label: null });
  });

  test('twice concurrently happens once', async () => {
    const it = await createTestEnvironment();
    const connection = await withCredential(it);
    const ends = await Promise.all([end(it, connection.id), end(it, connection.id)]);
    expect(ends.filter((one) => one.ok)).toHaveLength(1);
    expect([it.jobs().length, it.events().length]).toEqual([1, 1]);
  });

  test('is rejected out of the key’s reach', async () => {
    const it = await createTestEnvironment();
    const connection = await withCredential(it);
    expect(await end(it, connection.id, { profileIds: [] })).toMatchObject({
      failure: { code: 'connection.not_found' },
    });
    expect(await it.repositories.connections.find(it.workspace.id, connection.id)).not.toBeNull();
  });
});

describe('revoking a grant', () => {
  async function job(it: TestEnvironment, over: Partial<Extract<Job, { name: 'revoke_grant' }>> = {}) {
    const { id, workspaceId, profileId } = await withCredential(it);
    const credential = await it.repositories.credentials.find(workspaceId, id);
    if (!credential) throw new Error('no credential');
    const { generation, sealed } = credential;
    await it.repositories.connections.delete(workspaceId, id);
    const facts = { platform: 'sandbox_social', connectMethod: 'oauth', server: null, connectionId: id };
    return { name: 'revoke_grant', workspaceId, profileId, generation, sealed, ...facts, ...over } as const;
  }

  test('is retried when the platform or the vault is unavailable', async () => {
    const it = await createTestEnvironment();
    const work = await job(it);
    it.vault.available = false;
    expect(await revokeGrant(it.ports, work, never)).toMatchObject({
      failure: { code: 'vault.unavailable' },
    });
    it.vault.available = true;
    const revoke = async () => refuse('platform.unavailable', 'Later.');
    const ports = { ...it.ports, authorizers: { ...it.ports.authorizers, revoke } };
    expect(await revokeGrant(ports, work, never)).toMatchObject({
      failure: { code: 'platform.unavailable' },
    });
    expect(await revokeGrant(it.ports, work, never)).toMatchObject({ ok: true });
    expect(it.revoked).toEqual(['the grant']);
  });

  test('is skipped while another connection uses the same grant, and happens after the last', async () => {
    const it = await createTestEnvironment();
    const work = await job(it);
    const sibling = await withCredential(it, { account: remoteAccount('a second page') });
    expect(await revokeGrant(it.ports, work, never)).toMatchObject({ ok: true });
    expect(it.revoked).toEqual([]);
    await it.repositories.connections.delete(it.workspace.id, sibling.id);
    expect(await revokeGrant(it.ports, work, never)).toMatchObject({ ok: true });
    expect(it.revoked).toEqual(['the grant']);
  });

  test('receives the other connections of the same account, which may share the grant', async () => {
    const it = await createTestEnvironment();
    const { id } = await withCredential(it, { account: remoteAccount('a channel') });
    await withCredential(it, { account: remoteAccount('another channel') });
    const sharesGrant = (_connectMethod: unknown, _one: unknown, _other: unknown, ofOneAccount?: boolean) =>
      ofOneAccount === true;
    const ports = { ...it.ports, authorizers: { ...it.ports.authorizers, sharesGrant } };
    await it.atomic((tx) => disconnect(tx, it.call(), { id }));
    const work = it.jobs().at(-1)?.job as Extract<Job, { name: 'revoke_grant' }>;
    const again = await withCredential(it, { account: remoteAccount('a channel') });
    expect(await revokeGrant(ports, work, never)).toMatchObject({ ok: true });
    expect(it.revoked).toEqual([]);
    await it.repositories.connections.delete(it.workspace.id, again.id);
    expect(await revokeGrant(ports, work, never)).toMatchObject({ ok: true });
    expect(it.revoked).toEqual(['the grant']);
  });

  test('ends when the platform is gone or the credential cannot be opened', async () => {
    const it = await createTestEnvironment();
    for (const over of [{ platform: 'nonsense' }, { connectMethod: 'nonsense' }, { generation: 7 }]) {
      expect(await revokeGrant(it.ports, await job(it, over), never)).toMatchObject({ ok: true });
    }
    expect(it.revoked).toEqual([]);
  });
});

describe('a list of connections', () => {
  async function many() {
    const it = await createTestEnvironment([memorySocial(), memorySocial({ id: 'bluesky' })]);
    const other = it.build.profile(it.workspace);
    await it.repositories.profiles.insert(other);
    const ours: Connection[] = [];
    for (let count = 0; count < 5; count++) ours.unshift(await it.connect());
    const theirs = await it.connect({ platform: 'bluesky' }, other);
    const list = (command: Partial<ListConnections> = {}, policy: Partial<KeyPolicy> = {}) =>
      listConnections(it.ports, it.call({}, policy), { limit: 2, ...command });
    return { ...it, other, ours, theirs, list };
  }

  test('is paginated, each connection once, newest first', async () => {
    const it = await many();
    const ids: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await it.list({ profileId: it.profile.id, cursor });
      if (!page.ok) throw new Error(page.failure.code);
      ids.push(...page.value.items.map(({ connection }) => connection.id));
      cursor = page.value.nextCursor ?? undefined;
    } while (cursor !== undefined);
    expect(ids).toEqual(it.ours.map(({ id }) => id));
  });

  test('contains only what the key reaches', async () => {
    const it = await many();
    const page = await it.list({ limit: 100 }, { profileIds: [it.other.id] });
    expect(page).toMatchObject({
      value: { items: [{ connection: { id: it.theirs.id } }], nextCursor: null },
    });
    expect(await it.list({}, { profileIds: [] })).toMatchObject({ value: { items: [] } });
  });

  test.each([
    ['another filter', { status: ['active'] as const }, {}],
    ['another profile', { profileId: undefined }, {}],
  ])('rejects a cursor that was created for %s', async (_what, command, policy) => {
    const it = await many();
    const page = await it.list({ profileId: it.profile.id });
    const cursor = page.ok ? (page.value.nextCursor ?? undefined) : undefined;
    expect(await it.list({ profileId: it.profile.id, ...command, cursor }, policy)).toMatchObject({
      failure: { code: 'request.invalid_cursor' },
    });
  });

  test('rejects a cursor that was created with a wider reach', async () => {
    const it = await many();
    const page = await it.list();
    const cursor = page.ok ? (page.value.nextCursor ?? undefined) : undefined;
    expect(await it.list({ cursor }, { profileIds: [it.profile.id] })).toMatchObject({
      failure: { code: 'request.invalid_cursor' },
    });
  });

  test('of an unknown, foreign or unreachable profile is not found', async () => {
    const it = await many();
    const missing = await it.list({ profileId: 'nonsense' });
    expect(missing).toMatchObject({ failure: { code: 'profile.not_found' } });
    expect(await it.list({ profileId: it.other.id }, { profileIds: [it.profile.id] })).toEqual(missing);
  });

  test('shows the scheduled posts of each', async () => {
    const it = await createTestEnvironment();
    const connection = await it.connect();
    const scheduledAt = it.clock.after(3_600_000);
    await it.repositories.posts.insert(it.build.post(it.profile, [connection], { scheduledAt }));
    expect(await listConnections(it.ports, it.call(), { limit: 2 })).toMatchObject({
      value: { items: [{ scheduledPosts: 1, nextPostAt: scheduledAt }] },
    });
  });
});

describe('changing a connection', () => {
  const change = (it: TestEnvironment, command: UpdateConnection, ifMatch?: string) =>
    it.atomic((ports) => updateConnection(ports, it.call({ ifMatch }), command));

  test('changes only the named fields', async () => {
    const it = await createTestEnvironment();
    const before = await it.connect({ externalId: 'x' });
    expect(await change(it, { id: before.id, label: 'Ours' })).toMatchObject({
      value: { connection: { label: 'Ours', externalId: 'x', version: 2 } },
    });
  });

  test('keeps the version when nothing changes', async () => {
    const it = await createTestEnvironment();
    const { id, profileId } = await it.connect({ label: 'Ours', metadata: { a: '1', b: '2' } });
    for (const same of [{}, { label: 'Ours', profileId, metadata: { b: '2', a: '1' } }]) {
      expect(await change(it, { id, ...same }, '"1"')).toMatchObject({
        value: { connection: { version: 1 } },
      });
    }
  });

  test('requires the version that was read, where one is sent', async () => {
    const it = await createTestEnvironment();
    const { id } = await it.connect();
    expect(await change(it, { id, label: 'one' }, '"1"')).toMatchObject({ ok: true });
    for (const stale of ['"1"', 'nonsense', '']) {
      expect(await change(it, { id, label: 'two' }, stale)).toMatchObject({
        failure: { code: 'request.precondition_failed' },
      });
    }
    expect(await change(it, { id, label: 'three' }, '*')).toMatchObject({ ok: true });
  });

  test('compares the version under the lock', async () => {
    const it = await createTestEnvironment();
    const { id } = await it.connect();
    const order: string[] = [];
    await it.atomic((ports) => {
      const { lock, update } = ports.connections;
      return updateConnection(
        {
          ...ports,
          connections: {
            ...ports.connections,
            lock: (...which) => (order.push('lock'), lock(...which)),
            update: (...what) => (order.push('update'), update(...what)),
          },
        },
        it.call({ ifMatch: '"1"' }),
        { id, label: 'one' },
      );
    });
    expect(order).toEqual(['lock', 'update']);
  });

  test('moves it to a reachable profile, unless the same account is connected there', async () => {
    const it = await createTestEnvironment();
    const other = it.build.profile(it.workspace);
    await it.repositories.profiles.insert(other);
    const { id } = await it.connect({ account: remoteAccount('ada') });
    expect(await change(it, { id, profileId: 'nonsense' })).toMatchObject({
      failure: { code: 'profile.not_found' },
    });
    expect(await change(it, { id, profileId: it.profile.id })).toMatchObject({ ok: true });
    const twin = await it.connect({ account: remoteAccount('ada') }, other);
    expect(await change(it, { id, profileId: other.id })).toMatchObject({
      failure: { code: 'connection.exists', details: { id: twin.id } },
    });
    await it.repositories.connections.delete(it.workspace.id, twin.id);
    expect(await change(it, { id, profileId: other.id })).toMatchObject({
      value: { connection: { profileId: other.id } },
    });
  });
});

describe('refreshing an account from the platform', () => {
  const ask = (it: TestEnvironment, id: string) => getConnection(it.ports, it.call(), { id, refresh: true });

  test('stores the response', async () => {
    const it = await createTestEnvironment();
    const { id } = await it.connect({ account: { ...remoteAccount('ada'), name: 'Old' } });
    expect(await ask(it, id)).toMatchObject({ value: { connection: { account: { name: 'ada' } } } });
    expect((await it.repositories.connections.find(it.workspace.id, id))?.lastCheckedAt).not.toBeNull();
  });

  test('changes nothing when the platform cannot be queried, or returns another account', async () => {
    const it = await createTestEnvironment();
    const { id } = await it.connect({ account: remoteAccount('bob') });
    const before = await ask(it, id);
    expect(before).toMatchObject({ value: { connection: { account: remoteAccount('bob') } } });
    it.doors.sessionResult = refuse('platform.unavailable', 'Later.');
    expect(await ask(it, id)).toEqual(before);
    it.doors.sessionResult = ok(undefined);
    for (const social of it.socials) social.accounts = refuse('platform.unavailable', 'Later.');
    expect(await ask(it, id)).toEqual(before);
  });
});

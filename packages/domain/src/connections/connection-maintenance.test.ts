import { beforeEach, expect, test } from '@jest/globals';
import { memorySocial, createTestEnvironment, type TestEnvironment } from '../../testing/index.js';
import { refuse } from '../failure.js';
import { ok } from '../result.js';
import { credentialBinding, type RefreshReceipt } from './credential.js';
import type { Connection } from './connection.js';
import {
  renewDueCredentials,
  applyOldReceipts,
  reviewConnections,
  warnOfExpiry,
} from './connection-maintenance.js';
import { Secret } from '../secret.js';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const never = new AbortController().signal;

let it: TestEnvironment;
beforeEach(async () => {
  it = await createTestEnvironment([memorySocial({ manifest: { permissions: { publishing: ['post'] } } })]);
});

const watch = () => reviewConnections(it.ports, never);
const warn = () => warnOfExpiry(it.ports, never);
const listEvents = () =>
  it.events().map(({ type, data }) => [type, data['reason'] ?? null, data['days_left'] ?? null] as const);
const read = async ({ id, workspaceId }: Connection) => {
  const found = await it.repositories.connections.find(workspaceId, id);
  if (!found) throw new Error('it is gone');
  return found;
};
async function connectedUntil(accessExpiresAt: Date, over: Partial<Connection> = {}): Promise<Connection> {
  const connection = await it.connect(over);
  const { id: connectionId, workspaceId } = connection;
  const credential = { connectionId, workspaceId, generation: 1, sealed: new Uint8Array([1]) };
  await it.repositories.credentials.insert({ ...credential, accessExpiresAt });
  return connection;
}
async function receiptOf(connection: Connection): Promise<RefreshReceipt> {
  const { id: connectionId, workspaceId, profileId, platform, connectMethod, server } = connection;
  const unlocked = await it.vault.unlock(workspaceId);
  if (!unlocked.ok) throw new Error(unlocked.failure.code);
  const receipt = {
    attempt: it.ids.next('att'),
    connectionId,
    workspaceId,
    profileId,
    platform,
    connectMethod,
    server,
    generation: 2,
    accessExpiresAt: it.clock.after(HOUR_MS),
    permissions: ['post'],
    sealed: unlocked.value.seal(credentialBinding(connectionId, 2), new Secret('the next token')),
  };
  await it.transactions.run(async (tx) => ok(await tx.credentials.storeReceipt(receipt)));
  return receipt;
}

test('an expiring login that cannot be renewed causes a warning fourteen, three and one days before, each once', async () => {
  const connection = await it.connect({ expiresAt: it.clock.after(60 * DAY_MS) });
  for (let day = 60; day > 0; day--) {
    for (let time = 0; time < 3; time++) await warn();
    const { status } = await read(connection);
    expect([day, status]).toEqual([day, day > 14 ? 'active' : 'degraded']);
    it.clock.advance(DAY_MS);
  }
  expect(listEvents()).toEqual([
    ['connection.degraded', 'ends_soon', 14],
    ['connection.degraded', 'ends_soon', 3],
    ['connection.degraded', 'ends_soon', 1],
  ]);
  expect(it.events()[0]?.data).toMatchObject({
    connection_id: connection.id,
    expires_at: connection.expiresAt?.toISOString(),
    next: { operation: 'startConnect', arguments: { connection_id: connection.id } },
  });
  expect(it.auditRows().map(({ action }) => action)).toEqual(Array(3).fill('connection.degraded'));
});

test('a connection that missed several warnings gets only the latest', async () => {
  await it.connect({ expiresAt: it.clock.after(DAY_MS / 2) });
  await warn();
  await warn();
  expect(listEvents()).toEqual([['connection.degraded', 'ends_soon', 1]]);
});

test('a missing permission degrades a connection with its name in the reason, once, until it is granted', async () => {
  const connection = await it.connect({ grantedPermissions: ['read'] });
  await watch();
  await watch();
  expect(await read(connection)).toMatchObject({
    status: 'degraded',
    statusReason: expect.stringContaining('post') as unknown,
  });
  expect(listEvents()).toEqual([['connection.degraded', 'permission_missing', null]]);
  const granted = { grantedPermissions: ['read', 'post'] };
  await it.repositories.connections.update(connection.workspaceId, connection.id, granted);
  await watch();
  expect(await read(connection)).toMatchObject({ status: 'active', statusReason: null });
  expect(listEvents().at(-1)).toEqual(['connection.restored', null, null]);
});

test('a connection whose app is missing stays degraded as long as it is missing, although its login does not expire', async () => {
  const connection = await it.connect({ status: 'active', appMissing: true });
  await watch();
  await watch();
  expect(await read(connection)).toMatchObject({
    status: 'degraded',
    statusReason: expect.stringContaining('Configure the app again') as unknown,
  });
  await it.repositories.connections.update(connection.workspaceId, connection.id, { appMissing: false });
  await watch();
  expect(await read(connection)).toMatchObject({ status: 'active', statusReason: null });
  expect(listEvents().at(-1)).toEqual(['connection.restored', null, null]);
});

test('a connection with unknown permissions and one that needs reauthorization are not changed', async () => {
  await it.connect({ grantedPermissions: [] });
  await it.connect({
    status: 'needs_reauth',
    expiresAt: it.clock.after(DAY_MS),
    grantedPermissions: ['read'],
  });
  await watch();
  await warn();
  expect(listEvents()).toEqual([]);
});

test('credentials are renewed ahead of their expiry even if one renewal fails; those backing off or not due are skipped', async () => {
  const [soon, late] = [it.clock.after(HOUR_MS), it.clock.after(20 * HOUR_MS)];
  const first = await connectedUntil(soon);
  const second = await connectedUntil(soon);
  await connectedUntil(late);
  const { renew } = it.ports.sessions;
  const sessions = {
    ...it.ports.sessions,
    renew: async (connection: Connection, generation: number) => {
      await renew(connection, generation);
      return connection.id === first.id
        ? refuse('platform.unavailable', 'down')
        : Promise.reject(new Error('broken'));
    },
  };
  expect(await renewDueCredentials({ ...it.ports, sessions }, never)).toBe(0);
  it.clock.advance(0.95 * HOUR_MS);
  await expect(renewDueCredentials({ ...it.ports, sessions }, never)).rejects.toThrow('1 items failed');
  expect([...it.renewed].sort()).toEqual([`${first.id} 1`, `${second.id} 1`].sort());
});

test('a receipt of a stopped process is applied, and one of a deleted connection is revoked, each once', async () => {
  const kept = await connectedUntil(it.clock.after(HOUR_MS));
  await receiptOf(kept);
  const gone = await connectedUntil(it.clock.after(HOUR_MS));
  await it.repositories.connections.delete(gone.workspaceId, gone.id);
  await receiptOf(gone);
  await applyOldReceipts(it.ports, never);
  expect(it.jobs()).toEqual([]);
  it.clock.advance(11_000);
  for (let time = 0; time < 2; time++) await applyOldReceipts(it.ports, never);
  expect(await it.repositories.credentials.find(kept.workspaceId, kept.id)).toMatchObject({ generation: 2 });
  expect(it.jobs().map(({ job }) => job)).toMatchObject([
    { name: 'revoke_grant', connectionId: gone.id, platform: gone.platform, generation: 2 },
  ]);
});

test('a receipt that cannot be applied does not block the others', async () => {
  const [one, other] = [
    await connectedUntil(it.clock.after(HOUR_MS)),
    await connectedUntil(it.clock.after(HOUR_MS)),
  ];
  await receiptOf(one);
  await receiptOf(other);
  it.clock.advance(11_000);
  let runs = 0;
  const { run } = it.ports.transactions;
  const transactions: typeof it.ports.transactions = {
    run: (...work) => (runs++ === 0 ? Promise.reject(new Error('broken')) : run(...work)),
  };
  await expect(applyOldReceipts({ ...it.ports, transactions }, never)).rejects.toThrow('1 items failed');
  const generations = await Promise.all(
    [one, other].map(
      async ({ workspaceId, id }) => (await it.repositories.credentials.find(workspaceId, id))?.generation,
    ),
  );
  expect(generations.sort()).toEqual([1, 2]);
});

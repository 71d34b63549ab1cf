import { expect, test } from '@jest/globals';
import { createTestEnvironment } from '../../testing/environment/test-environment.js';
import { credentialBinding } from '../connections/credential.js';
import type { WorkspaceId } from '../ids.js';
import { Secret } from '../secret.js';
import { deleteWorkspace } from './delete-workspace.js';

const never = new AbortController().signal;

async function setting(connections: number) {
  const it = await createTestEnvironment();
  const unlocked = await it.vault.unlock(it.workspace.id);
  if (!unlocked.ok) throw new Error(unlocked.failure.code);
  const dataKey = {
    workspaceId: it.workspace.id,
    version: 1,
    masterKeyId: 'm',
    wrapped: new Uint8Array([1]),
  };
  await it.repositories.dataKeys.insert(dataKey);
  const made = Array.from({ length: connections }, () => it.build.connection(it.profile));
  for (const connection of made) {
    await it.repositories.connections.insert(connection);
    await it.repositories.credentials.insert({
      connectionId: connection.id,
      workspaceId: it.workspace.id,
      generation: 1,
      accessExpiresAt: null,
      sealed: unlocked.value.seal(
        credentialBinding(connection.id, 1),
        new Secret(`token of ${connection.id}`),
      ),
    });
  }
  return { it, ids: made.map(({ id }) => id) };
}

test('revokes every grant, then deletes, and writes an audit row', async () => {
  const { it, ids } = await setting(120);
  const deleted = await deleteWorkspace(it.ports, it.workspace.id, never);
  if (!deleted.ok) throw new Error(deleted.failure.code);
  expect([...deleted.value.revoked].sort()).toEqual([...ids].sort());
  expect(deleted.value.notRevoked).toEqual([]);
  expect([...it.revoked].sort()).toEqual(ids.map((id) => `token of ${id}`).sort());
  expect(await it.repositories.workspaces.find(it.workspace.id)).toBeNull();
  expect(it.auditRows().at(-1)).toMatchObject({
    action: 'deleteWorkspace',
    object: it.workspace.id,
    workspaceId: it.workspace.id,
    details: { name: it.workspace.name, revoked: 120, not_revoked: 0 },
  });
});

test('deletes although the vault is unavailable or the deadline has passed, and lists the grants that were not revoked', async () => {
  for (const [available, signal] of [
    [false, never],
    [true, AbortSignal.abort()],
  ] as const) {
    const { it, ids } = await setting(2);
    it.vault.available = available;
    const deleted = await deleteWorkspace(it.ports, it.workspace.id, signal);
    expect(deleted).toMatchObject({ ok: true, value: { revoked: [] } });
    expect(deleted.ok && [...deleted.value.notRevoked].sort()).toEqual([...ids].sort());
    expect(it.revoked).toEqual([]);
    expect(await it.repositories.workspaces.find(it.workspace.id)).toBeNull();
  }
});

test('a deletion that was interrupted is continued by the same call (finding 88)', async () => {
  const { it, ids } = await setting(3);
  const post = it.build.post(it.profile, []);
  await it.repositories.posts.insert(post);
  let batches = 0;
  const transactions = {
    run: (work: never, patience: never) => {
      // The first transaction disables the workspace, the second one deletes a batch.
      if (++batches === 3) throw new Error('killed');
      return it.ports.transactions.run(work, patience);
    },
  } as unknown as typeof it.ports.transactions;
  await expect(deleteWorkspace({ ...it.ports, transactions }, it.workspace.id, never)).rejects.toThrow(
    'killed',
  );
  expect(await it.repositories.posts.find(it.workspace.id, post.id)).toBeNull();
  expect((await it.repositories.workspaces.find(it.workspace.id))?.id).toBe(it.workspace.id);
  expect(it.revoked).toHaveLength(ids.length);
  const continued = await deleteWorkspace(it.ports, it.workspace.id, never);
  expect(continued).toMatchObject({ ok: true, value: { notRevoked: [] } });
  expect(await it.repositories.workspaces.find(it.workspace.id)).toBeNull();
});

test('an unknown workspace is not found', async () => {
  const it = await createTestEnvironment();
  const missing = 'wsp_01kah3v5w8e2m6r9t0x4y7z1ab' as WorkspaceId;
  expect(await deleteWorkspace(it.ports, missing, never)).toMatchObject({
    failure: { code: 'workspace.not_found' },
  });
});

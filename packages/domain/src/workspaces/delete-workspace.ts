import type { Connection } from '../connections/connection.js';
import { credentialBinding } from '../connections/credential.js';
import { notFound } from '../failure.js';
import type { ConnectionId, WorkspaceId } from '../ids.js';
import type { Ports, UnlockedVault } from '../ports/index.js';
import { ok, type Result } from '../result.js';
import type { Workspace } from './workspace.js';

interface DeletedWorkspace {
  readonly workspace: Workspace;
  /** Connections whose grants the platforms revoked, and those whose revocation failed. */
  readonly revoked: readonly ConnectionId[];
  readonly notRevoked: readonly ConnectionId[];
}

type DeletionPorts = Pick<
  Ports,
  | 'transactions'
  | 'workspaces'
  | 'connections'
  | 'credentials'
  | 'vault'
  | 'authorizers'
  | 'manifests'
  | 'mediaFiles'
>;

const AT_ONCE = 8;

/** The posts, events, … that one transaction deletes: it holds locks for a second at most. */
const BATCH = 2000;

/**
 * Deletes a tenant. Its grants are first revoked at the platforms, best effort until `signal` aborts, because
 * they cannot be opened afterwards. Then one transaction destroys its data keys and its API keys, and others
 * delete its rows, except the audit rows, in batches. After a crash, the same call continues. Only the
 * operator can do this, no key.
 */
export async function deleteWorkspace(
  ports: DeletionPorts,
  id: WorkspaceId,
  signal: AbortSignal,
): Promise<Result<DeletedWorkspace, 'workspace.not_found'>> {
  const workspace = await ports.workspaces.find(id);
  if (!workspace) return notFound('workspace');
  const revoked = await revokeAll(ports, id, signal);
  const disabled = await ports.transactions.run(async (tx) => {
    // Read in the transaction: the grant of a connection created since then was not revoked. Without a data
    // key, an earlier call has destroyed the grants, and reported them.
    const isRepeated = (await tx.dataKeys.find(id)) === null;
    const connections = isRepeated ? [] : await allConnections(tx, id);
    if (!(await tx.workspaces.disable(id))) return notFound('workspace');
    const notRevoked = connections.filter((connection) => !revoked.has(connection.id)).map((one) => one.id);
    await tx.audit.append({
      workspaceId: id,
      actor: 'system:operator',
      action: 'deleteWorkspace',
      object: id,
      outcome: 'ok',
      requestId: '',
      details: { name: workspace.name, revoked: revoked.size, not_revoked: notRevoked.length },
    });
    return ok(notRevoked);
  });
  if (!disabled.ok) return disabled;
  for (let isDone = false; !isDone;) {
    const batch = await ports.transactions.run(async (tx) => ok(await tx.workspaces.deleteRows(id, BATCH)));
    isDone = !batch.ok || batch.value === 0;
  }
  const deleted = await ports.transactions.run(async (tx) => ok(await tx.workspaces.delete(id)), 'lasting');
  // A file that cannot be removed now is no longer referenced and is swept.
  if (deleted.ok && deleted.value) await ports.mediaFiles.remove(deleted.value.files).catch(() => undefined);
  return ok({ workspace, revoked: [...revoked], notRevoked: disabled.value });
}

async function revokeAll(
  ports: DeletionPorts,
  id: WorkspaceId,
  signal: AbortSignal,
): Promise<ReadonlySet<ConnectionId>> {
  const revoked = new Set<ConnectionId>();
  const vault = await ports.vault.unlock(id);
  if (!vault.ok) return revoked;
  const waiting = await allConnections(ports, id);
  const work = async () => {
    for (let next = waiting.pop(); next && !signal.aborted; next = waiting.pop()) {
      if (await revokeConnection(ports, vault.value, next).catch(() => false)) revoked.add(next.id);
    }
  };
  const ended = new Promise<void>((resolve) =>
    signal.addEventListener('abort', () => resolve(), { once: true }),
  );
  await Promise.race([Promise.all(Array.from({ length: AT_ONCE }, work)), ended]);
  return new Set(revoked);
}

async function revokeConnection(
  ports: DeletionPorts,
  vault: UnlockedVault,
  { id, workspaceId, profileId, platform, connectMethod: connectMethodId, server }: Connection,
): Promise<boolean> {
  const manifest = ports.manifests.find(platform);
  const connectMethod = manifest?.connect.find((one) => one.id === connectMethodId);
  const stored = await ports.credentials.find(workspaceId, id);
  if (!manifest || !connectMethod || !stored) return false;
  const credential = vault.open(credentialBinding(id, stored.generation), stored.sealed);
  if (!credential.ok) return false;
  const request = { workspaceId, profileId, manifest, connectMethod, server, credential: credential.value };
  return (await ports.authorizers.revoke(request)).ok;
}

async function allConnections(ports: Pick<Ports, 'connections'>, id: WorkspaceId): Promise<Connection[]> {
  const all: Connection[] = [];
  for (let after: string | undefined; ;) {
    const rows = await ports.connections.list(id, { reach: null }, { limit: 100, after });
    all.push(...(await ports.connections.listByIds(rows.items.map(({ connection }) => connection.id))));
    if (rows.next === undefined) return all;
    after = rows.next;
  }
}

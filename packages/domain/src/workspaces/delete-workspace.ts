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

/**
 * Deletes a tenant. Its grants are first revoked at the platforms, best effort until `signal` aborts, because
 * they cannot be opened afterwards. Then one transaction destroys its data keys, ends its keys and deletes
 * all of its data except its audit rows. Only the operator can do this, no key.
 */
export async function deleteWorkspace(
  ports: DeletionPorts,
  id: WorkspaceId,
  signal: AbortSignal,
): Promise<Result<DeletedWorkspace, 'workspace.not_found'>> {
  const workspace = await ports.workspaces.find(id);
  if (!workspace) return notFound('workspace');
  const revoked = await revokeAll(ports, id, signal);
  const deleted = await ports.transactions.run(async (tx) => {
    // Read in the transaction: the grant of a connection created since then was not revoked.
    const connections = await allConnections(tx, id);
    const removed = await tx.workspaces.delete(id);
    if (!removed) return notFound('workspace');
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
    return ok({ files: removed.files, notRevoked });
  }, 'lasting');
  if (!deleted.ok) return deleted;
  const { files, notRevoked } = deleted.value;
  // A file that cannot be removed now is no longer referenced and is swept.
  await ports.mediaFiles.remove(files).catch(() => undefined);
  return ok({ workspace, revoked: [...revoked], notRevoked });
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
    all.push(...rows.items.map(({ connection }) => connection));
    if (rows.next === undefined) return all;
    after = rows.next;
  }
}

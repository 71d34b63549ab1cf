import type { CredentialName, Job, Tools, Tx } from '../ports/index.js';
import type { RefreshReceipt } from './credential.js';
import { reviewStanding, type Reviewer } from './review-standing.js';

/** Puts what a renewal received in its place. False when nothing waits for that. */
export async function applyReceipt(
  tools: Pick<Tools, 'manifests' | 'ids' | 'clock'>,
  tx: Tx,
  { workspaceId, connectionId }: CredentialName,
  by: Reviewer,
): Promise<boolean> {
  const applied = await tx.credentials.applyReceipt(workspaceId, connectionId);
  if (!applied) return false;
  const connection = await tx.connections.lock(workspaceId, connectionId);
  if (!connection) return true;
  const { permissions } = applied;
  const changed = !sameSet(permissions, connection.grantedPermissions);
  if (changed) {
    await tx.audit.append({
      workspaceId,
      actor: by.actor,
      action: 'connection.permissions_changed',
      object: connectionId,
      outcome: 'ok',
      requestId: by.requestId,
      details: {
        platform: connection.platform,
        before: [...connection.grantedPermissions],
        after: [...permissions],
      },
    });
  }
  // Also where the login had been given up: what was received late is a login again.
  const manifest = tools.manifests.find(connection.platform);
  const changes = {
    ...(changed && { grantedPermissions: permissions }),
    ...(connection.appMissing && { appMissing: false }),
  };
  await reviewStanding(tools, tx, { connection, manifest, changes }, by);
  return true;
}

/** The same; and where the account was disconnected meanwhile, what was received is given back. */
export async function settleReceipts(
  tools: Pick<Tools, 'manifests' | 'ids' | 'clock'>,
  tx: Tx,
  name: CredentialName,
  by: Reviewer,
): Promise<boolean> {
  if (await applyReceipt(tools, tx, name, by)) return true;
  if (await tx.credentials.find(name.workspaceId, name.connectionId)) return false;
  for (const receipt of await tx.credentials.takeReceipts(name.workspaceId, name.connectionId)) {
    await tx.jobs.enqueue(revocationOf(receipt));
  }
  return false;
}

type Revoked = Omit<RefreshReceipt, 'attempt' | 'permissions' | 'accessExpiresAt'> & { accountId?: string };

export const revocationOf = ({
  workspaceId,
  connectionId,
  profileId,
  platform,
  way,
  server,
  generation,
  sealed,
  accountId,
}: Revoked): Job => ({
  name: 'revoke_grant',
  workspaceId,
  connectionId,
  profileId,
  platform,
  way,
  server,
  generation,
  sealed,
  accountId,
});

const sameSet = (left: readonly string[], right: readonly string[]): boolean =>
  left.length === right.length && left.every((each) => right.includes(each));

import type { CredentialKey, Job, Tools, Tx } from '../ports/index.js';
import type { StoreWebhook } from '../orders/store-webhook.js';
import type { RefreshReceipt } from './credential.js';
import { updateConnectionHealth, type AuditContext } from './update-connection-health.js';

/** Applies the result of a refresh to its connection. False when no connection needs it. */
export async function applyReceipt(
  tools: Pick<Tools, 'manifests' | 'ids' | 'clock'>,
  tx: Tx,
  { workspaceId, connectionId }: CredentialKey,
  by: AuditContext,
): Promise<boolean> {
  const applied = await tx.credentials.applyReceipt(workspaceId, connectionId);
  if (!applied) return false;
  const connection = await tx.connections.lock(workspaceId, connectionId);
  if (!connection) return true;
  const { permissions } = applied;
  const changed = !isSameSet(permissions, connection.grantedPermissions);
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
  // Also when the login had been marked as needing reauthorization: a late refresh result makes it valid
  // again.
  const manifest = tools.manifests.find(connection.platform);
  const changes = {
    ...(changed && { grantedPermissions: permissions }),
    ...(connection.appMissing && { appMissing: false }),
  };
  await updateConnectionHealth(tools, tx, { connection, manifest, changes }, by);
  return true;
}

/** The same; if the account was disconnected meanwhile, the received grant is revoked. */
export async function settleReceipts(
  tools: Pick<Tools, 'manifests' | 'ids' | 'clock'>,
  tx: Tx,
  name: CredentialKey,
  by: AuditContext,
): Promise<boolean> {
  if (await applyReceipt(tools, tx, name, by)) return true;
  if (await tx.credentials.find(name.workspaceId, name.connectionId)) return false;
  for (const receipt of await tx.credentials.deleteReceipts(name.workspaceId, name.connectionId)) {
    await tx.jobs.enqueue(revocationOf(receipt));
  }
  return false;
}

type RevocableCredential = Omit<RefreshReceipt, 'attempt' | 'permissions' | 'accessExpiresAt'> & {
  accountId?: string;
  webhook?: StoreWebhook;
};

export const revocationOf = ({
  workspaceId,
  connectionId,
  profileId,
  platform,
  connectMethod,
  server,
  generation,
  sealed,
  accountId,
  webhook,
}: RevocableCredential): Job => ({
  name: 'revoke_grant',
  workspaceId,
  connectionId,
  profileId,
  platform,
  connectMethod,
  server,
  generation,
  sealed,
  accountId,
  ...(webhook && { webhook: { address: webhook.address, externalIds: webhook.externalIds } }),
});

const isSameSet = (left: readonly string[], right: readonly string[]): boolean =>
  left.length === right.length && left.every((each) => right.includes(each));

import { WORKER } from '../call.js';
import { catchAdapterErrors } from '../catch-adapter-errors.js';
import { isTransient } from '../failure.js';
import { storeWebhookUrl } from '../orders/store-webhook.js';
import type { ConnectMethod, Job, Manifest, Ports, UnlockedVault } from '../ports/index.js';
import { ok, type Result } from '../result.js';
import type { Secret } from '../secret.js';
import { accountServerOf } from './account-identity.js';
import { credentialBinding } from './credential.js';

type RevokePorts = Pick<
  Ports,
  | 'auditCounter'
  | 'authorizers'
  | 'connections'
  | 'credentials'
  | 'ids'
  | 'manifests'
  | 'platforms'
  | 'settings'
  | 'vault'
>;
type RevokeJob = Extract<Job, { name: 'revoke_grant' }>;

/**
 * Revokes a disconnected account's grant at the platform, unless another connection uses it: a login may have
 * opened several accounts. Before that removes the store's webhooks. A transient failure is returned, so that the job is retried.
 */
export async function revokeGrant(
  ports: RevokePorts,
  job: RevokeJob,
  signal: AbortSignal,
): Promise<Result<undefined>> {
  const manifest = ports.manifests.find(job.platform);
  const connectMethod = manifest?.connect.find(({ id }) => id === job.connectMethod);
  if (!manifest || !connectMethod) return ok();
  const vault = await ports.vault.unlock(job.workspaceId);
  // The data key was deleted with its workspace: the credential cannot be opened.
  if (!vault.ok) return vault.failure.code === 'vault.unreadable' ? ok() : vault;
  const credential = vault.value.open(credentialBinding(job.connectionId, job.generation), job.sealed);
  if (!credential.ok) return ok();
  const removed = await removeWebhooks(ports, job, { manifest, connectMethod }, credential.value, signal);
  if (
    await isShared(
      ports,
      job,
      accountServerOf(manifest, job.server),
      connectMethod,
      vault.value,
      credential.value,
    )
  )
    return removed;
  const { workspaceId, profileId, server } = job;
  await ports.auditCounter.count({
    workspaceId,
    actor: WORKER,
    action: 'token.used',
    object: job.connectionId,
    outcome: 'ok',
    requestId: ports.ids.next('req'),
    details: { platform: job.platform, purpose: 'revoke' },
  });
  const revoked = await ports.authorizers.revoke({
    workspaceId,
    profileId,
    manifest,
    connectMethod,
    server,
    credential: credential.value,
  });
  return revoked.ok ? removed : revoked;
}

/**
 * Does not renew a token. A store that keeps webhooks whose address is gone disables them itself, and a removal that
 * failed does not delay the revocation.
 */
async function removeWebhooks(
  { authorizers, platforms, settings }: RevokePorts,
  { platform, webhook, server }: RevokeJob,
  { manifest, connectMethod }: { readonly manifest: Manifest; readonly connectMethod: ConnectMethod },
  credential: Secret,
  signal: AbortSignal,
): Promise<Result<undefined>> {
  const webhooks = platforms.find(platform)?.orders?.webhooks;
  if (!webhook || !webhooks) return ok();
  const grant = { credential, accessExpiresAt: null, expiresAt: null, permissions: [], server };
  const session = await authorizers.openSession(manifest, connectMethod, grant, signal);
  if (!session.ok) return ok();
  const { address, externalIds } = webhook;
  const removed = await catchAdapterErrors(() =>
    webhooks.remove(session.value, { url: storeWebhookUrl(settings.publicUrl, address), externalIds }),
  );
  return removed.ok || !isTransient(removed.failure) ? ok() : removed;
}

async function isShared(
  { connections, credentials, authorizers }: RevokePorts,
  { workspaceId, platform, accountId }: RevokeJob,
  accountServer: string,
  connectMethod: ConnectMethod,
  vault: UnlockedVault,
  credential: Secret,
): Promise<boolean> {
  const sameAccount =
    accountId === undefined
      ? []
      : await connections.listByAccount(workspaceId, { platform, server: accountServer, id: accountId });
  const filter = { reach: null, platforms: [platform] };
  let after: string | undefined;
  do {
    const rows = await connections.list(workspaceId, filter, { limit: 100, after });
    for (const { connection } of rows.items) {
      const stored =
        connection.connectMethod === connectMethod.id
          ? await credentials.find(workspaceId, connection.id)
          : null;
      const other = stored && vault.open(credentialBinding(connection.id, stored.generation), stored.sealed);
      const isSameAccount = sameAccount.some(({ id }) => id === connection.id);
      if (other?.ok && authorizers.sharesGrant(connectMethod, credential, other.value, isSameAccount))
        return true;
    }
    after = rows.next;
  } while (after !== undefined);
  return false;
}

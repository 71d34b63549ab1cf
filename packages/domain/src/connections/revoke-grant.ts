import { WORKER } from '../call.js';
import type { ConnectMethod, Job, Ports, UnlockedVault } from '../ports/index.js';
import { ok, type Result } from '../result.js';
import type { Secret } from '../secret.js';
import { accountServerOf } from './account-identity.js';
import { credentialBinding } from './credential.js';

type RevokePorts = Pick<
  Ports,
  'auditCounter' | 'authorizers' | 'connections' | 'credentials' | 'ids' | 'manifests' | 'vault'
>;
type RevokeJob = Extract<Job, { name: 'revoke_grant' }>;

/**
 * Revokes a disconnected account's grant at the platform, unless another connection uses it: a login may have
 * opened several accounts. A transient failure is returned, so that the job is retried.
 */
export async function revokeGrant(ports: RevokePorts, job: RevokeJob): Promise<Result<undefined>> {
  const manifest = ports.manifests.find(job.platform);
  const connectMethod = manifest?.connect.find(({ id }) => id === job.connectMethod);
  if (!manifest || !connectMethod) return ok();
  const vault = await ports.vault.unlock(job.workspaceId);
  // The data key was deleted with its workspace: the credential cannot be opened.
  if (!vault.ok) return vault.failure.code === 'vault.unreadable' ? ok() : vault;
  const credential = vault.value.open(credentialBinding(job.connectionId, job.generation), job.sealed);
  if (!credential.ok) return ok();
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
    return ok();
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
  return ports.authorizers.revoke({
    workspaceId,
    profileId,
    manifest,
    connectMethod,
    server,
    credential: credential.value,
  });
}

async function isShared(
  { connections, credentials, authorizers }: RevokePorts,
  { workspaceId, platform, accountId }: RevokeJob,
  accountServer: string,
  connectMethod: ConnectMethod,
  vault: UnlockedVault,
  credential: Secret,
): Promise<boolean> {
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
      const isSameAccount = connection.account.id === accountId && connection.accountServer === accountServer;
      if (other?.ok && authorizers.sharesGrant(connectMethod, credential, other.value, isSameAccount))
        return true;
    }
    after = rows.next;
  } while (after !== undefined);
  return false;
}

import { WORKER } from '../call.js';
import type { Job, Ports } from '../ports/index.js';
import { ok, type Result } from '../result.js';
import { credentialBinding } from './credential.js';

/** Gives a disconnected account's grant back to the platform. A failure that may pass is answered, so that the job runs again. */
export async function revokeGrant(
  ports: Pick<Ports, 'auditCounter' | 'authorizers' | 'ids' | 'manifests' | 'vault'>,
  job: Extract<Job, { name: 'revoke_grant' }>,
): Promise<Result<undefined>> {
  const manifest = ports.manifests.find(job.platform);
  const way = manifest?.connect.find(({ id }) => id === job.way);
  if (!manifest || !way) return ok();
  const vault = await ports.vault.unlock(job.workspaceId);
  // Its data key is gone with its workspace: nobody opens this any more.
  if (!vault.ok) return vault.failure.code === 'vault.unreadable' ? ok() : vault;
  const credential = vault.value.open(credentialBinding(job.connectionId, job.generation), job.sealed);
  if (!credential.ok) return ok();
  const { workspaceId, profileId, server } = job;
  await ports.auditCounter.count({
    ...{ workspaceId, actor: WORKER, action: 'token.used', object: job.connectionId, outcome: 'ok' },
    requestId: ports.ids.next('req'),
    details: { platform: job.platform, purpose: 'revoke' },
  });
  return ports.authorizers.revoke({
    ...{ workspaceId, profileId, manifest, way, server },
    credential: credential.value,
  });
}

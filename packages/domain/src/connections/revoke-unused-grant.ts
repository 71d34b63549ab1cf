import type { ProfileId, WorkspaceId } from '../ids.js';
import type { PlatformFailureCode, Ports } from '../ports/index.js';
import { ok, type Result } from '../result.js';
import { accountServerOf } from './account-identity.js';
import type { PlatformLogin } from './read-accounts.js';

interface UnusedGrant extends PlatformLogin {
  readonly workspaceId: WorkspaceId;
  readonly profileId: ProfileId;
  /** Every account that the login opens; null when unknown. */
  readonly remoteAccountIds: readonly string[] | null;
}

/**
 * Revokes a login that will not be used, best effort. Some platforms revoke all logins of an account at once:
 * if one of its accounts is already connected here, the login is kept.
 */
export async function revokeUnusedGrant(
  ports: Pick<Ports, 'authorizers' | 'connections'>,
  { workspaceId, profileId, manifest, connectMethod, grant, remoteAccountIds }: UnusedGrant,
): Promise<Result<undefined, PlatformFailureCode>> {
  const platform = manifest.id;
  const accountServer = accountServerOf(manifest, grant.server);
  const isUnknown = remoteAccountIds === null;
  if (isUnknown && (await ports.connections.listPlatforms(workspaceId, null, [platform])).length > 0)
    return ok();
  for (const id of remoteAccountIds ?? []) {
    const account = { platform, server: accountServer, id };
    if ((await ports.connections.listByAccount(workspaceId, account)).length > 0) return ok();
  }
  const { server, credential } = grant;
  return ports.authorizers.revoke({ workspaceId, profileId, manifest, connectMethod, server, credential });
}

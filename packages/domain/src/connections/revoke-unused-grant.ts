import type { ProfileId, WorkspaceId } from '../ids.js';
import type { ConnectMethod, Grant, Manifest, PlatformFailureCode, Ports } from '../ports/index.js';
import { ok, type Result } from '../result.js';
import { accountServerOf } from './account-identity.js';

interface UnusedGrant {
  readonly workspaceId: WorkspaceId;
  readonly profileId: ProfileId;
  readonly manifest: Manifest;
  readonly connectMethod: ConnectMethod;
  readonly grant: Grant;
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
  const accountServer = accountServerOf(manifest, grant.server);
  const filter = { reach: null, platforms: [manifest.id] };
  let after: string | undefined;
  do {
    const rows = await ports.connections.list(workspaceId, filter, { limit: 100, after });
    const isShared = ({ connection }: (typeof rows.items)[number]) =>
      remoteAccountIds === null ||
      (connection.accountServer === accountServer && remoteAccountIds.includes(connection.account.id));
    if (rows.items.some(isShared)) return ok();
    after = rows.next;
  } while (after !== undefined);
  const { server, credential } = grant;
  return ports.authorizers.revoke({ workspaceId, profileId, manifest, connectMethod, server, credential });
}

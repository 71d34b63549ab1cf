import type { ProfileId, WorkspaceId } from '../ids.js';
import type { ConnectWay, Grant, Manifest, PlatformFailureCode, Ports } from '../ports/index.js';
import { ok, type Result } from '../result.js';
import { accountServerOf } from './account-identity.js';

export interface Superfluous {
  readonly workspaceId: WorkspaceId;
  readonly profileId: ProfileId;
  readonly manifest: Manifest;
  readonly way: ConnectWay;
  readonly grant: Grant;
  /** Every account that the login opens; null where nobody knows. */
  readonly remoteAccountIds: readonly string[] | null;
}

/**
 * Gives a login back that nothing will be connected with, as well as that can be done. Some platforms take all logins of
 * an account back at once: where one of its accounts is connected here already, this one stays.
 */
export async function giveBack(
  ports: Pick<Ports, 'authorizers' | 'connections'>,
  { workspaceId, profileId, manifest, way, grant, remoteAccountIds }: Superfluous,
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
  return ports.authorizers.revoke({ workspaceId, profileId, manifest, way, server, credential });
}

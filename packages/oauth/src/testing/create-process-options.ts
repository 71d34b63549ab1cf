import type { WorkspaceId } from '@switchboard/domain';
import type { Connection } from '@switchboard/domain/connections';
import type { Grant, Manifest, Outbound } from '@switchboard/domain/ports';
import { guardedFetch } from '@switchboard/egress';
import type { AuthorizersOptions } from '../open-authorizers.js';
import { createManifests, unencryptedVault, testIds, type TestStore } from './create-test-store.js';

/** The options of a process that connects accounts of one platform, independent of the servers. */
export const createProcessOptions = (
  store: TestStore,
  outbound: Outbound,
  manifest: Manifest,
): Omit<AuthorizersOptions, 'outbound' | 'agents' | 'apps' | 'origins'> => ({
  connections: store.connections,
  credentials: store.credentials,
  transactions: store.transactions,
  auditCounter: store.auditCounter,
  vault: unencryptedVault,
  clock: store.clock,
  ids: testIds,
  manifests: createManifests(manifest),
  atproto: {
    fetch: guardedFetch(outbound),
    publicUrl: 'http://127.0.0.1:9',
    clientName: 'Test',
    keys: async () => [],
    plcDirectoryUrl: null,
    handleResolverUrl: null,
    allowHttp: false,
  },
});

/** Stores a connection of the account with this grant. */
export async function storeGrant(
  store: TestStore,
  grant: Grant,
  fields: { readonly id: string; readonly workspaceId: WorkspaceId } & Pick<
    Connection,
    'platform' | 'connectMethod' | 'server'
  >,
  account: Pick<Connection['account'], 'id' | 'username'>,
): Promise<Connection> {
  const connection = {
    ...fields,
    profileId: 'prf_test',
    status: 'active',
    account: { ...account, name: null, avatarUrl: null, url: null },
    grantedPermissions: grant.permissions,
    refusedPermissions: [],
    expiresAt: grant.expiresAt,
    warnedDays: null,
    appMissing: false,
    watchOrders: false,
    version: 1,
  } as unknown as Connection;
  await store.storeConnection(connection, grant.credential, grant.accessExpiresAt);
  return connection;
}

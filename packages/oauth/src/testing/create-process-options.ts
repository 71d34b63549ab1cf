import type { Manifest, Outbound } from '@switchboard/domain/ports';
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

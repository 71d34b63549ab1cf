import type { Manifest, Outbound } from '@switchboard/domain';
import { guardedFetch } from '@switchboard/egress';
import type { AuthorizersOptions } from '../open-authorizers.js';
import { manifestsOf, openVault, testIds, type Memory } from './memory.js';

/** What a process that connects accounts of one platform has, whichever servers it talks to. */
export const processOn = (
  store: Memory,
  outbound: Outbound,
  manifest: Manifest,
): Omit<AuthorizersOptions, 'outbound' | 'agents' | 'apps' | 'origins'> => ({
  connections: store.connections,
  credentials: store.credentials,
  transactions: store.transactions,
  auditCounter: store.auditCounter,
  vault: openVault,
  clock: store.clock,
  ids: testIds,
  manifests: manifestsOf(manifest),
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

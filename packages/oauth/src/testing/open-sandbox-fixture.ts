import { guardedAgents, undiciOutbound } from '@switchboard/egress';
import { ok, Secret, type ProfileId, type WorkspaceId } from '@switchboard/domain';
import type { Connection } from '@switchboard/domain/connections';
import type { ConnectMethod, Grant, Manifest } from '@switchboard/domain/ports';
import { SANDBOX_CLIENT, startSandbox } from '@switchboard/sandbox';
import type { OAuthApp } from '../oauth2-client.js';
import { openAuthorizers } from '../open-authorizers.js';
import { createTestStore, type TestStore } from './create-test-store.js';
import { createProcessOptions, storeGrant } from './create-process-options.js';
import { submitConsent, type FetchFunction } from './submit-consent.js';

export const workspaceId = 'wsp_test' as WorkspaceId;
export const profileId = 'prf_test' as ProfileId;
export const redirectUri = 'http://127.0.0.1:9/oauth/callback/sandbox_social';
export const signal = new AbortController().signal;

export const connectMethod: ConnectMethod = {
  id: 'oauth',
  scheme: 'oauth2',
  label: 'Continue',
  fields: [],
  needsApp: true,
  oauth2: {
    authorizePath: '/social/oauth/authorize',
    tokenPath: '/social/oauth/token',
    revokePath: '/social/oauth/revoke',
    permissions: ['profile', 'posts:write', 'posts:read', 'insights:read'],
    pkce: true,
    clientAuth: 'header',
    issuerPath: '/social',
  },
};

export const manifest = {
  id: 'sandbox_social',
  name: 'Sandbox Social',
  kind: 'social',
  connect: [connectMethod],
  permissions: { publishing: ['posts:write', 'posts:read'] },
  baseUrl: null,
  authBaseUrl: null,
} as unknown as Manifest;

export const createRevokeRequest = ({ server, credential }: Grant) => ({
  workspaceId,
  profileId,
  manifest,
  connectMethod,
  server,
  credential,
});

export async function openSandboxFixture(fetch: FetchFunction, reachable: readonly string[] = []) {
  const sandbox = await startSandbox();
  let connections = 0;
  const allowPrivateHosts = [sandbox.url, ...reachable].map((url) => new URL(url).host);
  // Many tests make the same world fail: the circuit breaker closes at once.
  const outbound = undiciOutbound({ allowPrivateHosts, userAgent: 'test', breakerOpenMs: 0 });
  const agents = guardedAgents({ allowPrivateHosts });
  /** The configured apps; the first one is the default. */
  const apps: OAuthApp[] = [{ clientId: SANDBOX_CLIENT.id, clientSecret: new Secret(SANDBOX_CLIENT.secret) }];

  /** One process: several share one store as they would share a database. */
  const open = (store: TestStore, authBaseUrl = sandbox.url) =>
    openAuthorizers({
      outbound,
      agents,
      apps: {
        find: async ({ clientId }) =>
          ok(apps.find((app) => clientId === undefined || app.clientId === clientId) ?? null),
      },
      origins: () => ({ baseUrl: sandbox.url, authBaseUrl }),
      ...createProcessOptions(store, outbound, manifest),
    });

  async function connect(account: string, store: TestStore = createTestStore()): Promise<Grant> {
    const { authorizers } = open(store);
    const base = { workspaceId, profileId, manifest, connectMethod, redirectUri, signal };
    const begun = await authorizers.begin({ ...base, fieldValues: {}, state: 'st4te' });
    if (!begun.ok) throw new Error(begun.failure.message);
    const parameters = await submitConsent(fetch, begun.value.url, 'approve', account);
    const grant = await authorizers.complete({ ...base, parameters, context: begun.value.context });
    if (!grant.ok) throw new Error(grant.failure.message);
    return grant.value;
  }

  return {
    sandbox,
    apps,
    outbound,
    agents,
    open,
    connect,
    /** A stored connection of one of the sandbox's accounts. */
    async connection(account: string, store: TestStore): Promise<Connection> {
      const id = `con_${account}_${(connections += 1)}`;
      const fields = {
        id,
        workspaceId,
        platform: manifest.id,
        server: null,
        connectMethod: connectMethod.id,
      };
      return storeGrant(store, await connect(account, store), fields, { id: account, username: account });
    },
    async close() {
      agents.close();
      await outbound.close();
      await sandbox.close();
    },
  };
}

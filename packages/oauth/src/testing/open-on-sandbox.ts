import { guardedAgents, undiciOutbound } from '@switchboard/egress';
import {
  ok,
  Secret,
  type Connection,
  type ConnectWay,
  type Grant,
  type Manifest,
  type ProfileId,
  type WorkspaceId,
} from '@switchboard/domain';
import { SANDBOX_CLIENT, startSandbox } from '@switchboard/simulators';
import type { App } from '../oauth2-client.js';
import { openAuthorizers } from '../open-authorizers.js';
import { memory, type Memory } from './memory.js';
import { processOn } from './process-on.js';
import { answerConsent, type Fetch } from './sandbox-person.js';

export const workspaceId = 'wsp_test' as WorkspaceId;
export const profileId = 'prf_test' as ProfileId;
export const redirectUri = 'http://127.0.0.1:9/oauth/callback/sandbox_social';
export const signal = new AbortController().signal;

export const way: ConnectWay = {
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
  connect: [way],
  permissions: { publishing: ['posts:write', 'posts:read'] },
  baseUrl: null,
  authBaseUrl: null,
} as unknown as Manifest;

/** Gives a grant back. */
export const revocation = ({ server, credential }: Grant) => ({
  workspaceId,
  profileId,
  manifest,
  way,
  server,
  credential,
});

export async function openOnSandbox(fetch: Fetch, reachable: readonly string[] = []) {
  const sandbox = await startSandbox();
  let connections = 0;
  const allowPrivateHosts = [sandbox.url, ...reachable].map((url) => new URL(url).host);
  // One world serves many tests that each make it fail: it is asked again at once.
  const outbound = undiciOutbound({ allowPrivateHosts, userAgent: 'test', restMs: 0 });
  const agents = guardedAgents({ allowPrivateHosts });
  /** The apps that are set up; the first serves. */
  const apps: App[] = [{ clientId: SANDBOX_CLIENT.id, clientSecret: new Secret(SANDBOX_CLIENT.secret) }];

  /** One process: several of them share a memory as they would a database. */
  const open = (store: Memory, authBaseUrl = sandbox.url) =>
    openAuthorizers({
      outbound,
      agents,
      apps: {
        find: async ({ clientId }) =>
          ok(apps.find((app) => clientId === undefined || app.clientId === clientId) ?? null),
      },
      origins: () => ({ baseUrl: sandbox.url, authBaseUrl }),
      ...processOn(store, outbound, manifest),
    });

  async function connect(account: string, store: Memory = memory()): Promise<Grant> {
    const { authorizers } = open(store);
    const begun = await authorizers.begin({
      workspaceId,
      profileId,
      manifest,
      way,
      answers: {},
      redirectUri,
      state: 'st4te',
      signal,
    });
    if (!begun.ok) throw new Error(begun.failure.message);
    const parameters = await answerConsent(fetch, begun.value.url, 'approve', account);
    const { context } = begun.value;
    const grant = await authorizers.complete({
      workspaceId,
      profileId,
      manifest,
      way,
      redirectUri,
      parameters,
      context,
      signal,
    });
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
    async connection(account: string, store: Memory): Promise<Connection> {
      const grant = await connect(account, store);
      const stored = {
        id: `con_${account}_${(connections += 1)}`,
        workspaceId,
        profileId: 'prf_test',
        platform: manifest.id,
        status: 'active',
        account: { id: account, username: account, name: null, avatarUrl: null, url: null },
        server: null,
        way: way.id,
        grantedPermissions: grant.permissions,
        expiresAt: grant.expiresAt,
        warnedDays: null,
        appMissing: false,
        version: 1,
      } as unknown as Connection;
      await store.keep(stored, grant.credential, grant.accessExpiresAt);
      return stored;
    },
    async close() {
      agents.close();
      await outbound.close();
      await sandbox.close();
    },
  };
}

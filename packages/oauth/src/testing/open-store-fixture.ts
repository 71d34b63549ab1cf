import { guardedAgents, undiciOutbound } from '@switchboard/egress';
import { ok, Secret, type ProfileId, type WorkspaceId } from '@switchboard/domain';
import type { Connection } from '@switchboard/domain/connections';
import type { CompleteRequest, ConnectMethod, Grant, Manifest } from '@switchboard/domain/ports';
import { startServer, type WireResponse, type WireRequest } from '@switchboard/simulators';
import type { OAuthApp } from '../oauth2-client.js';
import { openAuthorizers } from '../open-authorizers.js';
import { createTestStore } from './create-test-store.js';
import { createProcessOptions, storeGrant } from './create-process-options.js';
import type { FetchFunction } from './submit-consent.js';

export const APP = { clientId: 'our-app', clientSecret: 'our-secret' };
export const redirectUri = 'https://switchboard.example/oauth/callback/store';
const workspaceId = 'wsp_test' as WorkspaceId;
const profileId = 'prf_test' as ProfileId;
const signal = new AbortController().signal;

interface SimulatedPlatform {
  serve(request: WireRequest): WireResponse | null;
  /** The first request of an adapter. */
  api(request: WireRequest): WireResponse;
}

interface StoreFixtureOptions {
  readonly consentBaseUrl: string | null;
  /** The platform's own URL, unused here. */
  readonly baseUrl: string | null;
  readonly apiVersion: string | null;
  /** Where the manifest places the analytics origin; all origins are this server. */
  readonly analyticsBaseUrl: string | undefined;
  /** The same for a further origin. */
  readonly accountsBaseUrl: string | undefined;
  readonly userAgent: string;
}

/** One connect method, at a simulated platform's OAuth. */
export async function openStoreFixture(
  fetch: FetchFunction,
  connectMethod: ConnectMethod,
  simulated: SimulatedPlatform,
  {
    consentBaseUrl = null,
    baseUrl = null,
    apiVersion = null,
    analyticsBaseUrl,
    accountsBaseUrl,
    userAgent,
  }: Partial<StoreFixtureOptions> = {},
) {
  const server = await startServer((request) => simulated.serve(request) ?? simulated.api(request));
  const host = new URL(server.url).host;
  const outbound = undiciOutbound({ allowPrivateHosts: [host], userAgent: 'test', breakerOpenMs: 0 });
  const agents = guardedAgents({ allowPrivateHosts: [host] });
  const manifest = {
    id: 'store',
    name: 'Store',
    kind: 'commerce',
    connect: [connectMethod],
    permissions: { orders: ['read_orders'] },
    baseUrl,
    authBaseUrl: null,
    apiVersion,
    analyticsBaseUrl,
    ...(accountsBaseUrl !== undefined && { otherBaseUrls: { accounts: accountsBaseUrl } }),
    userAgent,
  } as unknown as Manifest;
  const store = createTestStore();
  const apps: OAuthApp[] = [{ clientId: APP.clientId, clientSecret: new Secret(APP.clientSecret) }];
  const lookups = new Set<string>();
  const { authorizers, sessions } = openAuthorizers({
    outbound,
    agents,
    apps: {
      async find({ platformId }) {
        lookups.add(`app of ${platformId}`);
        return ok(apps[0] ?? null);
      },
    },
    origins(platformId) {
      lookups.add(`origins of ${platformId}`);
      return {
        baseUrl: server.url,
        authBaseUrl: server.url,
        consentBaseUrl,
        analyticsBaseUrl: server.url,
        otherBaseUrls: { accounts: server.url },
      };
    },
    ...createProcessOptions(store, outbound, manifest),
  });
  const base = { workspaceId, profileId, manifest, connectMethod, signal };

  async function begin(answers: Readonly<Record<string, string>> = {}) {
    const begun = await authorizers.begin({ ...base, fieldValues: answers, redirectUri, state: 'st4te' });
    if (!begun.ok) throw new Error(begun.failure.message);
    const { url, context } = begun.value;
    return {
      url: new URL(url),
      complete: (parameters: CompleteRequest['parameters']) =>
        authorizers.complete({ ...base, redirectUri, parameters, context }),
    };
  }

  /** Submits the store's consent page as a browser: returns the query of the callback. */
  async function consent(url: URL, decision: 'approve' | 'deny' = 'approve') {
    const answer = await fetch(url.origin + url.pathname, {
      method: 'POST',
      body: new URLSearchParams({ ...Object.fromEntries(url.searchParams), decision }),
      redirect: 'manual',
    });
    return Object.fromEntries(new URL(answer.headers.get('location') ?? 'about:blank').searchParams);
  }

  async function connect(answers: Readonly<Record<string, string>> = {}): Promise<Grant> {
    const { url, complete } = await begin(answers);
    const grant = await complete(await consent(url));
    if (!grant.ok) throw new Error(grant.failure.message);
    return grant.value;
  }

  let kept = 0;
  return {
    server,
    store,
    apps,
    manifest,
    connectMethod,
    authorizers,
    sessions,
    begin,
    consent,
    connect,
    login: (answers: Readonly<Record<string, string>>) =>
      authorizers.login({ ...base, fieldValues: answers }),
    revoke: ({ server: at, credential }: Grant) => authorizers.revoke({ ...base, server: at, credential }),
    /** The token of a stored login, by the header that carries it. */
    async ask(grant: Grant, path = '/orders') {
      const session = await authorizers.openSession(manifest, connectMethod, grant, signal);
      if (!session.ok) throw new Error(session.failure.message);
      return session.value.request({ method: 'GET', path, effect: 'read' });
    },
    /** The platforms whose app and origins were looked up. */
    appPlatforms: () => [...lookups].sort(),
    keep(grant: Grant): Promise<Connection> {
      const id = `con_${(kept += 1)}`;
      const { server: at } = grant;
      const fields = { id, workspaceId, platform: manifest.id, server: at, connectMethod: connectMethod.id };
      return storeGrant(store, grant, fields, { id: `account-${kept}`, username: null });
    },
    asked: (path: string) =>
      server
        .exchanges()
        .map(({ request }) => request)
        .filter((request) => request.path === path),
    async close() {
      agents.close();
      await outbound.close();
      await server.close();
    },
  };
}

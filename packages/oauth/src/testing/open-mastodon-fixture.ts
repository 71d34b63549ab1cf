import { guardedAgents, undiciOutbound } from '@switchboard/egress';
import { ok, type ProfileId, type WorkspaceId } from '@switchboard/domain';
import type { ConnectMethod, Grant, Manifest } from '@switchboard/domain/ports';
import type { RunningMastodon } from '@switchboard/simulators';
import { openAuthorizers } from '../open-authorizers.js';
import type { FetchFunction } from './submit-consent.js';
import { createProcessOptions } from './create-process-options.js';
import { createTestStore, type TestStore } from './create-test-store.js';

export const workspaceId = 'wsp_test' as WorkspaceId;
const profileId = 'prf_test' as ProfileId;
export const redirectUri = 'http://127.0.0.1:9/oauth/callback/mastodon';
export const signal = new AbortController().signal;
export const ALICE = '109000000000000001';

export const connectMethod: ConnectMethod = {
  id: 'oauth',
  scheme: 'mastodon_oauth',
  label: 'Continue',
  fields: [],
  needsApp: false,
};

export const manifest = {
  id: 'mastodon',
  name: 'Mastodon',
  kind: 'social',
  connect: [connectMethod],
  permissions: {
    publishing: ['write:statuses', 'read:statuses', 'write:media'],
    analytics: ['read:statuses', 'read:accounts'],
  },
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

/** Mastodon's grants over real HTTP; only these local servers are reachable. */
export function openMastodonFixture(
  fetch: FetchFunction,
  reachable: readonly string[],
  store: TestStore = createTestStore(),
) {
  const allowPrivateHosts = reachable.map((url) => new URL(url).host);
  const outbound = undiciOutbound({ allowPrivateHosts, userAgent: 'test', breakerOpenMs: 0 });
  const agents = guardedAgents({ allowPrivateHosts });
  const options = createProcessOptions(store, outbound, manifest);
  const { authorizers, sessions } = openAuthorizers({
    outbound,
    agents,
    ...options,
    apps: { find: async () => ok(null) },
    origins: () => ({ baseUrl: null, authBaseUrl: null }),
    atproto: { ...options.atproto, clientName: 'Switchboard', allowHttp: true },
  });
  const base = { workspaceId, profileId, manifest, connectMethod, redirectUri, signal };
  const begin = (instance: string, state = 'st4te') =>
    authorizers.begin({ ...base, fieldValues: { instance }, state });

  async function beginFlow(instance: string) {
    const began = await begin(instance);
    if (!began.ok) throw new Error(began.failure.message);
    const { url, context } = began.value;
    const complete = (parameters: Readonly<Record<string, string>>) =>
      authorizers.complete({ ...base, parameters, context });
    return { url, context, complete };
  }

  async function connect(instance: RunningMastodon): Promise<Grant> {
    const { url, complete } = await beginFlow(instance.url);
    const grant = await complete(await submitMastodonConsent(fetch, url, 'approve'));
    if (!grant.ok) throw new Error(grant.failure.message);
    return grant.value;
  }

  return {
    authorizers,
    sessions,
    begin,
    begun: beginFlow,
    connect,
    async close() {
      agents.close();
      await outbound.close();
    },
  };
}

/** Submits an instance's consent page as a browser: returns the query of the callback. */
export async function submitMastodonConsent(
  fetch: FetchFunction,
  url: string,
  decision: 'approve' | 'deny',
): Promise<Record<string, string>> {
  const html = await (await fetch(url)).text();
  const hidden = [...html.matchAll(/name="([^"]+)" value="([^"]*)"/g)].map(([, name, value]) => [
    name ?? '',
    (value ?? '').replaceAll('&amp;', '&'),
  ]);
  const fields = { ...(Object.fromEntries(hidden) as Record<string, string>), account: ALICE, decision };
  const { origin, pathname } = new URL(url);
  const body = new URLSearchParams(fields);
  const redirectResponse = await fetch(origin + pathname, { method: 'POST', body, redirect: 'manual' });
  return Object.fromEntries(new URL(redirectResponse.headers.get('location') ?? 'about:blank').searchParams);
}

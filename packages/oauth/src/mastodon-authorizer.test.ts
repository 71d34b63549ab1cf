import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { Secret, type ProfileId, ok, type WorkspaceId } from '@switchboard/domain';
import type { Connection } from '@switchboard/domain/connections';
import { openApiValidator, startMastodon, type RunningMastodon } from '@switchboard/simulators';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { createTestStore, type TestStore } from './testing/create-test-store.js';
import { guardedAgents, undiciOutbound } from '@switchboard/egress';
import type { ConnectMethod, Grant, Manifest } from '@switchboard/domain/ports';
import { openAuthorizers } from './open-authorizers.js';
import type { FetchFunction } from './testing/submit-consent.js';
import { createProcessOptions } from './testing/create-process-options.js';

const workspaceId = 'wsp_test' as WorkspaceId;
const profileId = 'prf_test' as ProfileId;
const redirectUri = 'http://127.0.0.1:9/oauth/callback/mastodon';
const signal = new AbortController().signal;
const ALICE = '109000000000000001';

const connectMethod: ConnectMethod = {
  id: 'oauth',
  scheme: 'mastodon_oauth',
  label: 'Continue',
  fields: [],
  needsApp: false,
};

const manifest = {
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

const createRevokeRequest = ({ server, credential }: Grant) => ({
  workspaceId,
  profileId,
  manifest,
  connectMethod,
  server,
  credential,
});

/** Mastodon's grants over real HTTP; only these local servers are reachable. */
function openMastodonFixture(
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
async function submitMastodonConsent(
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

let [one, other, old]: RunningMastodon[] = [];
let world: ReturnType<typeof openMastodonFixture>;
const servers: Server[] = [];
const instance = (running: RunningMastodon | undefined): RunningMastodon => running as RunningMastodon;

beforeAll(async () => {
  [one, other, old] = await Promise.all([startMastodon(), startMastodon(), startMastodon({ modern: false })]);
  world = openMastodonFixture(
    fetch,
    [one, other, old].map((running) => instance(running).url),
  );
});
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});
afterAll(async () => {
  await world.close();
  await Promise.all([one, other, old].map((running) => instance(running).close()));
});

/** A server that does not run Mastodon. */
async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  servers.push(server);
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function me(open: typeof world, grant: Awaited<ReturnType<typeof world.connect>>) {
  const session = await open.authorizers.openSession(manifest, connectMethod, grant, signal);
  if (!session.ok) throw new Error(session.failure.message);
  const path = '/api/v1/accounts/verify_credentials';
  return session.value.request({ method: 'GET', path, effect: 'read' });
}

describe('connecting', () => {
  test('registers an app at the named server, requests consent with PKCE, and returns a grant that works', async () => {
    const { url, context, complete } = await world.begun(instance(one).url);
    const app = instance(one).oauth.apps().at(-1);
    expect(app).toMatchObject({ name: 'Switchboard', redirectUri });
    expect(Object.fromEntries(new URL(url).searchParams)).toEqual({
      response_type: 'code',
      client_id: app?.clientId,
      redirect_uri: redirectUri,
      state: 'st4te',
      scope: 'write:statuses read:statuses write:media read:accounts',
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: 'S256',
    });
    expect(new URL(url).origin).toBe(instance(one).url);
    expect(url).not.toContain(app?.clientSecret);
    expect(String(context)).toBe('[secret]');

    const grant = await complete(await submitMastodonConsent(fetch, url, 'approve'));
    if (!grant.ok) throw new Error(grant.failure.message);
    expect(grant.value).toMatchObject({ accessExpiresAt: null, expiresAt: null, server: instance(one).url });
    expect(grant.value.permissions).toEqual([
      ...['write:statuses', 'read:statuses', 'write:media', 'read:accounts'],
    ]);
    expect(await me(world, grant.value)).toMatchObject({ ok: true, value: { json: { id: ALICE } } });
  });

  test('works with servers before 4.3, which support neither PKCE nor redirect URI lists', async () => {
    const { url } = await world.begun(instance(old).url);
    expect(new URL(url).searchParams.has('code_challenge')).toBe(false);
    const grant = await world.connect(instance(old));
    expect(await me(world, grant)).toMatchObject({ ok: true });
    expect(
      instance(old)
        .oauth.apps()
        .every((app) => app.redirectUri === redirectUri),
    ).toBe(true);
  });

  test('exchanges a code once', async () => {
    const { url, complete } = await world.begun(instance(one).url);
    const parameters = await submitMastodonConsent(fetch, url, 'approve');
    expect(await complete(parameters)).toMatchObject({ ok: true });
    expect(await complete(parameters)).toMatchObject({ failure: { code: 'connect.exchange_failed' } });
  });

  test('reports that the visitor denied access', async () => {
    const { url, complete } = await world.begun(instance(one).url);
    expect(await complete(await submitMastodonConsent(fetch, url, 'deny'))).toMatchObject({
      failure: { code: 'connect.denied' },
    });
  });

  test('sends no code when the response comes from another server or another flow', async () => {
    const { url, complete } = await world.begun(instance(one).url);
    const parameters = await submitMastodonConsent(fetch, url, 'approve');
    const before = instance(one).exchanges().length;
    for (const wrong of [{ iss: instance(other).url }, { state: 'another' }]) {
      expect(await complete({ ...parameters, ...wrong })).toMatchObject({
        failure: { code: 'connect.exchange_failed' },
      });
    }
    expect(instance(one).exchanges()).toHaveLength(before);
    const trip = await world.begun(instance(other).url);
    expect(await trip.complete(parameters)).toMatchObject({ failure: { code: 'connect.exchange_failed' } });
  });
});

describe('a server that cannot be connected', () => {
  test('is never reached when its address is private', async () => {
    const guarded = openMastodonFixture(fetch, []);
    const before = instance(one).exchanges().length;
    for (const address of [
      instance(one).url,
      'http://[::1]:9',
      'https://169.254.169.254',
      'http://2130706433/',
    ]) {
      expect(await guarded.begin(address)).toMatchObject({ failure: { code: 'platform.address_refused' } });
    }
    expect(instance(one).exchanges()).toHaveLength(before);
    await guarded.close();
  });

  test('cannot redirect to a private address through its metadata', async () => {
    const asked: string[] = [];
    const foreignServer: string = await serve((request, response) => {
      asked.push(`${request.method} ${request.url}`);
      const there = (at: string) => `http://127.0.0.1:1${at}`;
      response.setHeader('content-type', 'application/json');
      if (request.url !== '/.well-known/oauth-authorization-server') {
        response.end(JSON.stringify({ client_id: 'id', client_secret: 'secret' }));
        return;
      }
      response.end(
        JSON.stringify({
          issuer: there('/'),
          authorization_endpoint: there('/a'),
          token_endpoint: there('/t'),
          revocation_endpoint: there('/r'),
          app_registration_endpoint: there('/apps'),
          code_challenge_methods_supported: ['S256'],
        }),
      );
    });
    const open = openMastodonFixture(fetch, [foreignServer]);
    const begun = await open.begin(foreignServer);
    expect(begun.ok && new URL(begun.value.url).origin).toBe(foreignServer);
    expect(asked).toEqual(['GET /.well-known/oauth-authorization-server', 'POST /api/v1/apps']);
    await open.close();
  });

  test.each([
    ['answers pages and knows no apps', 404, 'connect.answer_invalid'],
    ['answers nonsense', 200, 'connect.answer_invalid'],
    ['is down', 503, 'platform.unavailable'],
    ['asks to wait', 429, 'platform.unavailable'],
  ])('is reported when it %s', async (_how, status, code) => {
    const url = await serve((_request, response) => void response.writeHead(status).end('<html></html>'));
    const open = openMastodonFixture(fetch, [url]);
    expect(await open.begin(url)).toMatchObject({ failure: { code } });
    await open.close();
  });

  test('prompts again for an invalid server name and sends nothing', async () => {
    for (const typed of ['', 'mastodon', 'ftp://mastodon.social', 'https://a:b@mastodon.social', 'a b.c']) {
      expect(await world.begin(typed)).toMatchObject({
        failure: { code: 'connect.answer_invalid', problems: [{ path: 'instance' }] },
      });
    }
  });
});

describe('a server that allows five app registrations per address in ten minutes', () => {
  let strict: RunningMastodon;
  let open: typeof world;
  const made = () => strict.oauth.apps().length;
  beforeEach(async () => {
    strict = await startMastodon({ appsMax: 5 });
    open = openMastodonFixture(fetch, [strict.url]);
  });
  afterEach(async () => {
    await open.close();
    await strict.close();
  });

  test('reuses the app after a denied authorization', async () => {
    for (let at = 0; at < 8; at++) {
      const { url, complete } = await open.begun(strict.url);
      await complete(await submitMastodonConsent(fetch, url, 'deny'));
    }
    expect(made()).toBe(1);
    expect(await me(open, await open.connect(strict))).toMatchObject({ ok: true });
    expect(made()).toBe(1);
  });

  test('connects the sixth account with an existing app', async () => {
    for (let at = 0; at < 7; at++)
      expect(await me(open, await open.connect(strict))).toMatchObject({ ok: true });
    expect(made()).toBe(5);
  });

  test('is distinguished from an unreachable server', async () => {
    for (let at = 0; at < 5; at++) await open.connect(strict);
    const otherInstance = openMastodonFixture(fetch, [strict.url]);
    expect(await otherInstance.begin(strict.url)).toMatchObject({
      failure: { code: 'platform.unavailable', retryAfterSeconds: 600 },
    });
    await otherInstance.close();
  });
});

describe('two connections of one account', () => {
  test('that start in two tabs have a token each, so that the slower one can be revoked', async () => {
    const newApp = await startMastodon();
    const open = openMastodonFixture(fetch, [newApp.url]);
    const tabs = [await open.begun(newApp.url), await open.begun(newApp.url)];
    const grants = [];
    for (const { url, complete } of tabs) {
      const grant = await complete(await submitMastodonConsent(fetch, url, 'approve'));
      if (!grant.ok) throw new Error(grant.failure.message);
      grants.push(grant.value);
    }
    const [faster, slower] = grants;
    if (!faster || !slower) throw new Error('there are two tabs');
    await open.authorizers.revoke(createRevokeRequest(slower));
    expect(await me(open, faster)).toMatchObject({ ok: true });
    await Promise.all([open.close(), newApp.close()]);
  });

  test('have separate apps and tokens, and disconnecting one does not affect the other', async () => {
    const fresh = await startMastodon();
    const open = openMastodonFixture(fetch, [fresh.url]);
    const [first, second] = [await open.connect(fresh), await open.connect(fresh)];
    expect(fresh.oauth.apps()).toHaveLength(2);
    const revoke = () => open.authorizers.revoke(createRevokeRequest(first));
    expect(await revoke()).toEqual({ ok: true });
    expect(fresh.oauth.revoked()).toHaveLength(1);
    expect(await me(open, first)).toMatchObject({ failure: { code: 'connection.needs_reauth' } });
    expect(await me(open, second)).toMatchObject({ ok: true });
    expect(await revoke()).toEqual({ ok: true });
    await Promise.all([open.close(), fresh.close()]);
  });

  test('are revoked later when the server is down', async () => {
    const down = await startMastodon();
    const open = openMastodonFixture(fetch, [down.url]);
    const grant = await open.connect(down);
    await down.close();
    expect(await open.authorizers.revoke(createRevokeRequest(grant))).toMatchObject({
      failure: { code: 'platform.unavailable' },
    });
    await open.close();
  });
});

test('a token that its owner revoked marks the connection needs_reauth, once', async () => {
  const store = createTestStore();
  const open = openMastodonFixture(fetch, [instance(other).url], store);
  const grant = await open.connect(instance(other));
  const connection = {
    id: 'con_test',
    workspaceId,
    profileId: 'prf_test',
    platform: manifest.id,
    status: 'active',
    account: { id: ALICE, username: null, name: null, avatarUrl: null, url: null },
    server: grant.server,
    connectMethod: connectMethod.id,
    grantedPermissions: grant.permissions,
    refusedPermissions: [],
  } as unknown as Connection;
  await store.storeConnection(connection, grant.credential, grant.accessExpiresAt);
  store.clock.advance(400 * 86_400);
  const session = await open.sessions.open(
    connection,
    { purpose: 'publish', actor: 'system:worker' },
    signal,
  );
  if (!session.ok) throw new Error(session.failure.code);
  const ask = () =>
    session.value.request({ method: 'GET', path: '/api/v1/accounts/verify_credentials', effect: 'read' });
  expect(await ask()).toMatchObject({ ok: true });
  instance(other).oauth.forget();
  for (let at = 0; at < 2; at++) {
    expect(await ask()).toMatchObject({ failure: { code: 'connection.needs_reauth' } });
  }
  expect(store.events.filter(({ type }) => type === 'connection.needs_reauth')).toHaveLength(1);
  await open.close();
});

const directory = process.env['SWITCHBOARD_DESCRIPTIONS_DIR'];
if (directory === undefined) {
  test.skip('NOT CHECKED against the published description: SWITCHBOARD_DESCRIPTIONS_DIR is not set', () => {});
} else {
  test('every request and every simulator response conforms to the published description', async () => {
    const file = path.join(directory, 'mastodon/schema.json');
    const ajv = new Ajv2020({ strict: false, validateFormats: false, validateSchema: false });
    const validateSchema = openApiValidator(JSON.parse(readFileSync(file, 'utf8')) as object, ajv);
    const described = await startMastodon();
    const open = openMastodonFixture(fetch, [described.url]);
    const grant = await open.connect(described);
    await me(open, grant);
    await open.authorizers.revoke(createRevokeRequest(grant));
    const exchanges = described.exchanges().filter(({ request }) => request.path !== '/oauth/authorize');
    expect(exchanges.map(({ request }) => `${request.method} ${request.path}`)).toEqual([
      'GET /.well-known/oauth-authorization-server',
      'POST /api/v1/apps',
      'POST /oauth/token',
      'GET /api/v1/accounts/verify_credentials',
      'POST /oauth/revoke',
    ]);
    const faults = exchanges.flatMap(({ request, answer }) =>
      validateSchema({
        method: request.method,
        path: request.path,
        sent: request.body,
        status: answer.status,
        answered: answer.json,
      }),
    );
    expect(faults).toEqual([]);
    await Promise.all([open.close(), described.close()]);
  });
}

describe('an imported token', () => {
  test('works at its server, and leaves its app alone when it is disconnected', async () => {
    const { url, context: _, complete } = await world.begun(instance(one).url);
    const grant = await complete(await submitMastodonConsent(fetch, url, 'approve'));
    if (!grant.ok) throw new Error(grant.failure.message);
    const { accessToken } = JSON.parse(grant.value.credential.reveal()) as Readonly<Record<string, string>>;
    const row = { workspaceId, profileId: 'prf_test' as ProfileId, manifest, connectMethod, signal };
    const asked = { ...row, clientId: null, accessToken: new Secret(accessToken ?? '') };
    const server = new URL(instance(one).url).href;
    const imported = await world.authorizers.importGrant({ ...asked, server });
    if (!imported.ok) throw new Error(imported.failure.message);
    expect(imported.value).toMatchObject({ isObtained: false, grant: { server: instance(one).url } });
    expect(await me(world, imported.value.grant)).toMatchObject({ ok: true });
    const revoked = instance(one).oauth.revoked().length;
    expect(await world.authorizers.revoke(createRevokeRequest(imported.value.grant))).toMatchObject({
      ok: true,
    });
    expect(instance(one).oauth.revoked()).toHaveLength(revoked);
    for (const wrong of [undefined, 'mastodon', 'ftp://mastodon.example'])
      expect(await world.authorizers.importGrant({ ...asked, server: wrong })).toMatchObject({ ok: false });
  });
});

import { afterEach, describe, expect, test } from '@jest/globals';
import type { ConnectMethod, OAuth2Facts } from '@switchboard/domain/ports';
import {
  okResponse,
  longLivedTokens,
  oauthServer,
  type LongLivedTokenOptions,
  type OAuthServerOptions,
  type WireResponse,
  type WireRequest,
} from '@switchboard/simulators';
import { APP, openStoreFixture, redirectUri } from './testing/open-store-fixture.js';

const HOUR = 3_600;
const DAY = 24 * HOUR;
const common: OAuth2Facts = {
  authorizePath: '/oauth/authorize',
  tokenPath: '/oauth/token',
  revokePath: null,
  permissions: ['read', 'write'],
  pkce: false,
  clientAuth: 'body',
  issuerPath: null,
};
const createMethod = (oauth2: Partial<OAuth2Facts>): ConnectMethod => ({
  id: 'oauth',
  scheme: 'oauth2',
  label: 'Continue',
  fields: [],
  needsApp: true,
  oauth2: { ...common, ...oauth2 },
});

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

interface SocialOAuthSetup {
  readonly connectMethod?: Partial<ConnectMethod>;
  readonly facts?: Partial<OAuth2Facts>;
  readonly platform?: Partial<OAuthServerOptions>;
  readonly lasting?: Omit<LongLivedTokenOptions, 'tokens' | 'now'>;
  readonly elsewhere?: Parameters<typeof openStoreFixture>[3];
  /** Responds in place of the platform. */
  readonly instead?: (request: WireRequest) => WireResponse | null;
}

/** Service and platform share the service's clock. */
async function connectAccount({
  connectMethod = {},
  facts = {},
  platform = {},
  lasting,
  elsewhere,
  instead,
}: SocialOAuthSetup) {
  const now = () => world.store.clock.now();
  const tokens = oauthServer({
    apps: [{ ...APP, redirectUris: [redirectUri] }],
    now,
    account: '42',
    knows: () => true,
    paths: { authorize: '/oauth/authorize', token: '/oauth/token', revoke: '/oauth/revoke' },
    codeSeconds: 30,
    accessSeconds: HOUR,
    refresh: null,
    ...platform,
  });
  const lastingTokens = lasting && longLivedTokens({ ...lasting, tokens, now });
  const world = await openStoreFixture(
    fetch,
    { ...createMethod(facts), ...connectMethod },
    {
      serve: (request) =>
        instead?.(request) ?? tokens.serve(request) ?? lastingTokens?.serve(request) ?? null,
      api: ({ headers }) => {
        const token = String(headers['authorization']).replace(/^Bearer /, '');
        return tokens.grantOf(token) ? okResponse({ ok: true }) : { status: 401, json: {} };
      },
    },
    elsewhere,
  );
  closers.push(() => world.close());
  return {
    ...world,
    tokens,
    ask: async (grant: Parameters<typeof world.ask>[0]) => (await world.ask(grant)).ok,
  };
}

test('the consent page may have another origin than the token endpoint', async () => {
  const { begin } = await connectAccount({
    elsewhere: { consentBaseUrl: 'https://consent.example/i', apiVersion: 'v25.0' },
    facts: { authorizePath: '/{api_version}/dialog/oauth' },
  });
  const { url } = await begin();
  expect(url.origin + url.pathname).toBe('https://consent.example/i/v25.0/dialog/oauth');
});

test('a method through another platform uses only its app and origins, and sends the login to no other', async () => {
  const { connect, keep, sessions, appPlatforms, revoke, server } = await connectAccount({
    connectMethod: { id: 'page', appPlatform: 'book' },
    elsewhere: { baseUrl: 'https://own.example' },
    facts: { revokePath: '/oauth/revoke' },
  });
  const grant = await connect();
  const { signal } = new AbortController();
  const use = { purpose: 'check', actor: 'tester' } as const;
  const opened = await sessions.open(await keep(grant), use, signal);
  if (!opened.ok) throw new Error(opened.failure.message);
  const session = opened.value;
  expect([session.connectMethod, session.baseUrl]).toEqual(['page', server.url]);
  const askAt = (path: string) => session.request({ method: 'GET', path, effect: 'read' });
  expect(await askAt('/orders')).toMatchObject({ ok: true });
  expect(await askAt('https://own.example/orders')).toMatchObject({
    failure: { code: 'platform.address_refused' },
  });
  expect(await revoke(grant)).toMatchObject({ ok: true });
  expect(appPlatforms()).toEqual(['app of book', 'origins of book']);
});

test('a denial with the platform’s own error code is a denial', async () => {
  const { begin, consent } = await connectAccount({
    facts: { deniedErrors: ['user_cancelled_login', 'user_cancelled_authorize'] },
    platform: { denied: { error: 'user_cancelled_authorize' } },
  });
  const { url, complete } = await begin();
  expect(await complete(await consent(url, 'deny'))).toMatchObject({ failure: { code: 'connect.denied' } });
});

test('a platform with another name for the client ID receives it at consent, exchange, renewal and revocation', async () => {
  const { connect, keep, sessions, tokens, ask, asked, revoke } = await connectAccount({
    facts: { clientIdName: 'client_key', permissionSeparator: ',', revokePath: '/oauth/revoke' },
    platform: {
      clientIdName: 'client_key',
      separator: ',',
      refresh: { seconds: 180 * DAY, rotates: true, fixed: false, field: 'refresh_expires_in' },
    },
  });
  const grant = await connect();
  expect(grant.permissions).toEqual(['read', 'write']);
  // Each renewal returns a refresh token with a new lifetime, so that the grant does not expire.
  expect(grant.expiresAt).toBeNull();
  expect(await sessions.renew(await keep(grant), 1)).toMatchObject({ ok: true });
  const [exchanged, renewed] = asked('/oauth/token').map(({ body }) => body as Record<string, string>);
  for (const body of [exchanged, renewed]) {
    expect(body?.['client_key']).toBe(APP.clientId);
    expect(body).not.toHaveProperty('client_id');
  }
  expect(await ask(grant)).toBe(true);
  expect(await revoke(grant)).toMatchObject({ ok: true });
  expect(await ask(grant)).toBe(false);
  expect(tokens.revoked()).toHaveLength(2);
});

test('where revoking the access token ends the whole grant, only that token is revoked, after a renewal if it has expired', async () => {
  const { connect, store, asked, revoke, tokens } = await connectAccount({
    facts: { clientIdName: 'client_key', revokePath: '/oauth/revoke', revocation: 'access_token' },
    platform: {
      clientIdName: 'client_key',
      refresh: { seconds: 180 * DAY, rotates: true, fixed: false },
    },
  });
  const [living, ended] = [await connect(), await connect()];
  expect(await revoke(living)).toMatchObject({ ok: true });
  expect(asked('/oauth/token')).toHaveLength(2);
  store.clock.advance(2 * HOUR);
  expect(await revoke(ended)).toMatchObject({ ok: true });
  expect(asked('/oauth/token')).toHaveLength(3);
  expect(asked('/oauth/revoke').map(({ body }) => body)).toMatchObject([
    ...Array<object>(2).fill({ client_key: APP.clientId, client_secret: APP.clientSecret }),
  ]);
  // Neither is a refresh token, and the second is not an expired token.
  const [first, second] = tokens.revoked();
  expect(first).not.toBe(second);
  expect(asked('/oauth/token').map(({ body }) => (body as Record<string, string>)['refresh_token'])).toEqual([
    ...[undefined, undefined, expect.not.stringMatching(`^(${first}|${second})$`)],
  ]);
  expect(tokens.revoked()).toHaveLength(2);
});

test('a platform that requires a user agent receives it at its token endpoint and at its API', async () => {
  const { connect, keep, sessions, ask, revoke, asked } = await connectAccount({
    elsewhere: { userAgent: 'web:pots:v1 (by /u/alice)' },
    facts: { revokePath: '/oauth/revoke' },
    platform: { refresh: { seconds: DAY, rotates: false, fixed: false } },
  });
  const grant = await connect();
  expect(await sessions.renew(await keep(grant), 1)).toMatchObject({ ok: true });
  expect(await ask(grant)).toBe(true);
  expect(await revoke(grant)).toMatchObject({ ok: true });
  const requestFields = ['/oauth/token', '/oauth/revoke', '/orders'].flatMap(asked);
  expect(requestFields.length).toBeGreaterThanOrEqual(5);
  for (const { headers } of requestFields) {
    expect(headers).toMatchObject({
      'user-agent': 'web:pots:v1 (by /u/alice)',
      accept: 'application/json',
    });
  }
});

test('a login whose refresh token expires despite renewals reports when', async () => {
  const { connect, store } = await connectAccount({
    facts: { refreshExpiryField: 'refresh_token_expires_in' },
    platform: {
      refresh: { seconds: 365 * DAY, rotates: false, fixed: true, field: 'refresh_token_expires_in' },
    },
  });
  const { expiresAt } = await connect();
  const days = ((expiresAt?.getTime() ?? 0) - store.clock.now().getTime()) / (DAY * 1_000);
  expect(Math.round(days)).toBe(365);
});

test('without refresh tokens a login ends when its token expires', async () => {
  const { connect, store } = await connectAccount({ platform: { accessSeconds: 60 * DAY } });
  const { expiresAt } = await connect();
  const days = ((expiresAt?.getTime() ?? 0) - store.clock.now().getTime()) / (DAY * 1_000);
  expect(Math.round(days)).toBe(60);
});

test.each([{ error: 'invalid_grant', error_description: 'gone' }, { error: { code: 190, message: 'gone' } }])(
  'a platform that rejects a renewal with a success status (%j) has ended the login',
  async (json) => {
    let isOver = false;
    const { connect, keep, sessions } = await connectAccount({
      facts: { tokenErrors: { ended: ['190'], app: [] } },
      platform: { refresh: { seconds: DAY, rotates: true, fixed: false } },
      instead: ({ path }) => (isOver && path === '/oauth/token' ? okResponse(json) : null),
    });
    const connection = await keep(await connect());
    isOver = true;
    expect(await sessions.renew(connection, 1)).toMatchObject({
      failure: { code: 'connection.needs_reauth' },
    });
  },
);

const lasting = {
  exchange: {
    path: '/access_token',
    grantType: 'th_exchange_token',
    tokenParameter: 'access_token',
    withClientId: false,
  },
  renewal: { path: '/refresh_access_token', grantType: 'th_refresh_token' },
};
const longLived = {
  path: '/access_token',
  grantType: 'th_exchange_token',
  tokenParameter: 'access_token',
  app: ['secret'],
} as const;
const renewal = {
  path: '/refresh_access_token',
  grantType: 'th_refresh_token',
  tokenParameter: 'access_token',
  app: [],
} as const;

test('a one-hour token is exchanged for one of sixty days, which renews itself', async () => {
  const { connect, keep, sessions, store, ask, tokens } = await connectAccount({
    facts: { longLived, renewal },
    lasting,
  });
  const grant = await connect();
  expect(grant.expiresAt).toBeNull();
  const connection = await keep(grant);
  store.clock.advance(2 * HOUR);
  expect(await ask(grant)).toBe(true);
  store.clock.advance(55 * DAY);
  expect(await sessions.renew(connection, 1)).toMatchObject({ ok: true });
  store.clock.advance(10 * DAY);
  // The first token has expired; the exchanged token has not.
  expect(await ask(grant)).toBe(false);
  const use = { purpose: 'check', actor: 'test' } as const;
  const session = await sessions.open(connection, use, new AbortController().signal);
  if (!session.ok) throw new Error(session.failure.message);
  expect(await session.value.request({ method: 'GET', path: '/me', effect: 'read' })).toMatchObject({
    ok: true,
  });
  expect(tokens.refreshTokens()).toEqual([]);
});

test('a long-lived login that its owner revoked is ended, and not renewed again', async () => {
  const { connect, keep, sessions, store, tokens } = await connectAccount({
    facts: { longLived, renewal, tokenErrors: { ended: ['190'], app: ['1'] } },
    lasting,
  });
  const connection = await keep(await connect());
  store.clock.advance(55 * DAY);
  tokens.withdraw('42');
  expect(await sessions.renew(connection, 1)).toMatchObject({ failure: { code: 'connection.needs_reauth' } });
  expect((await store.connections.find(connection.workspaceId, connection.id))?.status).toBe('needs_reauth');
});

test('an app that the exchange for a long-lived token rejects is reported as rejected', async () => {
  const { begin, consent } = await connectAccount({
    facts: { longLived, tokenErrors: { ended: ['190'], app: ['1'] } },
    lasting,
    instead: ({ path, query }) => {
      if (path === '/access_token') query.set('client_secret', 'another');
      return null;
    },
  });
  const { url, complete } = await begin();
  expect(await complete(await consent(url))).toMatchObject({ failure: { code: 'platform.not_configured' } });
});

test.each([
  [{ code: 283, message: 'The authorization grant is invalid' }, 'connection.needs_reauth'],
  [{ code: 2, message: 'Authentication failed.' }, 'platform.not_configured'],
  [{ code: 9, message: 'Something else.' }, 'platform.unavailable'],
  [{ message: 'Bad Request', error: 283 }, 'connection.needs_reauth'],
])('a platform that rejects with a number (%j) is understood', async (json, code) => {
  let isRefused = false;
  const { connect, keep, sessions } = await connectAccount({
    facts: { tokenErrors: { ended: ['283'], app: ['2'] } },
    platform: { refresh: { seconds: 60 * DAY, rotates: true, fixed: false } },
    instead: ({ path }) => (isRefused && path === '/oauth/token' ? { status: 401, json } : null),
  });
  const connection = await keep(await connect());
  isRefused = true;
  expect(await sessions.renew(connection, 1)).toMatchObject({ failure: { code } });
});

test('a token in a list, with its permissions, is read', async () => {
  const { connect } = await connectAccount({
    platform: {
      present: ({ access_token, expires_in }) => ({
        data: [{ access_token, expires_in, user_id: '42', permissions: 'read,comment' }],
      }),
    },
  });
  expect((await connect()).permissions).toEqual(['read', 'comment']);
});

test('a code bound to the PKCE verifier is redeemed once, within its half minute', async () => {
  const { begin, consent, store, asked } = await connectAccount({
    facts: { pkce: true, clientAuth: 'header' },
    platform: {
      pkce: 'required',
      clientAuth: 'header',
      refresh: { seconds: 180 * DAY, rotates: true, fixed: false, scope: 'offline.access' },
    },
  });
  const first = await begin();
  const parameters = await consent(first.url);
  expect(await first.complete(parameters)).toMatchObject({ ok: true });
  expect(await first.complete(parameters)).toMatchObject({ failure: { code: 'connect.exchange_failed' } });
  const late = await begin();
  const slow = await consent(late.url);
  store.clock.advance(31);
  expect(await late.complete(slow)).toMatchObject({ failure: { code: 'connect.exchange_failed' } });
  expect(asked('/oauth/token')[0]?.headers['authorization']).toMatch(/^Basic /);
});

test('a request to an address that the platform made for one file carries no credential', async () => {
  const { connect, keep, sessions, server } = await connectAccount({});
  const connection = await keep(await connect());
  const use = { purpose: 'publish', actor: 'test' } as const;
  const session = await sessions.open(connection, use, new AbortController().signal);
  if (!session.ok) throw new Error(session.failure.message);
  const body = { type: 'application/octet-stream', bytes: new Uint8Array([1, 2]) };
  const upload = { method: 'PUT', effect: 'idempotent', body } as const;
  await session.value.request({ ...upload, path: `${server.url}/upload/1`, omitsCredential: true });
  await session.value.request({ ...upload, path: `${server.url}/upload/2` });
  const sent = server.exchanges().map(({ request }) => request);
  const [bare, known] = sent.filter(({ path }) => path.startsWith('/upload'));
  expect(bare?.headers['authorization']).toBeUndefined();
  expect(bare?.body).toEqual(new Uint8Array([1, 2]));
  expect(known?.headers['authorization']).toMatch(/^Bearer /);
});

test('a request to a secondary origin goes to the operator’s override, with the credential, and nowhere else', async () => {
  const analyticsBaseUrl = 'https://numbers.platform.example';
  const accountsBaseUrl = 'https://accounts.platform.example';
  const { connect, keep, sessions, server } = await connectAccount({
    elsewhere: { analyticsBaseUrl, accountsBaseUrl },
  });
  const connection = await keep(await connect());
  const use = { purpose: 'analytics', actor: 'test' } as const;
  const session = await sessions.open(connection, use, new AbortController().signal);
  if (!session.ok) throw new Error(session.failure.message);
  const read = (path: string, tokenScheme?: 'OAuth') =>
    session.value.request({ method: 'GET', path, effect: 'read', tokenScheme });
  await read(`${analyticsBaseUrl}/v2/reports`);
  await read(`${analyticsBaseUrl}/v2/reports`, 'OAuth');
  const reports = server.exchanges().filter(({ request }) => request.path === '/v2/reports');
  const [bearer = '', oauth] = reports.map(({ request }) => String(request.headers['authorization']));
  expect(bearer).toMatch(/^Bearer ./);
  // With the token scheme that this address requires, it is the same credential.
  expect(oauth).toBe(bearer.replace(/^Bearer/, 'OAuth'));
  await read(`${accountsBaseUrl}/v1/accounts`);
  const [listed] = server.exchanges().filter(({ request }) => request.path === '/v1/accounts');
  expect(listed?.request.headers['authorization']).toBe(bearer);
  const foreignServer = await read('https://numbers.platform.example.stranger.example/v2/reports');
  expect(foreignServer).toMatchObject({ failure: { code: 'platform.address_refused' } });
});

test('a transient failure of a renewal that does not authenticate the app does not concern the app', async () => {
  let isDown = false;
  const { connect, keep, sessions, store } = await connectAccount({
    facts: { longLived, renewal, tokenErrors: { ended: ['190'], app: ['1'] } },
    lasting,
    instead: ({ path }) =>
      isDown && path === '/refresh_access_token'
        ? {
            status: 400,
            json: { error: { message: 'An unknown error occurred', code: 1, is_transient: true } },
          }
        : null,
  });
  const connection = await keep(await connect());
  store.clock.advance(55 * DAY);
  isDown = true;
  expect(await sessions.renew(connection, 1)).toMatchObject({ failure: { code: 'platform.unavailable' } });
  const storedConnection = await store.connections.find(connection.workspaceId, connection.id);
  expect([storedConnection?.status, storedConnection?.appMissing]).toEqual(['active', false]);
});

describe('a key in the token response, such as Discord’s webhook', () => {
  const keyInResponse = {
    key: ['webhook', 'token'],
    account: ['webhook', 'id'],
    deletePath: '/{api_version}/webhooks/{account}/:key',
  };
  const respondWithKey = (webhook: unknown): SocialOAuthSetup => {
    const deleted: string[] = [];
    return {
      facts: { keyInResponse },
      elsewhere: { apiVersion: 'v10' },
      platform: {
        refresh: { seconds: DAY, rotates: true, fixed: false },
        present: (said) => ({ ...said, webhook }),
      },
      instead({ method, path }) {
        if (!path.startsWith('/v10/webhooks/')) return null;
        if (method === 'DELETE') deleted.push(path);
        return deleted.includes(path)
          ? { status: method === 'DELETE' ? 204 : 404, json: {} }
          : okResponse({});
      },
    };
  };
  const at = '/v10/webhooks/7/kEy_0f-the-webhook';

  test('replaces the token, has no expiry, and knows its account', async () => {
    const { connect, authorizers, asked, manifest, connectMethod } = await connectAccount(
      respondWithKey({ id: '7', token: 'kEy_0f-the-webhook' }),
    );
    const grant = await connect();
    expect(grant).toMatchObject({ permissions: ['read', 'write'], accessExpiresAt: null, expiresAt: null });
    const session = await authorizers.openSession(
      manifest,
      connectMethod,
      grant,
      new AbortController().signal,
    );
    if (!session.ok) throw new Error(session.failure.message);
    expect([session.value.subject, session.value.account.id]).toEqual(['7', '7']);
    await session.value.request({ method: 'GET', path: '/v10/webhooks/7/:key', effect: 'read' });
    expect(asked(at)).toMatchObject([{ method: 'GET' }]);
    expect(asked(at)[0]?.headers).not.toHaveProperty('authorization');
  });

  test('is revoked by deleting its resource, without the app and any number of times', async () => {
    const { connect, revoke, apps, asked } = await connectAccount(
      respondWithKey({ id: '7', token: 'kEy_0f-the-webhook' }),
    );
    const grant = await connect();
    apps.splice(0);
    for (const _ of [1, 2]) expect(await revoke(grant)).toMatchObject({ ok: true });
    expect(asked(at).map(({ method }) => method)).toEqual(['DELETE', 'DELETE']);
  });

  test.each([
    [{ id: '7' }],
    [{ token: 'kEy_0f-the-webhook' }],
    [null],
    [{ id: 7, token: 'kEy' }],
    [{ id: '7', token: 'a b' }],
  ])('connects nothing when the response is %j', async (webhook) => {
    const { begin, consent } = await connectAccount(respondWithKey(webhook));
    const { url, complete } = await begin();
    expect(await complete(await consent(url))).toMatchObject({
      failure: { code: 'connect.exchange_failed' },
    });
  });
});

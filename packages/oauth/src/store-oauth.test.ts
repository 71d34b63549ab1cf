import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { ConnectMethod, OAuth2Facts } from '@switchboard/domain/ports';
import { sellerOauth, shopOauth, storeOauth, type WireRequest } from '@switchboard/simulators';
import { APP, openStoreFixture, redirectUri } from './testing/open-store-fixture.js';

const app = { ...APP, redirectUris: [redirectUri] };

const createMethod = (oauth2: Partial<OAuth2Facts>): ConnectMethod => ({
  id: 'oauth',
  scheme: 'oauth2',
  label: 'Continue',
  fields: [{ name: 'store', label: 'Store', hint: '', kind: 'shop', required: true, placeholder: 'acme' }],
  needsApp: true,
  oauth2: {
    authorizePath: '/oauth2/authorize',
    tokenPath: '/oauth2/token',
    revokePath: null,
    permissions: ['read_orders'],
    pkce: false,
    clientAuth: 'body',
    issuerPath: null,
    ...oauth2,
  },
});
const headerOf = (name: string, { headers }: WireRequest) => String(headers[name] ?? '');

describe('a shop with its own host, signed callbacks and one-hour tokens', () => {
  // Store and service share a clock.
  const now = () => world.store.clock.now();
  const shop = shopOauth({ shop: 'acme.myshopify.com', apps: [app], now });
  const ended = { ended: ['invalid_request'], app: ['application_cannot_be_found'] };
  let world: Awaited<ReturnType<typeof openStoreFixture>>;
  beforeAll(async () => {
    const connectMethod = createMethod({
      authorizePath: '/admin/oauth/authorize',
      tokenPath: '/admin/oauth/access_token',
      revokePath: '/admin/api_permissions/current.json',
      permissions: ['read_orders', 'write_orders'],
      permissionSeparator: ',',
      includedPermissions: { write_orders: ['read_orders'] },
      exchangeParams: { expiring: '1' },
      tokenErrors: ended,
      tokenHeader: 'X-Shopify-Access-Token',
      revocation: 'token',
      signedCallback: { parameter: 'hmac', timestamp: 'timestamp' },
      account: {
        field: 'store',
        patterns: [/^([a-z0-9-]{1,60})$/],
        location: { kind: 'origin', origin: 'https://{name}.myshopify.com' },
        parameter: 'shop',
        value: '{name}.myshopify.com',
        isSentWithTokenRequest: false,
      },
    });
    world = await openStoreFixture(fetch, connectMethod, {
      serve: (request) => shop.serve(request),
      api: (request) => ({
        status: shop.grantOf(headerOf('x-shopify-access-token', request)) ? 200 : 401,
        json: {},
      }),
    });
  });
  afterAll(() => world.close());
  const acme = { store: 'acme' };
  /** The signature that the shop would have made. */
  const signed = ({ hmac: _hmac, ...parameters }: Record<string, string>, secret = app.clientSecret) => {
    const text = new URLSearchParams(Object.entries(parameters).sort()).toString();
    return { ...parameters, hmac: createHmac('sha256', secret).update(text).digest('hex') };
  };

  test('receives comma-separated scopes, and returns a renewable login that is sent in its own header', async () => {
    const { url, complete } = await world.begin(acme);
    expect(Object.fromEntries(url.searchParams)).toEqual({
      response_type: 'code',
      client_id: app.clientId,
      redirect_uri: redirectUri,
      scope: 'read_orders,write_orders',
      state: 'st4te',
    });
    const grant = await complete(await world.consent(url));
    if (!grant.ok) throw new Error(grant.failure.message);
    // The shop lists only the write scopes.
    expect(grant.value).toMatchObject({ permissions: ['write_orders', 'read_orders'], expiresAt: null });
    expect((grant.value.accessExpiresAt?.getTime() ?? 0) - now().getTime()).toBeGreaterThan(3_500_000);
    expect(await world.ask(grant.value)).toMatchObject({ ok: true, value: { status: 200 } });
    expect(world.asked('/orders').at(-1)?.headers['authorization']).toBeUndefined();
    expect(world.asked('/admin/oauth/access_token').at(-1)?.body).toMatchObject({ expiring: '1' });
  });

  test.each<[string, (query: Record<string, string>) => Record<string, string>]>([
    ['that is not signed', ({ hmac: _hmac, ...query }) => query],
    ['with an invalid signature', (query) => ({ ...query, hmac: 'f'.repeat(64) })],
    ['that another app’s secret signed', (query) => signed(query, 'another secret')],
    ['with another code than was signed', (query) => ({ ...query, code: 'other' })],
    ['of another shop, signed for it', (query) => signed({ ...query, shop: 'evil.myshopify.com' })],
    [
      'of a shop with a longer host name',
      (query) => signed({ ...query, shop: 'acme.myshopify.com.evil.example' }),
    ],
    ['without a shop', ({ shop: _shop, ...query }) => signed(query)],
    ['with another state, signed', (query) => signed({ ...query, state: 'other' })],
    [
      'that was signed ten minutes ago',
      (query) => signed({ ...query, timestamp: String(Number(query['timestamp']) - 600) }),
    ],
    ['that denies access without a signature', ({ state = '' }) => ({ state, error: 'access_denied' })],
  ])('a callback %s spends no code', async (_what, change) => {
    const { url, complete } = await world.begin(acme);
    const validQuery = await world.consent(url);
    const before = world.asked('/admin/oauth/access_token').length;
    expect(await complete(change(validQuery))).toMatchObject({
      failure: { code: 'connect.exchange_failed' },
    });
    expect(world.asked('/admin/oauth/access_token')).toHaveLength(before);
    expect((await complete(Object.fromEntries(Object.entries(validQuery).reverse()))).ok).toBe(true);
  });

  test('an invalid shop name is prompted for again, without a redirect', async () => {
    await expect(world.begin({ store: 'acme.evil.example' })).rejects.toThrow('such as acme');
  });

  test('a renewal whose response was lost is repeated with the previous refresh token', async () => {
    const connection = await world.keep(await world.connect(acme));
    const [first = ''] = shop.refreshTokens();
    world.server.faults.add({ kind: 'reset-after-effect', match: { method: 'POST' } });
    expect(await world.sessions.renew(connection, 1)).toMatchObject({ ok: false });
    expect(shop.refreshTokens()).toHaveLength(2);
    world.store.clock.advance(1_800);
    expect(await world.sessions.renew(connection, 1)).toMatchObject({ ok: true });
    // The previous token is valid until its successor is used.
    expect(shop.refreshTokens()).toContain(first);
    expect(await world.sessions.renew(connection, 2)).toMatchObject({ ok: true });
    expect(shop.refreshTokens()).not.toContain(first);
  });

  test('a login that the shop no longer knows is ended, recognized by the shop’s own error code', async () => {
    const connection = await world.keep(await world.connect(acme));
    await world.connect(acme);
    expect(await world.sessions.renew(connection, 1)).toMatchObject({
      failure: { code: 'connection.needs_reauth' },
    });
  });

  test('is revoked with its token, renewed if it expired, and not if it is unknown', async () => {
    const grant = await world.connect(acme);
    const gone = await world.connect(acme);
    const before = shop.uninstalled().length;
    expect(await world.revoke(grant)).toMatchObject({ ok: true });
    expect(shop.uninstalled()).toHaveLength(before);
    world.store.clock.advance(4_000);
    expect(await world.revoke(gone)).toMatchObject({ ok: true });
    expect(shop.uninstalled()).toHaveLength(before + 1);
    expect(world.asked('/admin/oauth/access_token').at(-1)?.body).toMatchObject({
      grant_type: 'refresh_token',
    });
  });

  test('is asked again to revoke a grant after an outage', async () => {
    const grant = await world.connect(acme);
    world.server.faults.add({ kind: '500-before', match: { method: 'DELETE' } });
    expect(await world.revoke(grant)).toMatchObject({ failure: { code: 'platform.unavailable' } });
    expect(await world.revoke(grant)).toMatchObject({ ok: true });
  });

  test('two logins at one shop are one grant there', async () => {
    const [one, other] = [await world.connect(acme), await world.connect(acme)];
    const connectMethod = createMethod({});
    expect(world.authorizers.sharesGrant(connectMethod, one.credential, other.credential)).toBe(true);
  });
});

describe('a store with a path, which names itself at every step', () => {
  const store = storeOauth({ storeHash: 'abc123', apps: [app] });
  let world: Awaited<ReturnType<typeof openStoreFixture>>;
  beforeAll(async () => {
    const connectMethod = createMethod({
      permissions: ['store_v2_orders', 'store_v2_information_read_only'],
      tokenBody: 'json',
      forwardedCallbackParams: ['scope'],
      tokenHeader: 'X-Auth-Token',
      account: {
        field: 'store',
        patterns: [/^([a-z0-9]{1,30})$/],
        location: { kind: 'path', path: '/stores/{name}' },
        parameter: 'context',
        value: 'stores/{name}',
        isSentWithTokenRequest: true,
      },
    });
    world = await openStoreFixture(fetch, connectMethod, {
      serve: (request) => store.serve(request),
      api: (request) => ({ status: store.grantOf(headerOf('x-auth-token', request)) ? 200 : 401, json: {} }),
    });
  });
  afterAll(() => world.close());
  const typed = { store: 'abc123' };

  test('receives the name of the store, and its API is at the store’s own path', async () => {
    const { url, complete } = await world.begin(typed);
    expect(url.searchParams.get('context')).toBe('stores/abc123');
    const grant = await complete(await world.consent(url));
    if (!grant.ok) throw new Error(grant.failure.message);
    expect(grant.value).toMatchObject({
      server: `${world.server.url}/stores/abc123`,
      permissions: ['store_v2_orders', 'store_v2_information_read_only'],
      accessExpiresAt: null,
      expiresAt: null,
    });
    const request = world.asked('/oauth2/token').at(-1);
    expect(request?.headers['content-type']).toContain('application/json');
    expect(request?.body).toMatchObject({
      context: 'stores/abc123',
      scope: 'store_v2_orders store_v2_information_read_only',
    });
    expect(await world.ask(grant.value)).toMatchObject({ ok: true, value: { status: 200 } });
    expect(world.asked('/stores/abc123/orders')).toHaveLength(1);
  });

  test.each([
    ['of another store', { context: 'stores/evil99' }],
    ['of another shape', { context: 'https://evil.example/stores/abc123' }],
    ['with a path traversal', { context: 'stores/abc123/../evil99' }],
    ['without a store', { context: '' }],
    ['without its permissions', { scope: '' }],
  ])('a callback %s spends no code', async (_what, change) => {
    const { url, complete } = await world.begin(typed);
    const honest = await world.consent(url);
    const before = world.asked('/oauth2/token').length;
    expect(await complete({ ...honest, ...change })).toMatchObject({
      failure: { code: 'connect.exchange_failed' },
    });
    expect(world.asked('/oauth2/token')).toHaveLength(before);
  });

  test.each(['stores/evil99', 'https://evil.example', 'stores/abc123/', ''])(
    'a token for %j is rejected for the requested store',
    async (context) => {
      const { url, complete } = await world.begin(typed);
      store.respondAs(context);
      const completed = await complete(await world.consent(url));
      store.respondAs('stores/abc123');
      expect(completed).toMatchObject({ failure: { code: 'connect.exchange_failed' } });
    },
  );
});

describe('a seller whose token responses contain their expiry', () => {
  const now = () => world.store.clock.now();
  const seller = sellerOauth({ merchantId: 'MLSELLER1', apps: [app], now });
  const facts = {
    revokePath: '/oauth2/revoke',
    permissions: ['ORDERS_READ', 'PAYMENTS_WRITE'],
    authorizeParams: { session: 'false' },
    tokenBody: 'json',
    tokenErrors: { ended: ['bad_request', 'not_found'], app: ['service.not_authorized'] },
    revocation: 'secret',
    grantAccountField: 'merchant_id',
  } as const;
  let world: Awaited<ReturnType<typeof openStoreFixture>>;
  beforeAll(async () => {
    world = await openStoreFixture(fetch, createMethod(facts), {
      serve: (request) => seller.serve(request),
      api: (request) => ({
        status: seller.grantOf(headerOf('authorization', request).replace('Bearer ', '')) ? 200 : 401,
        json: {},
      }),
    });
  });
  afterAll(() => world.close());

  test('logs in, and receives a thirty-day login that renews with the same refresh token', async () => {
    const { url, complete } = await world.begin();
    expect(url.searchParams.get('session')).toBe('false');
    expect(url.searchParams.get('scope')).toBe('ORDERS_READ PAYMENTS_WRITE');
    const grant = await complete(await world.consent(url));
    if (!grant.ok) throw new Error(grant.failure.message);
    const days = ((grant.value.accessExpiresAt?.getTime() ?? 0) - now().getTime()) / 86_400_000;
    expect(days).toBeGreaterThan(29.9);
    expect(days).toBeLessThan(30.1);
    // The response lists no scopes: the requested ones apply.
    expect(grant.value).toMatchObject({ permissions: ['ORDERS_READ', 'PAYMENTS_WRITE'], expiresAt: null });
    const connection = await world.keep(grant.value);
    for (const generation of [1, 2]) {
      expect(await world.sessions.renew(connection, generation)).toMatchObject({ ok: true });
    }
  });

  test('denies access', async () => {
    const { url, complete } = await world.begin();
    expect(await complete(await world.consent(url, 'deny'))).toMatchObject({
      failure: { code: 'connect.denied' },
    });
  });

  test('receives the revocation with the app’s secret, and all grants of the account to the app are one', async () => {
    const [one, other] = [await world.connect(), await world.connect()];
    expect(world.authorizers.sharesGrant(createMethod(facts), one.credential, other.credential)).toBe(true);
    const connection = await world.keep(other);
    expect(await world.revoke(one)).toMatchObject({ ok: true });
    const [asked] = world.asked('/oauth2/revoke');
    expect(asked?.headers['authorization']).toBe(`Client ${app.clientSecret}`);
    expect(seller.revoked()).toEqual([app.clientId]);
    expect(await world.sessions.renew(connection, 1)).toMatchObject({
      failure: { code: 'connection.needs_reauth' },
    });
  });

  test('that no longer knows the app’s secret ends no login', async () => {
    const connection = await world.keep(await world.connect());
    const [mine] = world.apps;
    world.apps.splice(0, 1);
    world.apps.push({ ...mine, clientId: app.clientId, clientSecret: { reveal: () => 'old' } as never });
    expect(await world.sessions.renew(connection, 1)).toMatchObject({
      failure: { code: 'platform.not_configured' },
    });
  });
});

describe('an app of the store owner', () => {
  const own = {
    ...app,
    clientId: 'own-app',
    clientSecret: 'own-secret',
    ownStore: true,
    scopes: ['write_orders'],
  };
  const now = () => world.store.clock.now();
  const shop = shopOauth({ shop: 'acme.myshopify.com', apps: [own, { ...app, clientId: 'foreign' }], now });
  const connectMethod: ConnectMethod = {
    id: 'own_app',
    scheme: 'client_credentials',
    label: 'Connect with an app of your own',
    fields: createMethod({}).fields,
    needsApp: false,
    clientCredentials: {
      tokenPath: '/admin/oauth/access_token',
      account: {
        field: 'store',
        patterns: [/^([a-z0-9-]{1,60})$/],
        location: { kind: 'origin', origin: 'https://{name}.myshopify.com' },
      },
      idField: 'client_id',
      secretField: 'client_secret',
      clientAuth: 'body',
      includedPermissions: { write_orders: ['read_orders'] },
      tokenErrors: { ended: ['shop_not_permitted'], app: ['application_cannot_be_found'] },
      tokenHeader: 'X-Shopify-Access-Token',
    },
  };
  let world: Awaited<ReturnType<typeof openStoreFixture>>;
  beforeAll(async () => {
    world = await openStoreFixture(fetch, connectMethod, {
      serve: (request) => shop.serve(request),
      api: (request) => ({
        status: shop.grantOf(headerOf('x-shopify-access-token', request)) ? 200 : 401,
        json: {},
      }),
    });
  });
  afterAll(() => world.close());
  const typed = { store: 'acme', client_id: own.clientId, client_secret: own.clientSecret };
  const login = async () => {
    const grant = await world.login(typed);
    if (!grant.ok) throw new Error(grant.failure.message);
    return grant.value;
  };

  test('returns a one-day token, which is requested again with the same secret', async () => {
    const grant = await login();
    expect(grant).toMatchObject({ permissions: ['write_orders', 'read_orders'], expiresAt: null });
    expect(JSON.stringify(grant)).not.toContain(own.clientSecret);
    expect(await world.ask(grant)).toMatchObject({ ok: true, value: { status: 200 } });
    const connection = await world.keep(grant);
    expect(await world.sessions.renew(connection, 1)).toMatchObject({ ok: true });
    expect(world.asked('/admin/oauth/access_token').map(({ body }) => body)).toEqual([
      expect.objectContaining({ grant_type: 'client_credentials' }),
      expect.objectContaining({ grant_type: 'client_credentials' }),
    ]);
  });

  test.each([
    ['with a wrong secret', { client_secret: 'wrong' }, 'client_secret'],
    ['that is not known', { client_id: 'nobody' }, 'client_secret'],
    ['of another organization', { client_id: 'foreign', client_secret: app.clientSecret }, 'client_secret'],
    ['with a secret that holds a space', { client_secret: 'own secret' }, 'client_secret'],
    ['without an id', { client_id: '' }, 'client_id'],
    ['for no shop', { store: 'evil.example' }, 'store'],
  ])('%s is rejected on entry, without quoting the secret', async (_what, change, field) => {
    const refused = await world.login({ ...typed, ...change });
    expect(refused).toMatchObject({
      ok: false,
      failure: { code: 'connect.answer_invalid', problems: [{ path: field }] },
    });
    expect(JSON.stringify(refused)).not.toContain(own.clientSecret);
  });

  test('reports a store that does not respond', async () => {
    world.server.faults.add({ kind: '500-before', match: { method: 'POST' } });
    expect(await world.login(typed)).toMatchObject({ failure: { code: 'platform.unavailable' } });
  });

  test('that its owner uninstalled has ended; one that does not respond is retried', async () => {
    const connection = await world.keep(await login());
    world.server.faults.add({ kind: '500-before', match: { method: 'POST' } });
    expect(await world.sessions.renew(connection, 1)).toMatchObject({
      failure: { code: 'platform.unavailable' },
    });
    own.ownStore = false;
    world.store.clock.advance(60);
    expect(await world.sessions.renew(connection, 1)).toMatchObject({
      failure: { code: 'connection.needs_reauth' },
    });
    own.ownStore = true;
  });

  test('stays installed when the store is disconnected', async () => {
    const grant = await login();
    const before = world.server.exchanges().length;
    expect(await world.revoke(grant)).toMatchObject({ ok: true });
    expect(world.server.exchanges()).toHaveLength(before);
  });
});

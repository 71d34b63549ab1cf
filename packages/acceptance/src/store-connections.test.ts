import { createHmac } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { repetitions } from '@switchboard/domain/testing';
import { startBigCommerce, startShopify, startSquare } from '@switchboard/simulators';
import { freePort } from '@switchboard/persistence/testing';
import { dumpDatabase, queryRows } from './support/database.js';
import { eventually } from './support/eventually.js';
import { asObject, asObjects, asText, type JsonObject } from './support/json.js';
import { startProgram } from './support/program.js';
import { programs } from './support/programs.js';
import { restClient, type RestClient } from './support/rest-client.js';
import { connectByKey, storeOrdersClient } from './support/store-orders-client.js';
import { storeConsent, withCallbackQuery, type StoreConsentFlow } from './support/store-consent.js';
import type { Switchboard } from './support/installation.js';
import { serveSwitchboard } from './support/serve-switchboard.js';

const secretOf = (platform: string) => `secret-of-our-app-at-${platform}`;
const redirectUris: string[] = [];
const appAt = (platform: string) => ({
  clientId: `our-app-at-${platform}`,
  clientSecret: secretOf(platform),
  redirectUris,
});
/** An app of the shop's own organization. */
const own = {
  clientId: 'own-app',
  clientSecret: 'shpss_secret-of-the-own-app',
  redirectUris: [],
  ownStore: true,
  scopes: ['read_orders', 'write_orders'],
};

/** A server with any number of stores: the key of each contains its id. */
let crowd: Server;
let crowdUrl: string;
let shopify: Awaited<ReturnType<typeof startShopify>>;
let bigcommerce: Awaited<ReturnType<typeof startBigCommerce>>;
let square: Awaited<ReturnType<typeof startSquare>>;
let switchboard: Switchboard;
let client: RestClient;
let stores: ReturnType<typeof storeConsent>;
beforeAll(async () => {
  [shopify, bigcommerce, square] = await Promise.all([
    startShopify({
      apps: [appAt('shopify'), own],
      settlesAfterReads: 1,
      // A shop on the largest plan, so that rate limits do not affect these tests.
      plan: { maximumAvailable: 40_000, restoreRate: 2_000 },
    }),
    startBigCommerce({ apps: [appAt('bigcommerce')], settleAfterReads: 1 }),
    startSquare({ apps: [appAt('square')], settlesAfterReads: 1 }),
  ]);
  crowd = createServer(({ headers: { authorization = '' } }, response) => {
    const key = Buffer.from(authorization.replace(/^Basic /, ''), 'base64').toString();
    const id = /^token-of-(\d+):$/.exec(key)?.[1];
    const [status, json]: readonly [number, object] =
      id === undefined
        ? [401, { message: `The key ${key} (${authorization}) is invalid` }]
        : [200, { stores: [{ id: `store_${id}`, name: `Store ${id}` }], count: 1, offset: 0, limit: 20 }];
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(json));
  });
  const port = await freePort();
  await new Promise<void>((listening) => crowd.listen(port, '127.0.0.1', listening));
  crowdUrl = `http://127.0.0.1:${port}`;
  const running = { shopify, bigcommerce, square };
  const env = Object.entries(running).flatMap(([platform, { url }]) => {
    const name = `SWITCHBOARD_${platform.toUpperCase()}`;
    return [
      [`${name}_BASE_URL`, url],
      [`${name}_CLIENT_ID`, appAt(platform).clientId],
      [`${name}_CLIENT_SECRET`, appAt(platform).clientSecret],
    ];
  });
  switchboard = await serveSwitchboard({
    name: 'store_connections',
    env: {
      ...(Object.fromEntries(env) as Record<string, string>),
      SWITCHBOARD_ALLOW_PRIVATE_HOSTS: [...Object.values(running).map(({ url }) => url), crowdUrl]
        .map((url) => new URL(url).host)
        .join(','),
    },
  });
  redirectUris.push(...Object.keys(running).map((id) => `${switchboard.url}/oauth/callback/${id}`));
  client = restClient(switchboard.url, switchboard.keys.full);
  stores = storeConsent(client);
});
afterAll(async () => {
  await switchboard?.stop();
  await Promise.all([shopify, bigcommerce, square].map((store) => store?.close()));
  crowd?.close();
  crowd?.closeAllConnections();
});

const typed: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  shopify: { shop: 'https://admin.shopify.com/store/kiln-and-co/orders' },
  get bigcommerce() {
    return { store: `https://store-${bigcommerce.hash}.mybigcommerce.com/manage/orders` };
  },
  square: {},
};

/** Connects by consent; returns the connection ID. */
async function connect(platform: string): Promise<string> {
  const trip = await stores.start(platform, typed[platform] ?? {});
  expect((await stores.followCallback(trip)).status).toBe(200);
  const session = await stores.sessionOf(trip);
  expect(session).toMatchObject({ status: 'connected', error: null });
  const [id = ''] = session['connection_ids'] as string[];
  return id;
}

const minorOf = (money: unknown) => Number(asText(asObject(money)['amount']).replace('.', ''));

/** Refunds part of an order with a single payment, in the store's currency of the first such order. */
async function refundOne(connection: string): Promise<JsonObject> {
  const storeOrders = storeOrdersClient(client, connection);
  const paid = (await storeOrders.listAllOrders({ payment_status: 'paid', limit: 100 })).find(
    ({ payments, totals }) =>
      asObjects(payments).length === 1 &&
      asObjects(payments)[0]?.['refundable_online'] === true &&
      minorOf(asObject(totals)['refundable']) > 500 &&
      asObject(asObject(totals)['refundable'])['currency'] === 'USD',
  );
  if (!paid) throw new Error('the store has no refundable order');
  const amount = { amount: '1.00', currency: 'USD' };
  const answer = await storeOrders.refund(paid, { amount });
  expect([answer.status, answer.json]).toEqual([201, expect.objectContaining({ amount })]);
  return answer.json;
}

describe.each(['shopify', 'bigcommerce', 'square'])('a store at %s', (platform) => {
  const made = () =>
    ({ shopify: shopify.refunds, bigcommerce: bigcommerce.refunds, square: square.refunds })[
      platform as 'square'
    ].createdCount();
  let connection: string;

  test('is connected by its owner’s consent with all required permissions', async () => {
    connection = await connect(platform);
    expect(await client.expect(200, 'GET', `/connections/${connection}`)).toMatchObject({
      platform,
      status: 'active',
      status_reason: null,
      missing_permissions: [],
      expires_at: null,
    });
  });

  test('lists its orders, and refunds one once', async () => {
    const before = made();
    const refund = await refundOne(connection);
    expect(['succeeded', 'pending']).toContain(refund['status']);
    expect(made()).toBe(before + 1);
  });

  test('is reconnected as the same connection', async () => {
    expect(await connect(platform)).toBe(connection);
  });

  test('that is denied connects nothing', async () => {
    const trip = await stores.start(platform, typed[platform] ?? {}, 'deny');
    if (trip.callback !== null) await stores.followCallback(trip);
    // Square returns an error; at the others the owner stays in the store's own pages.
    expect(await stores.sessionOf(trip)).toMatchObject(
      platform === 'square'
        ? { status: 'failed', error: { code: 'denied' } }
        : { status: 'pending', connection_ids: [] },
    );
  });

  test('rejects the token after the disconnection', async () => {
    await client.expect(204, 'DELETE', `/connections/${connection}`);
    // BigCommerce has no revocation endpoint: Switchboard only deletes the token.
    if (platform === 'bigcommerce') return;
    const given = () => (platform === 'square' ? square.oauth.revoked() : shopify.oauth.uninstalled());
    await eventually('the grant is revoked', async () => given().at(-1) ?? null);
    expect(given()).toEqual([appAt(platform).clientId]);
  });
});

describe('Shopify’s one-hour token', () => {
  test('is refreshed after expiry, and the previous refresh token is valid until its successor is used', async () => {
    const connection = await connect('shopify');
    const [first = ''] = shopify.oauth.refreshTokens();
    for (const renewals of [1, 2]) {
      shopify.oauth.expireTokens();
      expect(await storeOrdersClient(client, connection).listAllOrders({ limit: 100 })).not.toHaveLength(0);
      expect(shopify.oauth.refreshTokens().includes(first)).toBe(renewals === 1);
    }
    await client.expect(204, 'DELETE', `/connections/${connection}`);
  });
});

describe('an app of the shop’s own organization', () => {
  const keys = { shop: 'kiln-and-co', client_id: own.clientId, client_secret: own.clientSecret };

  test('connects the shop with its client ID and secret, and gets its next token with them', async () => {
    const { session } = await connectByKey(client, 'shopify', 'own_app', keys);
    expect(session).toMatchObject({ status: 'connected', error: null });
    const [connection = ''] = session['connection_ids'] as string[];
    shopify.oauth.expireTokens();
    expect(await storeOrdersClient(client, connection).listAllOrders({ limit: 100 })).not.toHaveLength(0);
    await client.expect(204, 'DELETE', `/connections/${connection}`);
  });

  test('with a wrong secret connects nothing, and the form shows the error', async () => {
    const { page, session } = await connectByKey(client, 'shopify', 'own_app', {
      ...keys,
      client_secret: 'shpss_wrong-secret-of-the-own-app',
    });
    expect(page.status).toBe(422);
    expect(page.text).toContain('rejected these credentials');
    expect(page.text).not.toContain('shpss_wrong');
    expect(session).toMatchObject({ status: 'pending', connection_ids: [] });
  });
});

describe('a callback that the shop did not sign', () => {
  /** Parameters signed with our app's secret. */
  const sign = ({ hmac: _hmac, ...query }: Record<string, string>, secret = secretOf('shopify')) => {
    const form = new URLSearchParams(Object.entries(query).sort()).toString();
    return { ...query, hmac: createHmac('sha256', secret).update(form).digest('hex') };
  };
  type Query = Record<string, string>;
  const attacks: readonly (readonly [string, string, (query: Query) => Query])[] = [
    ['shopify', 'without a signature', ({ hmac: _hmac, ...query }) => query],
    ['shopify', 'with a forged signature', (query) => ({ ...query, hmac: 'a'.repeat(64) })],
    ['shopify', 'signed with another app’s secret', (query) => sign(query, own.clientSecret)],
    [
      'shopify',
      'of another shop that our app also serves',
      (query) => sign({ ...query, shop: 'evil.myshopify.com' }),
    ],
    [
      'shopify',
      'of the shop with an appended suffix',
      (query) => sign({ ...query, shop: 'kiln-and-co.myshopify.com.evil.example' }),
    ],
    ['shopify', 'with an unsigned parameter', (query) => ({ ...query, injected: '1' })],
    [
      'shopify',
      'that was signed an hour ago',
      (query) => sign({ ...query, timestamp: String(Number(query['timestamp']) - 3_600) }),
    ],
    ['bigcommerce', 'of another store', (query) => ({ ...query, context: 'stores/evil99' })],
    [
      'bigcommerce',
      'with a URL as the store',
      (query) => ({ ...query, context: 'https://evil.example/stores/x' }),
    ],
    [
      'bigcommerce',
      'with a path traversal in the store',
      (query) => ({ ...query, context: `${query['context'] ?? ''}/../evil99` }),
    ],
  ];

  const tokenCalls = () =>
    [shopify, bigcommerce]
      .flatMap((store) => store.exchanges())
      .filter(({ request }) => ['/admin/oauth/access_token', '/oauth2/token'].includes(request.path)).length;

  test.each(attacks)('%s: %s: no token call, no connection', async (platform, _what, change) => {
    const trip = await stores.start(platform, typed[platform] ?? {});
    const before = tokenCalls();
    const page = await trip.browser.get(withCallbackQuery(trip.callback, change));
    expect(page.status).toBe(410);
    expect(tokenCalls()).toBe(before);
    expect(await stores.sessionOf(trip)).toMatchObject({
      status: 'failed',
      connection_ids: [],
      error: { code: 'exchange_failed' },
    });
  });

  test('with a duplicated signed parameter is rejected, and the genuine one is still accepted', async () => {
    const trip = await stores.start('shopify', typed['shopify'] ?? {});
    const twice = `${trip.callback ?? ''}&shop=evil.myshopify.com`;
    expect((await trip.browser.get(twice)).status).toBe(400);
    await finish(trip, (query) => Object.fromEntries(Object.entries(query).reverse()));
  });

  test('does not depend on the order of its parameters', async () => {
    await finish(await stores.start('shopify', typed['shopify'] ?? {}), (query) =>
      Object.fromEntries(Object.entries(query).sort(([one], [other]) => (one < other ? 1 : -1))),
    );
  });

  async function finish(trip: StoreConsentFlow, order: (query: Query) => Query): Promise<void> {
    expect((await trip.browser.get(withCallbackQuery(trip.callback, order))).status).toBe(200);
    expect(await stores.sessionOf(trip)).toMatchObject({ status: 'connected' });
  }

  test('a token for another store than the requested one is not stored', async () => {
    const trip = await stores.start('bigcommerce', typed['bigcommerce'] ?? {});
    bigcommerce.oauth.respondAs('stores/evil99');
    expect((await stores.followCallback(trip)).status).toBe(410);
    bigcommerce.oauth.respondAs(`stores/${bigcommerce.hash}`);
    expect(await stores.sessionOf(trip)).toMatchObject({ status: 'failed', connection_ids: [] });
  });
});

test('no secret appears in any log', () => {
  const sent = [shopify, bigcommerce, square].flatMap((store) => store.exchanges());
  const tokens = sent.flatMap(({ answer }) => {
    const { access_token, refresh_token } = (answer.json ?? {}) as Record<string, unknown>;
    return [access_token, refresh_token].filter((token) => typeof token === 'string');
  });
  const codes = sent.flatMap(({ request }) => (request.body as { code?: string } | undefined)?.code ?? []);
  expect(tokens.length).toBeGreaterThan(10);
  const secrets = [
    ...tokens,
    ...codes,
    own.clientSecret,
    ...['shopify', 'bigcommerce', 'square'].map(secretOf),
  ];
  const logs = switchboard.logs();
  expect(secrets.filter((secret) => logs.includes(secret))).toEqual([]);
});

describe('importing the stores of another system', () => {
  /** Of a hundred rows each, the most that a call may have. */
  const CALLS = repetitions({ few: 3, many: 10 });
  const ROWS = CALLS * 100;
  /** Of a hundred, five are refused, and one is of the same account as the row before. */
  const row = (at: number): JsonObject => ({
    platform: at % 100 === 7 ? 'medusas' : 'medusa',
    access_token: at % 100 === 11 ? `ended-${at}` : `token-of-${at % 100 === 23 ? at - 1 : at}`,
    ...(at % 100 !== 31 && { server: at % 100 === 41 ? 'http://169.254.169.254' : crowdUrl }),
    ...(at % 100 === 53 && { account_id: 'another' }),
    external_id: `customer ${at % 100 === 23 ? at - 1 : at}`,
  });
  let rows: readonly JsonObject[];
  beforeAll(() => {
    rows = Array.from({ length: ROWS }, (_, at) => row(at));
  });
  const reasons: Readonly<Record<number, string>> = {
    7: 'platform.not_found',
    11: 'connection.import_invalid',
    31: 'connection.import_invalid',
    41: 'platform.address_refused',
    53: 'connect.wrong_account',
  };
  const count = async (sql: string) => {
    const [counted] = await queryRows<{ readonly count: string }>(switchboard.databaseUrl, sql);
    return Number(counted?.count);
  };
  const counts = () =>
    Promise.all([
      count(`SELECT count(*) FROM connections WHERE platform = 'medusa'`),
      count(`SELECT count(*) FROM events WHERE type = 'connection.connected'`),
      count(`SELECT count(*) FROM audit_rows WHERE action = 'importConnection'`),
      count(`SELECT count(DISTINCT object) FROM audit_rows WHERE action = 'importConnection'`),
    ]);
  const said: string[] = [];
  const importRows = async (batch: readonly JsonObject[], more: JsonObject = {}, key?: string) => {
    const headers = key === undefined ? {} : { 'Idempotency-Key': key };
    const body = { connections: batch, ...more };
    const done = await client.expect(200, 'POST', '/connections/import', { body, headers });
    said.push(JSON.stringify(done));
    return asObjects(done['results']);
  };
  let connected = 0;

  test('a dry run says what would become of each row, and stores nothing', async () => {
    const before = await counts();
    const results = await importRows(rows.slice(0, 60), { dry_run: true });
    expect(results.map(({ index }) => index)).toEqual(Array.from({ length: 60 }, (_, at) => at));
    for (const { index, status, error } of results) {
      const reason = reasons[Number(index)];
      expect([index, status, (error as JsonObject | undefined)?.['code']]).toEqual([
        index,
        reason !== undefined ? 'failed' : index === 23 ? 'updated' : 'imported',
        reason,
      ]);
    }
    expect(await counts()).toEqual(before);
  });

  test('several calls, of which two at once have the same rows, connect each account once', async () => {
    const [, eventsBefore] = await counts();
    const batches = Array.from({ length: CALLS }, (_, at) => rows.slice(at * 100, at * 100 + 100));
    const [first = [], ...others] = batches;
    const twice = await Promise.all([importRows(first, {}, 'the first hundred'), importRows(first)]);
    const all = [...twice[0]];
    for (const batch of others) all.push(...(await importRows(batch)));
    expect(await importRows(first, {}, 'the first hundred')).toEqual(twice[0]);
    const ids = new Set(all.flatMap(({ connection_id: id }) => (id === undefined ? [] : [asText(id)])));
    connected = ROWS - CALLS * 6;
    expect(ids.size).toBe(connected);
    expect(all.filter(({ status }) => status === 'failed')).toHaveLength(CALLS * 5);
    expect(await counts()).toEqual([connected, (eventsBefore ?? 0) + connected, connected, connected]);
  });

  test('the command line with the same rows changes nothing, and reports each line', async () => {
    const before = await counts();
    const folder = await mkdtemp(path.join(tmpdir(), 'switchboard-import-'));
    const file = path.join(folder, 'rows.jsonl');
    const lines = rows.map((one) => JSON.stringify({ ...one, refresh_token: null }));
    await writeFile(file, [...lines, '{"access_token": "unclosed-secret', '', '{"platform": 7}'].join('\n'));
    const program = startProgram(programs.cli, switchboard.env, ['import', 'connections', file, '--json']);
    const { code } = await program.exited;
    await rm(folder, { recursive: true });
    expect(code).toBe(1);
    const { results, ...sums } = JSON.parse(program.stdout()) as JsonObject;
    expect(sums).toEqual({ imported: 0, updated: CALLS * 95, failed: CALLS * 5 + 2 });
    expect(asObjects(results).map(({ line }) => line)).toEqual([
      ...Array.from({ length: ROWS + 1 }, (_, at) => at + 1),
      ROWS + 3,
    ]);
    expect(program.stderr()).toContain(`Imported ${ROWS + 2} of ${ROWS + 2}`);
    expect(await counts()).toEqual(before);
    said.push(program.output());
  });

  test('a connection whose audit row cannot be written is not stored, and the same request imports it later (R29)', async () => {
    const run = (sql: string) => queryRows(switchboard.databaseUrl, sql);
    const stored = async () => [...(await counts()), await count('SELECT count(*) FROM credentials')];
    const before = await stored();
    await run(`CREATE FUNCTION no_audit() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN RAISE EXCEPTION 'the audit cannot be written'; END $$`);
    await run('CREATE TRIGGER no_audit BEFORE INSERT ON audit_rows FOR EACH ROW EXECUTE FUNCTION no_audit()');
    const headers = { 'Idempotency-Key': 'without an audit' };
    const body = { connections: [row(ROWS)] };
    const refused = await client.post('/connections/import', body, headers);
    await run('DROP FUNCTION no_audit CASCADE');
    expect([refused.status, refused.json['effect']]).toEqual([500, 'none']);
    expect(await stored()).toEqual(before);
    const done = await client.expect(200, 'POST', '/connections/import', { body, headers });
    said.push(refused.text, JSON.stringify(done));
    expect(asObjects(done['results'])).toMatchObject([{ status: 'imported' }]);
    expect(await stored()).toEqual(before.map((number) => number + 1));
  });

  test('no token is in a response, the output, the log or the database', async () => {
    const tables = [...(await dumpDatabase(switchboard.databaseUrl))].map(([, stored]) => stored);
    const places = [...said, switchboard.logs(), ...tables];
    // As a key, and as it is sent.
    const tokens = /token-of-|ended-\d|unclosed-secret|dG9rZW4tb2Yt|ZW5kZWQt/;
    for (const place of places) expect(place).not.toMatch(tokens);
  });
});

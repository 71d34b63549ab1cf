import { randomBytes } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { catalog } from '@switchboard/operations';
import { startS3 } from '@switchboard/media/testing';
import { FAULT_KINDS } from '@switchboard/sandbox';
import { freePort } from '@switchboard/persistence/testing';
import { openBrowser } from './support/browser.js';
import { callOperation } from './support/call-operation.js';
import { findLeaks } from './support/find-leaks.js';
import { submitConnectForm, connectSandbox, getLocation } from './support/connect-sandbox.js';
import { refundableOrders } from './support/sandbox-store.js';
import { dumpDatabase, queryRows } from './support/database.js';
import { eventually } from './support/eventually.js';
import { createMcpCaller } from './support/operation-exchange.js';
import { asObjects, asText, type JsonObject } from './support/json.js';
import { connectMcpHttp, connectMcpStdio } from './support/mcp-client.js';
import { startProgram } from './support/program.js';
import { programs } from './support/programs.js';
import { restClient, type RestClient } from './support/rest-client.js';
import { sandboxControl } from './support/sandbox-control.js';
import type { Switchboard } from './support/installation.js';
import { startSwitchboard } from './support/start-switchboard.js';
import { startRecordingProxy, type RecordingProxy } from './support/recording-proxy.js';

/** Every planted or observed secret by its kind, and every readable output by its place. */
const secrets = new Map<string, string>();
const places = new Map<string, string>();

const addSecret = (name: string, secret = randomBytes(24).toString('base64url')): string => {
  secrets.set(name, secret);
  return secret;
};
let counted = 0;
/** Adds a secret of a kind that may occur several times. */
const addGeneratedSecret = (kind: string, secret?: string): string =>
  addSecret(`${kind} ${++counted}`, secret);
const addPlace = (place: string, said: string): void =>
  void places.set(place, `${places.get(place) ?? ''}\n${said}`);

/** Enables the debug output of all libraries. */
const DEBUG_ENV = { DEBUG: '*', DEBUG_DEPTH: '10', LOG_LEVEL: 'trace' };
const SANDBOX_APP = { id: 'switchboard-sandbox', real: 'switchboard-sandbox-secret' };
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==',
  'base64',
);

let social: RecordingProxy;
let store: RecordingProxy;
/** A server that a visitor enters for an account: its response echoes the request. */
let echoServer: Server;
let echoServerUrl: string;
let folder: string;
let s3: Awaited<ReturnType<typeof startS3>>;
let switchboard: Switchboard;
let api: RestClient;
/** For calls whose response contains a secret that is shown once to the caller. */
let keyOwner: RestClient;
const heard: string[] = [];
const given: string[] = [];
const browsed: string[] = [];

beforeAll(async () => {
  social = await startRecordingProxy({
    name: 'social',
    client: { ...SANDBOX_APP, given: addSecret('client secret of social') },
  });
  store = await startRecordingProxy({
    name: 'store',
    client: { ...SANDBOX_APP, given: addSecret('client secret of store') },
  });
  echoServer = createServer((request, response) => {
    void (async () => {
      let body = '';
      for await (const piece of request) body += String(piece);
      if (request.url === '/cat.png')
        return response.writeHead(200, { 'content-type': 'image/png' }).end(PNG);
      const message = `${request.url ?? ''} ${body} ${JSON.stringify(request.headers)}`;
      response
        .writeHead(401, { 'content-type': 'application/json' })
        .end(JSON.stringify({ error: 'AuthenticationRequired', message }));
    })();
  });
  const port = await freePort();
  await new Promise<void>((done) => echoServer.listen(port, '127.0.0.1', done));
  echoServerUrl = `http://127.0.0.1:${port}`;
  folder = await mkdtemp(join(tmpdir(), 'switchboard-secrets-'));
  s3 = await startS3(folder, 'media');
  const [master, retired] = ['m2', 'm1'].map(
    (id) => `${id}:${addSecret(`master key ${id}`, randomBytes(32).toString('base64'))}`,
  );
  switchboard = await startSwitchboard({
    name: 'secrets',
    mcp: true,
    env: {
      ...DEBUG_ENV,
      SWITCHBOARD_MASTER_KEYS: `${master ?? ''},${retired ?? ''}`,
      SWITCHBOARD_METRICS_TOKEN: addSecret('metrics token'),
      SWITCHBOARD_SANDBOX_SOCIAL_BASE_URL: social.url,
      SWITCHBOARD_SANDBOX_STORE_BASE_URL: store.url,
      SWITCHBOARD_SANDBOX_SOCIAL_CLIENT_ID: SANDBOX_APP.id,
      SWITCHBOARD_SANDBOX_STORE_CLIENT_ID: SANDBOX_APP.id,
      SWITCHBOARD_SANDBOX_SOCIAL_CLIENT_SECRET: asText(secrets.get('client secret of social')),
      SWITCHBOARD_SANDBOX_STORE_CLIENT_SECRET: asText(secrets.get('client secret of store')),
      SWITCHBOARD_ALLOW_PRIVATE_HOSTS: [social.url, store.url, echoServerUrl]
        .map((url) => new URL(url).host)
        .join(','),
      SWITCHBOARD_MEDIA_S3_BUCKET: 'media',
      SWITCHBOARD_MEDIA_S3_ENDPOINT: s3.url,
      SWITCHBOARD_MEDIA_S3_ACCESS_KEY_ID: s3.credentials.accessKeyId,
      // The server accepts any secret.
      SWITCHBOARD_MEDIA_S3_SECRET_ACCESS_KEY: addSecret('S3 secret'),
    },
  });
  addSecret('database password', decodeURIComponent(new URL(switchboard.databaseUrl).password));
  addSecret('full key of the first start', switchboard.keys.full);
  addSecret('agent key of the first start', switchboard.keys.agent);
  for (const proxy of [social, store]) proxy.setTarget(switchboard.sandboxUrl);
  api = restClient(switchboard.url, switchboard.keys.full, heard);
  keyOwner = restClient(switchboard.url, switchboard.keys.full, given);
});
afterAll(async () => {
  await switchboard?.stop();
  await Promise.all([social, store].map((tap) => tap?.close()));
  echoServer?.close();
  echoServer?.closeAllConnections();
  await s3?.close();
  await rm(folder, { recursive: true, force: true });
});

/** A link, and the secrets of the flow once it has been opened. */
async function link(platform: string): Promise<{ readonly id: string; readonly url: string }> {
  const session = await keyOwner.expect(201, 'POST', '/connect/url', { body: { platform } });
  const url = asText(session['url']);
  addGeneratedSecret('link', new URL(url).pathname.split('/').at(-1));
  return { id: asText(session['id']), url };
}

/** The browser's cookies and everything that it sent and received. */
function collectSecrets(): void {
  const all = browsed.join('\n');
  for (const [kind, pattern] of [
    ['state', /[?&]state=([\w-]{16,})/g],
    ['cookie', /"set-cookie","swb_connect=([^;"]+)/g],
    ['form token', /action="\/connect[^>]*>[^]*?name="csrf" value="([^"]+)"/g],
  ] as const) {
    for (const [, secret = ''] of all.matchAll(pattern)) {
      if (![...secrets.values()].includes(secret)) addGeneratedSecret(kind, secret);
    }
  }
}

async function connected(platform: string, account: string): Promise<string> {
  const { id, url } = await link(platform);
  await connectSandbox(url, { account }, openBrowser(browsed));
  const session = await api.expect(200, 'GET', `/connect/sessions/${id}`);
  return asText((session['connection_ids'] as string[])[0]);
}

const post = (connection: string, words: string) =>
  api.post(
    '/social/posts',
    { text: words, targets: [{ connection_id: connection }], allow_duplicate: true },
    { Prefer: 'wait=3', 'Idempotency-Key': words },
  );

const control = () => sandboxControl(switchboard.sandboxUrl);

/**
 * Repeats the call until the platform has echoed a request of it: while the circuit breaker of the platform is
 * open, no request is sent.
 */
async function echoed(
  proxy: RecordingProxy,
  rule: Parameters<RecordingProxy['echoNextRequest']>[0],
  call: () => Promise<unknown>,
): Promise<void> {
  const wasEchoed = proxy.echoNextRequest(rule);
  await eventually(`${String(rule.about)} is echoed with ${rule.status}`, async () => {
    await call();
    return wasEchoed() ? true : null;
  });
}

describe('every flow, with debug output of every library', () => {
  let account: string;
  let shop: string;

  test('connecting: approved, denied, in another browser, with an unknown state, twice, and with a failing exchange', async () => {
    account = await connected('sandbox_social', 'maren-holt');
    shop = await connected('sandbox_store', 'alder-oak');
    await connectSandbox(
      (await link('sandbox_social')).url,
      { account: 'lumen-coffee', decision: 'deny' },
      openBrowser(browsed),
    );

    const browser = openBrowser(browsed);
    const { url } = await link('sandbox_social');
    const leaving = await submitConnectForm(browser, url, 'oauth');
    const state = new URL(getLocation(leaving)).searchParams.get('state') ?? '';
    for (const query of [
      `code=${addGeneratedSecret('unissued code')}&state=${state}`,
      `code=${addGeneratedSecret('unissued code')}&state=${addGeneratedSecret('unissued state')}`,
      `error=server_error&error_description=${addGeneratedSecret('unissued code')}&state=${state}`,
    ]) {
      for (const each of [openBrowser(browsed), browser, browser]) {
        await each.get(`${switchboard.url}/oauth/callback/sandbox_social?${query}`);
      }
    }
    for (const status of [400, 401, 500, 503]) {
      await echoed(social, { about: /oauth\/token/, status }, async () =>
        connectSandbox((await link('sandbox_social')).url, { account: 'lumen-coffee' }, openBrowser(browsed)),
      );
    }
  });

  test('connecting with a wrong password, at a server that echoes it', async () => {
    const browser = openBrowser(browsed);
    const typed = {
      handle: 'canary.example.com',
      password: addSecret('app password', 'q7wx-c2np-v5mz-k8td'),
      server: echoServerUrl,
    };
    const { url, id } = await link('bluesky');
    const page = await submitConnectForm(browser, url, 'app_password', typed);
    expect(page.status).toBeLessThan(500);
    await api.get(`/connect/sessions/${id}`);
  });

  test('importing tokens: accepted as keys nowhere, echoed by their platform, malformed, and repeated', async () => {
    const rows = () => [
      {
        platform: 'sandbox_social',
        access_token: addGeneratedSecret('imported token of social'),
        refresh_token: addGeneratedSecret('imported refresh token of social'),
      },
      { platform: 'mastodon', server: echoServerUrl, access_token: addGeneratedSecret('imported token') },
      {
        platform: 'bluesky',
        account_id: 'did:plc:abcdefghijklmnopqrstuvwx',
        server: echoServerUrl,
        access_token: addSecret('imported app password', 'r3bn-w6kp-x2mz-t4vd'),
      },
    ];
    const connections = rows();
    const headers = { 'Idempotency-Key': 'one import' };
    for (const body of [
      { connections },
      { connections },
      { connections, dry_run: true },
      { connections: rows() },
    ]) {
      const { status, json } = await api.post('/connections/import', body, headers);
      expect([status, ...asObjects(json['results'] ?? []).map(({ status: outcome }) => outcome)]).toEqual(
        status === 200 ? [200, 'failed', 'failed', 'failed'] : [422],
      );
    }
    const malformed = connections.map((row) => ({
      ...row,
      token: addGeneratedSecret('token in an unknown field'),
    }));
    expect((await api.post('/connections/import', { connections: malformed })).status).toBe(400);
  });

  test('publishing with every fault, and at a platform that echoes the request', async () => {
    await post(account, 'nothing goes wrong');
    const kinds = FAULT_KINDS.filter((kind) => !/hang|drip|delay/.test(kind));
    await Promise.all([
      ...kinds.map(async (kind) => {
        await control().fault({
          platform: 'social',
          kind,
          match: { method: 'POST', body: `goes wrong: ${kind}.` },
        });
        await post(account, `This goes wrong: ${kind}.`);
      }),
      ...[400, 401, 403, 422, 500].map(async (status) => {
        const wasEchoed = social.echoNextRequest({ about: new RegExp(`repeated with ${status}`), status });
        await post(account, `This is repeated with ${status}`);
        await eventually(`the post is repeated with ${status}`, async () => wasEchoed() || null);
      }),
    ]);
    await control().clearFaults();
  });

  test('refreshing: with success, with a platform error, and with a failed connection', async () => {
    const expireTokens = () =>
      fetch(`${switchboard.sandboxUrl}/_control/tokens/expire`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: '{}',
      });
    // After this many faults the circuit breaker of the platform stays open for some seconds.
    const checked = async () =>
      (await api.get(`/connections/${account}?refresh=true`)).json['last_checked_at'];
    const before = await checked();
    await eventually('the platform is called again', async () =>
      (await checked()) === before ? null : true,
    );
    await expireTokens();
    await api.get(`/connections/${account}?refresh=true`);
    await api.get(`/connections/${shop}?refresh=true`);
    for (const status of [500, 429, 400]) {
      await expireTokens();
      await echoed(social, { about: /oauth\/token/, status }, async () => {
        // A failed refresh is delayed before the next attempt.
        await queryRows(switchboard.databaseUrl, 'UPDATE credentials SET next_attempt_at = NULL');
        await api.get(`/connections/${account}?refresh=true`);
      });
    }
    await queryRows(switchboard.databaseUrl, 'UPDATE credentials SET next_attempt_at = NULL');
    await control().revokeGrants('maren-holt');
    await api.get(`/connections/${account}?refresh=true`);
    await post(account, 'after the grant was revoked');
    account = await connected('sandbox_social', 'maren-holt');
  });

  test('analytics, orders, quotes and refunds, successful and at a store that echoes the request', async () => {
    await api.get('/social/analytics?group_by=post');
    await echoed(social, { about: /insights/, status: 400 }, async () => {
      // A fresh snapshot is not requested again.
      await queryRows(switchboard.databaseUrl, 'DELETE FROM snapshots');
      await api.get('/social/analytics?group_by=connection');
    });
    const orders = await refundableOrders(api, shop);
    const refund = (nth: number, body: JsonObject) =>
      api.post(`/ecommerce/orders/${asText(orders[nth]?.id)}/refund`, body, {
        'Idempotency-Key': `refund ${nth}`,
      });
    await api.post(`/ecommerce/orders/${asText(orders[0]?.id)}/refund/quote`, { amount: '1.00' });
    await refund(0, { amount: '1.00' });
    for (const [nth, kind] of (
      ['500-before', '500-after', 'reset-after-effect', '2xx-truncated', '429', '403', 'garbage'] as const
    ).entries()) {
      await control().fault({ platform: 'store', kind, match: { method: 'POST' } });
      await refund(nth + 1, { amount: '1.00' });
      await control().clearFaults();
    }
    for (const [nth, status] of [400, 401, 422, 500].entries()) {
      await echoed(store, { about: /refund/, status }, () => refund(nth + 8, { amount: '1.00' }));
    }
    for (const status of [400, 401, 500]) {
      await echoed(store, { about: /orders/, status }, () => api.get('/ecommerce/orders?limit=3'));
    }
    await api.get('/ecommerce/refunds');
  });

  test('media by upload, by URL, and by PUT to an upload URL', async () => {
    const form = new FormData();
    form.set('file', new Blob([PNG], { type: 'image/png' }), 'cat.png');
    const headers = { authorization: `Bearer ${switchboard.keys.full}` };
    const sent = await fetch(`${switchboard.url}/v1/social/media`, { method: 'POST', headers, body: form });
    addPlace('answers', await sent.text());
    await api.post('/social/media', { url: `${echoServerUrl}/cat.png` });
    await api.post('/social/media', { url: `${echoServerUrl}/none.png` });
    const upload = await keyOwner.expect(201, 'POST', '/social/media/uploads', {
      body: { type: 'image/png', bytes: PNG.length },
    });
    addSecret('upload token', new URL(asText(upload['url'])).pathname.split('/').at(-1));
    for (const body of [Buffer.alloc(PNG.length), PNG]) {
      addPlace('answers', await (await fetch(asText(upload['url']), { method: 'PUT', body })).text());
    }
    await api.post(
      '/social/posts',
      {
        text: 'with an image',
        media: [{ media_id: asText(upload['media_id']) }],
        targets: [{ connection_id: account }],
      },
      { Prefer: 'wait=5' },
    );
  });

  test('keys that are created, rotated, replayed and revoked', async () => {
    const body = { name: 'canary', scopes: ['posts:read', 'connections:read'] };
    const headers = { 'Idempotency-Key': 'one key' };
    const made = await keyOwner.expect(201, 'POST', '/keys', { body, headers });
    const key = addSecret('key made over REST', asText(made['secret']));
    await api.post('/keys', body, headers);
    const path = `/keys/${asText(made['id'])}`;
    const renewed = await keyOwner.expect(201, 'POST', `${path}/rotate`, { body: { overlap_seconds: 60 } });
    addSecret('key rotated over REST', asText(renewed['secret']));
    await restClient(switchboard.url, key, heard).get('/connections');
    for (const each of [path, '/keys', '/me']) await api.get(each);
    await api.sendRequest('DELETE', path);
    await restClient(switchboard.url, key, heard).get('/connections');
  });

  test('a foreign credential is not accepted as a key in any place, and is not forwarded (N60)', async () => {
    const jwt = () =>
      addGeneratedSecret(
        'token of another issuer',
        `eyJhbGciOiJSUzI1NiJ9.${randomBytes(40).toString('base64url')}.${randomBytes(20).toString('base64url')}`,
      );
    const asked = async (path: string, headers: Record<string, string>, body?: string) => {
      const response = await fetch(`${switchboard.url}${path}`, {
        headers,
        ...(body !== undefined && { method: 'POST', body }),
      });
      addPlace('answers', JSON.stringify([...response.headers]) + (await response.text()));
      return response.status;
    };
    const platformToken = asText([...social.secrets].find(([name]) => name.startsWith('access'))?.[1]);
    for (const authorization of [
      `Bearer ${jwt()}`,
      `Bearer ${platformToken}`,
      `DPoP ${jwt()}`,
      `Basic ${Buffer.from(`me:${addGeneratedSecret('password of a caller')}`).toString('base64')}`,
      addGeneratedSecret('unissued key'),
    ]) {
      for (const path of ['/v1/nothing', '/metrics']) await asked(path, { authorization });
      expect(await asked('/v1/me', { authorization })).toBe(401);
      const answer = await fetch(switchboard.mcpUrl, {
        method: 'POST',
        headers: { authorization, 'content-type': 'application/json' },
        body: '{}',
      });
      addPlace('answers', JSON.stringify([...answer.headers]) + (await answer.text()));
      expect(answer.status).toBe(401);
    }
    const authorization = `Bearer ${switchboard.keys.full}`;
    await asked(`/v1/me?api_key=${addGeneratedSecret('key in a URL')}`, {});
    await asked(`/v1/me?access_token=${addGeneratedSecret('key in a URL')}`, { authorization });
    await asked('/v1/me', { authorization, cookie: `session=${addGeneratedSecret('cookie of a caller')}` });
    await asked(
      '/v1/profiles',
      { authorization, 'content-type': 'application/json' },
      `{"name":"x","password":"${addGeneratedSecret('field of a caller')}"`,
    );
  });

  test('every operation and tool again with an unknown field', async () => {
    const mcp = createMcpCaller(switchboard, switchboard.keys.full);
    for (const operation of catalog) {
      if (operation.effect === 'irreversible') continue;
      await callOperation(api, operation, { no_such_field: 1 });
      if (operation.tool === null) continue;
      const { body, headers } = await mcp(operation, { no_such_field: 1 });
      addPlace('answers', headers.join() + body);
    }
    for (const wire of [connectMcpHttp, connectMcpStdio]) {
      const agent = await wire(switchboard, switchboard.keys.full);
      for (const tool of ['list_connections', 'list_posts', 'list_refunds', 'whoami']) {
        const { json, text: words } = await agent.call(tool);
        addPlace('answers', JSON.stringify(json) + words);
      }
      await agent.close();
    }
    for (const path of ['/metrics', '/openapi.json', '/docs', '/healthz', '/readyz', '/connect/none']) {
      const authorization = `Bearer ${asText(secrets.get('metrics token'))}`;
      addPlace(
        'answers',
        await (await fetch(`${switchboard.url}${path}`, { headers: { authorization } })).text(),
      );
    }
  });

  test('disconnecting: at a platform that echoes the token', async () => {
    const wasEchoed = social.echoNextRequest({ about: /oauth\/revoke/, status: 400 });
    for (const id of [account, shop]) await api.sendRequest('DELETE', `/connections/${id}`);
    await eventually('the token is revoked', async () => wasEchoed() || null);
  });

  test('the command line, in text and JSON output, including failures', async () => {
    const run = async (
      args: readonly string[],
      env: Readonly<Record<string, string>> = {},
      place = 'the command line',
    ) => {
      const program = startProgram(programs.cli, { ...switchboard.env, ...env }, args);
      await program.exited;
      addPlace(place, program.output());
      return program.stdout();
    };
    const shown = 'what a command is asked to show';
    const wrong = new URL(switchboard.databaseUrl);
    wrong.password = addSecret('wrong database password');
    const away = new URL(wrong.href);
    away.port = '1';
    const other = `m2:${addSecret('wrong master key', randomBytes(32).toString('base64'))}`;
    const [made] = await Promise.all([
      run('keys create --name canary --preset reader --json'.split(' '), {}, shown),
      ...['status --json', 'doctor', 'keys list --json'].map((command) => run(command.split(' '))),
    ]);
    addSecret('key made at the command line', asText((JSON.parse(made) as JsonObject)['secret']));
    await Promise.all([
      run(['doctor'], { DATABASE_URL: wrong.href }),
      run(['status'], { DATABASE_URL: away.href }),
      run(['keys', 'list'], { SWITCHBOARD_MASTER_KEYS: other }),
    ]);
  }, 300_000);
});

describe('then no secret is readable', () => {
  beforeAll(async () => {
    collectSecrets();
    for (const tap of [social, store]) for (const [name, secret] of tap.secrets) addSecret(name, secret);
    addPlace('answers', heard.join('\n'));
    addPlace('answers that show a secret once', given.join('\n'));
    addPlace('the browser', browsed.join('\n'));
    // The instructions for agents are printed at the first start only.
    addPlace('the log', switchboard.logs().replace(switchboard.keys.agent, ''));
    addPlace('what social was sent', JSON.stringify(social.requests));
    addPlace('what the store was sent', JSON.stringify(store.requests));
    for (const [table, rows] of await dumpDatabase(switchboard.databaseUrl))
      addPlace(`the table ${table}`, rows);
    for (const file of await readdir(switchboard.dataDir, { recursive: true })) {
      const content = await readFile(join(switchboard.dataDir, file)).catch(() => null);
      if (content) addPlace(`the file ${file}`, `${content.toString('latin1')}`);
    }
  });

  /** Where a secret may appear: at its recipient and nowhere else. */
  const isExpectedPlace = (secret: string, place: string): boolean => {
    switch (place) {
      case 'answers that show a secret once':
        return /^(link|upload token|key (made|rotated) over REST)/.test(secret);
      case 'the browser':
        return /^(link|state|cookie \d|form token|authorization code)/.test(secret);
      case 'what a command is asked to show':
        return secret === 'key made at the command line';
      case 'what social was sent':
        return / of social/.test(secret) || /^(state|authorization code)/.test(secret);
      case 'what the store was sent':
        return / of store/.test(secret) || /^(state|authorization code)/.test(secret);
      case 'the file api-key':
        return secret === 'full key of the first start';
      case 'the file agent-key':
        return secret === 'agent key of the first start';
      default:
        return false;
    }
  };

  test('there were at least forty secrets, of every kind', () => {
    expect(secrets.size).toBeGreaterThanOrEqual(40);
    const kinds = new Set([...secrets.keys()].map((name) => name.replace(/ \d+$/, '')));
    expect([...kinds]).toEqual(
      expect.arrayContaining([
        ...['social', 'store'].flatMap((name) =>
          [
            'client secret',
            'authorization code',
            'verifier',
            'access token',
            'refresh token',
            'id token',
            'cookie',
          ].map((kind) => `${kind} of ${name}`),
        ),
        ...['link', 'state', 'cookie', 'form token', 'upload token', 'app password', 'key made over REST'],
      ]),
    );
    for (const secret of secrets.values()) expect(secret.length).toBeGreaterThanOrEqual(12);
  });

  test('the search finds present secrets', () => {
    expect(places.get('the log')).toContain('createPost');
    expect([social.countEchoes(), store.countEchoes()]).toEqual([14, 7]);
    // Platform messages are quoted; secrets echoed in them are redacted.
    expect(places.get('answers')).toContain('[secret] was received.');
    const found = findLeaks(places, secrets, () => false);
    expect(found).toEqual(
      expect.arrayContaining([
        'the file api-key contains the full key of the first start',
        'answers that show a secret once contains the key made over REST',
        'what social was sent contains the client secret of social',
        expect.stringMatching(/^the browser contains the state/),
      ]),
    );
    const log = new Map([
      [
        'the log',
        `${places.get('the log') ?? ''}${Buffer.from(`>${secrets.get('metrics token') ?? ''}<`).toString('base64')}`,
      ],
    ]);
    expect(findLeaks(log, secrets, isExpectedPlace)).toContain('the log contains the metrics token');
  });

  test('in no output, response, request, table or file', () => {
    expect(findLeaks(places, secrets, isExpectedPlace)).toEqual([]);
  });
});

import { createHash } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { openBrowser, type Browser } from './support/browser.js';
import { submitConnectForm, getLocation } from './support/connect-sandbox.js';
import { queryRows } from './support/database.js';
import { asText, type JsonObject } from './support/json.js';
import { startCanaryServer, type CanaryServer } from './support/canary-server.js';
import { consentAtOidc } from './support/oidc-consent.js';
import { startOidcServer, type OidcServer } from './support/oidc-server.js';
import { restClient, type RestClient } from './support/rest-client.js';
import type { Switchboard } from './support/installation.js';
import { serveSwitchboard } from './support/serve-switchboard.js';

const ACCOUNT = 'maren-holt';
const MARK = 'zzzecho';

let oidc: OidcServer;
/** A second authorization server that an attacker controls. */
let attackerServer: OidcServer;
let elsewhere: CanaryServer;
let switchboard: Switchboard;
let client: RestClient;
beforeAll(async () => {
  [oidc, attackerServer] = await Promise.all([startOidcServer(), startOidcServer()]);
  elsewhere = await startCanaryServer();
  switchboard = await serveSwitchboard({ name: 'callback_attacks', env: oidc.env });
  client = restClient(switchboard.url, switchboard.keys.full);
});
afterAll(async () => {
  await switchboard?.stop();
  await Promise.all([oidc?.close(), attackerServer?.close(), elsewhere?.close()]);
});

/** A connect flow that has reached our callback with an unused authorization code. */
interface ConnectFlow {
  readonly browser: Browser;
  readonly hostedUrl: string;
  readonly sessionId: string;
  readonly authorizationUrl: string;
  readonly callback: string;
}

const startConnect = () =>
  client.expect(201, 'POST', '/connect/url', { body: { platform: 'sandbox_social' } });

const startFlow = async (browser: Browser, hostedUrl: string) =>
  getLocation(await submitConnectForm(browser, hostedUrl, 'oauth'));

async function completeFlow(
  browser = openBrowser(),
  decision: 'approve' | 'deny' = 'approve',
): Promise<ConnectFlow> {
  const { id, url } = await startConnect();
  const hostedUrl = asText(url);
  const authorizationUrl = await startFlow(browser, hostedUrl);
  const callback = await consentAtOidc(browser, authorizationUrl, { account: ACCOUNT, decision });
  return { browser, hostedUrl, sessionId: asText(id), authorizationUrl, callback };
}

const sessionOf = ({ sessionId }: ConnectFlow): Promise<JsonObject> =>
  client.expect(200, 'GET', `/connect/sessions/${sessionId}`);

/**
 * Every sealed credential with its generation: any created or reconnected connection changes this snapshot.
 */
const logins = () => queryRows(switchboard.databaseUrl, 'SELECT * FROM credentials ORDER BY connection_id');

interface CallbackRequest {
  readonly cookie?: string;
  readonly method?: string;
  readonly body?: URLSearchParams | string;
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * Sends the callback with the given changes; checks the security headers of the response and that it echoes
 * no input.
 */
async function send(url: string, { cookie, headers, ...init }: CallbackRequest): Promise<number> {
  const response = await fetch(url, {
    ...init,
    redirect: 'manual',
    headers: { ...(cookie !== undefined && cookie !== '' && { cookie }), ...headers },
  });
  const said = JSON.stringify([...response.headers]) + (await response.text());
  expect(said.toLowerCase()).not.toContain(MARK);
  expect(said).not.toMatch(/<script|onerror=/);
  const location = response.headers.get('location');
  // The callback of a flow of this browser leads to the page of its own link, and nowhere else.
  if (location?.startsWith('/connect/'))
    return send(new URL(location, url).href, { ...init, ...(cookie !== undefined && { cookie }) });
  expect(location).toBeNull();
  if (response.headers.get('content-type')?.includes('html')) {
    expect(response.headers.get('content-security-policy')).toMatch(/default-src 'none'/);
  }
  return response.status;
}

const changed = (callback: string, parameters: Readonly<Record<string, string | null>>): string => {
  const url = new URL(callback);
  for (const [name, value] of Object.entries(parameters)) {
    if (value === null) url.searchParams.delete(name);
    else url.searchParams.set(name, value);
  }
  return url.href;
};
const parameterOf = (url: string, name: string) => new URL(url).searchParams.get(name) ?? '';
const flipCase = (word: string) =>
  [...word].map((letter) => (/[a-z]/.test(letter) ? letter.toUpperCase() : letter.toLowerCase())).join('');
const flipLastLetter = (word: string) => word.slice(0, -1) + (word.endsWith('A') ? 'B' : 'A');

/** The callback that the flow's own browser sends. */
const ownFlow = ({ browser, callback }: ConnectFlow) => browser.cookie(callback);

interface CallbackAttack {
  readonly name: string;
  /** Returns the statuses of all responses. */
  readonly run: (trip: ConnectFlow) => Promise<readonly number[]>;
  readonly answers: readonly number[];
  /**
   * The expected session status afterwards. For a pending session, the legitimate callback must still
   * connect.
   */
  readonly leaves: 'pending' | 'failed' | 'cancelled' | 'expired' | 'gone';
}

/** The flow's own browser requests a different URL from the one that the platform redirected to. */
const withCallbackUrl = (
  name: string,
  change: (trip: ConnectFlow) => string,
  answer: number,
  leaves: CallbackAttack['leaves'],
): CallbackAttack => ({
  name,
  run: async (trip) => [await send(change(trip), { cookie: ownFlow(trip) })],
  answers: [answer],
  leaves,
});

/** A different browser, or none, sends the platform's callback. */
const fromElsewhere = (
  name: string,
  cookie: (trip: ConnectFlow) => string | Promise<string>,
): CallbackAttack => ({
  name,
  run: async (trip) => [await send(trip.callback, { cookie: await cookie(trip) })],
  answers: [404],
  leaves: 'pending',
});

const valueOf = (cookie: string) => cookie.slice(cookie.indexOf('=') + 1);

const inOtherBrowsers: readonly CallbackAttack[] = [
  fromElsewhere('without a cookie', () => ''),
  fromElsewhere('with the cookie of a browser that opened the same link', async ({ hostedUrl, callback }) => {
    const browser = openBrowser();
    await browser.get(hostedUrl);
    return browser.cookie(callback);
  }),
  fromElsewhere('with the cookie of a browser that has a flow of its own', async ({ callback }) =>
    (await completeFlow()).browser.cookie(callback),
  ),
  fromElsewhere('with one character of the cookie changed', (trip) => flipLastLetter(ownFlow(trip))),
  fromElsewhere(
    'with the cookie in changed letter case',
    (trip) => `swb_connect=${flipCase(valueOf(ownFlow(trip)))}`,
  ),
  fromElsewhere('with an empty cookie', () => 'swb_connect='),
  fromElsewhere(
    'with the cookie under another name',
    (trip) => `__Host-swb_connect=${valueOf(ownFlow(trip))}`,
  ),
  fromElsewhere(
    'with a planted cookie before its own',
    (trip) => `swb_connect=${'a'.repeat(43)}; ${ownFlow(trip)}`,
  ),
  fromElsewhere('with the cookie value doubled', (trip) => ownFlow(trip) + valueOf(ownFlow(trip))),
  {
    name: 'with the cookie in the query',
    run: async (trip) => [await send(`${trip.callback}&${ownFlow(trip)}`, {})],
    answers: [404],
    leaves: 'pending',
  },
];

const withoutItsState: readonly CallbackAttack[] = [
  withCallbackUrl('without a state', ({ callback }) => changed(callback, { state: null }), 404, 'pending'),
  withCallbackUrl('with an empty state', ({ callback }) => changed(callback, { state: '' }), 404, 'pending'),
  withCallbackUrl(
    'with a state that was never issued',
    ({ callback }) => changed(callback, { state: `${MARK}${'a'.repeat(36)}` }),
    404,
    'pending',
  ),
  withCallbackUrl(
    'with one character of the state changed',
    ({ callback }) => changed(callback, { state: flipLastLetter(parameterOf(callback, 'state')) }),
    404,
    'pending',
  ),
  withCallbackUrl(
    'with the state in changed letter case',
    ({ callback }) => changed(callback, { state: flipCase(parameterOf(callback, 'state')) }),
    404,
    'pending',
  ),
  withCallbackUrl(
    'with characters appended to the state',
    ({ callback }) => changed(callback, { state: `${parameterOf(callback, 'state')}\u0000` }),
    404,
    'pending',
  ),
  withCallbackUrl(
    'with a state in brackets',
    ({ callback }) => callback.replace('state=', 'state[]='),
    404,
    'pending',
  ),
  withCallbackUrl('with the state twice', ({ callback }) => `${callback}&state=${MARK}`, 400, 'pending'),
  withCallbackUrl(
    'with the same state twice',
    ({ callback }) => `${callback}&state=${parameterOf(callback, 'state')}`,
    400,
    'pending',
  ),
  {
    name: 'after the state was used without a successful connection',
    run: async (trip) => [
      await send(changed(trip.callback, { code: null, error: 'access_denied' }), { cookie: ownFlow(trip) }),
      await send(trip.callback, { cookie: ownFlow(trip) }),
    ],
    answers: [410, 404],
    leaves: 'failed',
  },
  {
    name: '15 minutes after the redirect to the platform',
    run: async (trip) => {
      await queryRows(
        switchboard.databaseUrl,
        `UPDATE connect_flows SET expires_at = now() - interval '1 second' WHERE session_id = '${trip.sessionId}'`,
      );
      return [await send(trip.callback, { cookie: ownFlow(trip) })];
    },
    answers: [404],
    leaves: 'gone',
  },
  {
    name: 'after the link expired',
    run: async (trip) => {
      await queryRows(
        switchboard.databaseUrl,
        `UPDATE connect_sessions SET expires_at = now() - interval '1 second' WHERE id = '${trip.sessionId}'`,
      );
      return [await send(trip.callback, { cookie: ownFlow(trip) })];
    },
    answers: [410],
    leaves: 'expired',
  },
  {
    name: 'of a flow that a later one in the same browser replaced',
    run: async (trip) => {
      await startFlow(trip.browser, trip.hostedUrl);
      return [await send(trip.callback, { cookie: ownFlow(trip) })];
    },
    answers: [404],
    leaves: 'gone',
  },
];

const otherEndpoints: readonly CallbackAttack[] = [
  withCallbackUrl(
    'at the redirect URI of another platform',
    ({ callback }) => callback.replace('/sandbox_social', '/sandbox_store'),
    404,
    'gone',
  ),
  withCallbackUrl(
    'at the redirect URI of an unknown platform',
    ({ callback }) => callback.replace('/sandbox_social', `/${MARK}`),
    404,
    'gone',
  ),
  withCallbackUrl(
    'at a redirect URI in uppercase',
    ({ callback }) => callback.replace('/sandbox_social', '/SANDBOX_SOCIAL'),
    404,
    'gone',
  ),
  ...(['HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS'] as const).map((method): CallbackAttack => ({
    name: `by ${method}`,
    run: async (trip) => [await send(trip.callback, { cookie: ownFlow(trip), method })],
    answers: [method === 'HEAD' ? 404 : 405],
    leaves: 'pending',
  })),
  {
    name: 'as a form, as with response_mode=form_post',
    run: async (trip) => {
      const { origin, pathname, searchParams } = new URL(trip.callback);
      return [await send(origin + pathname, { cookie: ownFlow(trip), method: 'POST', body: searchParams })];
    },
    answers: [405],
    leaves: 'pending',
  },
  {
    name: 'with a method override header that names GET',
    run: async (trip) => [
      await send(trip.callback, {
        cookie: ownFlow(trip),
        method: 'POST',
        headers: { 'x-http-method-override': 'GET', 'x-forwarded-method': 'GET' },
      }),
    ],
    answers: [405],
    leaves: 'pending',
  },
  withCallbackUrl(
    'with a query of 20 KB',
    ({ callback }) => `${callback}&${MARK}=${'a'.repeat(20_000)}`,
    400,
    'pending',
  ),
];

const fromOtherServers: readonly CallbackAttack[] = [
  withCallbackUrl('without iss', ({ callback }) => changed(callback, { iss: null }), 410, 'failed'),
  withCallbackUrl('with an empty iss', ({ callback }) => changed(callback, { iss: '' }), 410, 'failed'),
  withCallbackUrl(
    'with another iss',
    ({ callback }) => changed(callback, { iss: `https://${MARK}.example` }),
    410,
    'failed',
  ),
  withCallbackUrl(
    'with a slash appended to iss',
    ({ callback }) => changed(callback, { iss: `${oidc.issuer}/` }),
    410,
    'failed',
  ),
  withCallbackUrl(
    'with iss in changed letter case',
    ({ callback }) => changed(callback, { iss: oidc.issuer.replace('/social', '/Social') }),
    410,
    'failed',
  ),
  withCallbackUrl(
    'with the scheme of iss in uppercase',
    ({ callback }) => changed(callback, { iss: oidc.issuer.replace('http:', 'HTTP:') }),
    410,
    'failed',
  ),
  withCallbackUrl(
    'with only the origin as iss',
    ({ callback }) => changed(callback, { iss: new URL(oidc.issuer).origin }),
    410,
    'failed',
  ),
  withCallbackUrl(
    'with iss twice',
    ({ callback }) => `${callback}&iss=${encodeURIComponent(attackerServer.issuer)}`,
    400,
    'pending',
  ),
  {
    name: 'with the code and the iss of an attacker’s server',
    run: async (trip) => {
      const url = new URL(trip.authorizationUrl);
      const there = `${attackerServer.issuer}/oauth/authorize${url.search}`;
      const callback = await consentAtOidc(openBrowser(), there, { account: ACCOUNT, decision: 'approve' });
      return [await send(callback, { cookie: ownFlow(trip) })];
    },
    answers: [410],
    leaves: 'failed',
  },
  withCallbackUrl(
    'with an attacker’s error description and iss',
    ({ callback }) =>
      changed(callback, {
        code: null,
        iss: attackerServer.issuer,
        error: 'access_denied',
        error_description: `<script>${MARK}</script>`,
        error_uri: `https://${MARK}.example`,
      }),
    410,
    'failed',
  ),
];

const withAnotherCode: readonly CallbackAttack[] = [
  withCallbackUrl('without a code', ({ callback }) => changed(callback, { code: null }), 410, 'failed'),
  withCallbackUrl('with an empty code', ({ callback }) => changed(callback, { code: '' }), 410, 'failed'),
  withCallbackUrl('with the code twice', ({ callback }) => `${callback}&code=${MARK}`, 400, 'pending'),
  withCallbackUrl(
    'with a code and an error together',
    ({ callback }) =>
      changed(callback, { error: 'server_error', error_description: `<img src=x onerror=${MARK}>` }),
    410,
    'failed',
  ),
  withCallbackUrl(
    'with an access token in the query, as in the implicit grant',
    ({ callback }) => changed(callback, { code: null, access_token: MARK, token_type: 'bearer' }),
    410,
    'failed',
  ),
  withCallbackUrl(
    'with everything in one signed response, as with response_mode=jwt',
    ({ callback }) => changed(callback, { code: null, response: `e30.e30.${MARK}` }),
    410,
    'failed',
  ),
  withCallbackUrl(
    'with a platform error that contains a script',
    ({ callback }) =>
      changed(callback, { code: null, error: 'access_denied', error_description: `<script>${MARK}` }),
    410,
    'failed',
  ),
];

const families = [
  ['in another browser', inOtherBrowsers],
  ['without its state', withoutItsState],
  ['at another redirect URI', otherEndpoints],
  ['from another server', fromOtherServers],
  ['with another code', withAnotherCode],
] as const;

test('at least forty attacks are tested', () => {
  expect(families.flatMap(([, attacks]) => attacks).length).toBeGreaterThanOrEqual(40);
});

describe.each(families)('a callback %s', (_family, attacks) => {
  test.each(attacks)('$name: no token call, no connection', async ({ run, answers, leaves }) => {
    const trip = await completeFlow();
    const before = { calls: oidc.tokenCalls().length, logins: await logins() };
    expect(await run(trip)).toEqual(answers);
    expect(oidc.tokenCalls()).toHaveLength(before.calls);
    expect(attackerServer.tokenCalls()).toEqual([]);
    expect(await logins()).toEqual(before.logins);
    const status = leaves === 'gone' ? 'pending' : leaves;
    expect(await sessionOf(trip)).toMatchObject({ status, connection_ids: [] });

    const validFlow = await trip.browser.get(trip.callback);
    if (leaves !== 'pending') expect(validFlow.status).toBe(404);
    expect(oidc.tokenCalls()).toHaveLength(before.calls + (leaves === 'pending' ? 1 : 0));
    if (leaves !== 'pending') return;
    // The same callback from the correct browser succeeds, which shows that the rejected callback was
    // otherwise valid.
    expect(validFlow.status).toBe(200);
    expect(await sessionOf(trip)).toMatchObject({ status: 'connected', error: null });
  });
});

describe('an authorization code', () => {
  test('that is sent twenty times concurrently is exchanged once, for one connection', async () => {
    const trip = await completeFlow();
    const before = oidc.tokenCalls().length;
    oidc.delayTokens(150);
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => send(trip.callback, { cookie: ownFlow(trip) })),
    );
    oidc.delayTokens(0);
    expect(answers.sort()).toEqual([200, ...Array.from({ length: 19 }, () => 404)]);
    expect(oidc.tokenCalls()).toHaveLength(before + 1);
    const session = await sessionOf(trip);
    expect(session).toMatchObject({ status: 'connected', connection_ids: [expect.stringMatching(/^con_/)] });
    expect(await logins()).toHaveLength(1);
  });

  test('that was exchanged is not exchanged again', async () => {
    const trip = await completeFlow();
    expect((await trip.browser.get(trip.callback)).status).toBe(200);
    const [calls, before] = [oidc.tokenCalls().length, await logins()];
    expect(await send(trip.callback, { cookie: ownFlow(trip) })).toBe(404);
    expect(oidc.tokenCalls()).toHaveLength(calls);
    expect(await logins()).toEqual(before);
  });

  test('of another flow does not match this flow’s verifier: nothing is connected', async () => {
    const browser = openBrowser();
    const [mine, other] = [await completeFlow(browser), await completeFlow(browser)];
    const before = await logins();
    const mixed = changed(mine.callback, { code: parameterOf(other.callback, 'code') });
    expect(await send(mixed, { cookie: ownFlow(mine) })).toBe(410);
    expect(oidc.tokenCalls().at(-1)).toMatchObject({ error: 'invalid_grant', status: 400 });
    expect(await sessionOf(mine)).toMatchObject({ status: 'failed', error: { code: 'exchange_failed' } });
    expect(await logins()).toEqual(before);
  });

  test('of an attacker, injected into a victim’s flow with its own state and iss, connects nothing', async () => {
    const [victim, attacker] = [await completeFlow(), await completeFlow()];
    const before = await logins();
    const injected = changed(victim.callback, { code: parameterOf(attacker.callback, 'code') });
    expect(await send(injected, { cookie: ownFlow(victim) })).toBe(410);
    expect(oidc.tokenCalls().at(-1)).toMatchObject({ error: 'invalid_grant' });
    expect(await logins()).toEqual(before);
  });

  test('of an attacker’s own flow does not connect in a victim’s browser', async () => {
    const [victim, attacker] = [await completeFlow(), await completeFlow()];
    const calls = oidc.tokenCalls().length;
    expect(await send(attacker.callback, { cookie: ownFlow(victim) })).toBe(404);
    expect(oidc.tokenCalls()).toHaveLength(calls);
    expect(await sessionOf(attacker)).toMatchObject({ status: 'pending' });
  });
});

describe('PKCE', () => {
  test('is bound to a per-flow S256 challenge, and the verifier stays on the server', async () => {
    const browser = openBrowser();
    const { url } = await startConnect();
    const asked = [await startFlow(browser, asText(url)), await startFlow(browser, asText(url))].map(
      (address) => new URL(address).searchParams,
    );
    for (const query of asked) {
      expect(query.get('code_challenge_method')).toBe('S256');
      expect(query.get('code_challenge')).toMatch(/^[\w-]{43}$/);
      expect(query.has('code_verifier')).toBe(false);
    }
    expect(new Set(asked.map((query) => query.get('code_challenge'))).size).toBe(2);
    expect(new Set(asked.map((query) => query.get('state'))).size).toBe(2);
  });

  test('is sent with PKCE to a server that ignores it, and that server’s token response is still validated', async () => {
    const trip = await completeFlow();
    let verifier = '';
    oidc.injectTokenFault({
      when: 'before',
      respond: (response) =>
        void readVerifier(response).then((sent) => {
          verifier = sent;
          response.writeHead(200, { 'content-type': 'application/json' });
          response.end(JSON.stringify({ access_token: 'made-up', token_type: 'Bearer', expires_in: 3600 }));
        }),
    });
    const before = await logins();
    expect(await send(trip.callback, { cookie: ownFlow(trip) })).toBe(410);
    const challenge = createHash('sha256').update(verifier).digest('base64url');
    expect(challenge).toBe(parameterOf(trip.authorizationUrl, 'code_challenge'));
    expect(await logins()).toEqual(before);
  });
});

async function readVerifier({ req }: ServerResponse): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of req) chunks.push(chunk as Buffer);
  return new URLSearchParams(Buffer.concat(chunks).toString()).get('code_verifier') ?? '';
}

describe('a token endpoint', () => {
  test.each([301, 302, 303, 307, 308])(
    'that returns redirect %d is not followed: the client secret is sent nowhere else',
    async (status) => {
      const receivedRequests = elsewhere.connections();
      const trip = await completeFlow();
      const before = { calls: oidc.tokenCalls().length, logins: await logins() };
      // Also when the target is on the allowed origin: the redirect itself is rejected, for every target.
      for (const location of [`http://127.0.0.1:${elsewhere.port}/token`, '/social/oauth/token']) {
        const each = location.startsWith('/') ? await completeFlow() : trip;
        oidc.injectTokenFault({
          when: 'before',
          respond: (response) => response.writeHead(status, { location }).end(),
        });
        expect(await send(each.callback, { cookie: ownFlow(each) })).toBe(410);
        expect(await sessionOf(each)).toMatchObject({ status: 'failed', error: { code: 'exchange_failed' } });
      }
      expect(oidc.tokenCalls()).toHaveLength(before.calls + 2);
      expect(elsewhere.connections()).toBe(receivedRequests);
      expect(await logins()).toEqual(before.logins);
    },
  );

  const token = { access_token: 'made-up', token_type: 'Bearer', expires_in: 3600 };
  const json = { 'content-type': 'application/json' };
  test.each([
    ['a page', { 'content-type': 'text/html' }, '<html><script>zzzecho</script></html>'],
    ['nothing', json, ''],
    ['no token', json, JSON.stringify({ ...token, access_token: undefined })],
    ['a token that is not a string', json, JSON.stringify({ ...token, access_token: { a: 1 } })],
    ['a token with a line break', json, JSON.stringify({ ...token, access_token: 'a\r\nx-injected: 1' })],
    ['a token of another type', json, JSON.stringify({ ...token, token_type: 'mac' })],
    ['an expires_in in the past', json, JSON.stringify({ ...token, expires_in: -1 })],
    ['an expires_in in words', json, JSON.stringify({ ...token, expires_in: 'abc' })],
    ['an expires_in without bound', json, JSON.stringify({ ...token, expires_in: 1e18 })],
    ['a megabyte', json, JSON.stringify({ ...token, filler: 'a'.repeat(1_000_000) })],
    ['a list', json, JSON.stringify([token])],
    ['null', json, 'null'],
    ['a truncated response', json, '{"access_token":"made-up","token_ty'],
  ])('that returns %s connects nothing', async (_what, headers, body) => {
    const trip = await completeFlow();
    const before = await logins();
    oidc.injectTokenFault({
      when: 'after',
      respond: (response) => response.writeHead(200, headers).end(body),
    });
    expect(await send(trip.callback, { cookie: ownFlow(trip) })).toBe(410);
    expect(await sessionOf(trip)).toMatchObject({ status: 'failed', error: { code: 'exchange_failed' } });
    expect(await logins()).toEqual(before);
  });
});

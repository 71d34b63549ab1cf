import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Browser } from 'playwright-core';
import type { Switchboard } from '../support/installation.js';
import { asObjects } from '../support/json.js';
import { inviteToKey, oauthClient, REDIRECT_URI, tokensOf } from '../support/oauth-client.js';
import { restClient, type RestClient } from '../support/rest-client.js';
import { serveSwitchboard } from '../support/serve-switchboard.js';
import { testCertificate } from '../support/test-certificate.js';
import { expectHardened } from './expect-hardened.js';
import { openChromium, openVisitor, type Visitor } from './open-visitor.js';

let switchboard: Switchboard;
let browser: Browser;
let api: RestClient;
let oauth: ReturnType<typeof oauthClient>;
/** A web client, which returns to claude.ai. */
let clientId: string;
let me: Visitor;
/** Responds in place of claude.ai. */
const claude = createHttpsServer(testCertificate, respondWith('Returned'));
/** Another site, which the visitor opens in the same browser. */
const evil = createServer();
beforeAll(async () => {
  const [claudePort, evilPort] = [await listen(claude), await listen(evil)];
  [switchboard, browser] = await Promise.all([
    serveSwitchboard({ name: 'browser_sign_in', mcp: true }),
    openChromium({ 'claude.ai': claudePort, 'evil.example': evilPort }),
  ]);
  api = restClient(switchboard.url, switchboard.keys.full);
  oauth = oauthClient(switchboard);
  clientId = await register('Claude', REDIRECT_URI);
}, 120_000);
afterAll(async () => {
  await browser?.close();
  await switchboard?.stop();
  for (const server of [claude, evil]) await close(server);
});
beforeEach(async () => {
  me = await openVisitor(browser, switchboard.url);
});
afterEach(async () => {
  for (const answer of me.responses) expectHardened(answer.url(), answer.status(), answer.headers());
  expect(me.responses.length).toBeGreaterThan(0);
  await me.close();
});

function respondWith(heading: string): RequestListener {
  return (_request, response) =>
    response.setHeader('content-type', 'text/html').end(`<!doctype html><h1>${heading}</h1>`);
}

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

async function close(server: Server): Promise<void> {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
}

async function register(name: string, redirectUri: string): Promise<string> {
  const { json } = await oauth.register({ client_name: name, redirect_uris: [redirectUri] });
  return String(json['client_id']);
}

const SHOP = ['connections:read', 'posts:read', 'posts:write', 'orders:read', 'refunds:write'];
const CEILING = { refund_ceilings: [{ currency: 'EUR', per_refund: '50.00', per_day: '500.00' }] };

const enterCode = async (code: string) => {
  await me.page.getByLabel('Invitation code').fill(code);
  await me.press('Continue');
};
const clientsOf = async (keyId: string) =>
  asObjects((await api.expect(200, 'GET', `/keys/${keyId}/clients`))['data']);

/** The lines of each element. */
const countLines = (selector: string) =>
  me.page.evaluate<number[]>(
    `[...document.querySelectorAll(${JSON.stringify(selector)})].map((one) => one.getClientRects().length)`,
  );

describe('a web client', () => {
  test('is granted what the visitor leaves checked, and the browser returns to it', async () => {
    const { code, keyId } = await inviteToKey(api, SHOP, { policy: CEILING });
    const request = oauth.request(clientId);
    await me.page.goto(request.url);
    expect(await me.heading()).toBe('Claude asks for access');
    expect(await me.page.evaluate('document.activeElement.id')).toBe('code');
    await me.inspect('sign-in-code');
    await me.page.setViewportSize({ width: 320, height: 640 });
    expect(await countLines('.client dd bdi')).toEqual([1, 1]);
    // As a person types it.
    await enterCode(` ${code.toLowerCase().replaceAll('-', ' ')} `);
    expect(await me.heading()).toBe('What may Claude do?');
    await me.inspect('sign-in-consent');
    const checked = await me.page
      .locator('input:checked')
      .evaluateAll((boxes) => boxes.map((box) => (box as unknown as { name: string }).name));
    expect(checked).toEqual(['scope connections:read', 'scope posts:read', 'scope orders:read']);
    await me.page.getByLabel('Publish, schedule, change and delete posts').check();
    await me.page.getByLabel(/Read orders/).uncheck();
    await me.press('Allow access');
    await me.page.waitForURL(`${REDIRECT_URI}?**`);
    expect(await me.heading()).toBe('Returned');
    const back = new URL(me.page.url()).searchParams;
    expect([back.get('state'), back.get('iss')]).toEqual([request.state, switchboard.url]);
    const { json } = await oauth.exchange(clientId, back.get('code') ?? '', request.verifier);
    expect(tokensOf(json).scope).toBe('connections:read posts:read posts:write');
    expect(await clientsOf(keyId)).toMatchObject([{ name: 'Claude', host: 'claude.ai' }]);
    await me.page.goBack();
    expect(await me.heading()).toBe('This sign-in has ended');
    await me.inspect('sign-in-ended');
  });

  test('is granted nothing when the visitor cancels', async () => {
    const { code, keyId } = await inviteToKey(api, SHOP);
    await me.page.goto(oauth.request(clientId).url);
    await enterCode(code);
    await me.press('Cancel');
    await me.page.waitForURL(`${REDIRECT_URI}?**`);
    expect(new URL(me.page.url()).searchParams.get('error')).toBe('access_denied');
    expect(await clientsOf(keyId)).toEqual([]);
  });

  test('is not granted an empty selection', async () => {
    const { code, keyId } = await inviteToKey(api, ['posts:write']);
    await me.page.goto(oauth.request(clientId).url);
    await enterCode(code);
    await me.press('Allow access');
    expect(await me.page.getByRole('alert').innerText()).toBe('Choose at least one.');
    expect(await me.page.title()).toMatch(/^Error: /);
    await me.inspect('sign-in-nothing-chosen');
    expect(await clientsOf(keyId)).toEqual([]);
  });
});

test('a program on this device is granted access with the keyboard only', async () => {
  const received: string[] = [];
  const program = createServer((request, response) => {
    received.push(request.url ?? '');
    respondWith('Returned')(request, response);
  });
  const redirectUri = `http://127.0.0.1:${await listen(program)}/callback`;
  try {
    const id = await register('Editor', 'http://127.0.0.1/callback');
    const { code, keyId } = await inviteToKey(api, ['posts:read', 'posts:write']);
    await me.page.goto(oauth.request(id, { redirect_uri: redirectUri }).url);
    expect(await me.page.locator('.client').innerText()).toContain('a program on this device');
    await me.inspect('sign-in-code-device');
    await me.page.keyboard.type(code);
    await me.page.keyboard.press('Enter');
    // Both pages have an address below /oauth/consent/.
    await me.page.getByRole('heading', { name: 'What may Editor do?' }).waitFor();
    const labels: string[] = [];
    for (let presses = 0; presses < 20; presses++) {
      await me.page.keyboard.press('Tab');
      const focused = await me.page.evaluate<string>(
        `document.activeElement.name || document.activeElement.innerText`,
      );
      labels.push(focused);
      if (focused === 'scope posts:write') await me.page.keyboard.press('Space');
      if (focused === 'Allow access') break;
    }
    expect(labels).toEqual(['scope posts:read', 'scope posts:write', 'Allow access']);
    await me.page.keyboard.press('Enter');
    await me.page.waitForURL(`${redirectUri}?**`);
    expect(received.some((url) => url.startsWith('/callback?code='))).toBe(true);
    expect(await clientsOf(keyId)).toMatchObject([{ scopes: ['posts:read', 'posts:write'] }]);
  } finally {
    await close(program);
  }
});

test('a wrong code is reported at its field, and after five the browser returns with an error', async () => {
  await me.page.goto(oauth.request(clientId).url);
  await enterCode('0000-0000-0000-0000');
  const field = me.page.getByLabel('Invitation code');
  expect(await field.getAttribute('aria-invalid')).toBe('true');
  expect(await field.getAttribute('aria-describedby')).toBe('code-hint code-wrong');
  expect(await me.page.evaluate('document.activeElement.id')).toBe('code');
  expect(await me.page.title()).toMatch(/^Error: /);
  await me.inspect('sign-in-code-wrong');
  for (let wrong = 0; wrong < 4; wrong++) await enterCode('0000-0000-0000-0000');
  await me.page.waitForURL(`${REDIRECT_URI}?**`);
  expect(new URL(me.page.url()).searchParams.get('error')).toBe('access_denied');
});

test('long and foreign names stay inside the page', async () => {
  await api.expect(201, 'POST', '/profiles', {
    body: { name: 'Kaffeerösterei Lichtenberg & Töchter – Geschäftsstelle Nordwestmecklenburg' },
  });
  await api.expect(201, 'POST', '/profiles', { body: { name: 'متجر القهوة' } });
  const id = await register(
    'Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamte',
    REDIRECT_URI,
  );
  const { code } = await inviteToKey(api, [...SHOP, 'analytics:read', 'events:read', 'webhooks:write'], {
    policy: {
      refund_ceilings: ['EUR', 'USD', 'JPY'].map((currency) => ({
        currency,
        per_refund: '1000000',
        per_day: '10000000',
      })),
    },
  });
  await me.page.goto(oauth.request(id).url);
  await me.inspect('sign-in-code-long');
  await enterCode(code);
  await me.inspect('sign-in-consent-long');
});

test('a request of an unknown client, or to a host that is not allowed, shows what to do', async () => {
  for (const url of [
    oauth.request('unknown').url,
    oauth.request(clientId, { redirect_uri: 'https://evil.example/' }).url,
  ]) {
    await me.page.goto(url);
    expect(await me.heading()).toBe('This program cannot be connected');
    expect(me.page.url()).toContain(switchboard.url);
  }
  await me.inspect('sign-in-refused');
});

test('no site can frame the pages, or submit their forms from its own', async () => {
  const { code, keyId } = await inviteToKey(api, ['posts:read']);
  await me.page.goto(oauth.request(clientId).url);
  await enterCode(code);
  const consent = me.page.url();
  const csrf = await me.page.locator('input[name=csrf]').first().inputValue();
  evil.on('request', (_request, response) =>
    response.setHeader('content-type', 'text/html').end(
      `<!doctype html><h1>Evil</h1><iframe src="${consent}"></iframe>
        <form method="post" action="${consent}/decide">
          <input name="csrf" value="${csrf}"><input name="decision" value="allow"><input name="scope posts:read" value="1">
          <button>Win a prize</button></form>`,
    ),
  );
  const other = await me.context.newPage();
  await other.goto('http://evil.example/');
  const [, framed] = other.frames();
  expect(framed).toBeDefined();
  expect(await framed?.getByRole('heading', { name: 'What may Claude do?' }).count()).toBe(0);
  await me.press('Win a prize', other);
  expect(await me.heading(other)).toBe('This sign-in has ended');
  expect(await clientsOf(keyId)).toEqual([]);
  // The visitor's own decision still counts.
  await me.press('Allow access');
  await me.page.waitForURL(`${REDIRECT_URI}?**`);
  expect(await clientsOf(keyId)).toHaveLength(1);
});

test.each([
  ['de', 'Claude bittet um Zugriff', 'Einladungscode', 'Weiter', 'Was darf Claude?'],
  ['es', 'Claude solicita acceso', 'Código de invitación', 'Continuar', '¿Qué podrá hacer Claude?'],
  ['fr', 'Claude demande un accès', 'Code d’invitation', 'Continuer', 'Que pourra faire Claude ?'],
])('is shown in %s when the client or the browser requests it', async (locale, asks, label, next, what) => {
  const { code } = await inviteToKey(api, SHOP, { policy: CEILING });
  await me.page.goto(oauth.request(clientId, { ui_locales: locale }).url);
  expect([await me.heading(), await me.page.locator('html').getAttribute('lang')]).toEqual([asks, locale]);
  await me.page.getByLabel(label).fill(code);
  await me.press(next);
  expect(await me.heading()).toBe(what);
  await me.inspect(`sign-in-consent-${locale}`);
  const native = await openVisitor(browser, switchboard.url, locale);
  await native.page.goto(oauth.request(clientId).url);
  expect(await native.heading()).toBe(asks);
  await native.close();
});

import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import type { ConnectSession } from '@switchboard/domain/connections';
import { testDatabase } from '@switchboard/persistence/testing';
import { createHash } from 'node:crypto';
import { listen } from '../listen.js';
import { createServer } from '../server.js';
import { Browser, formFields, type Visit } from '../testing/browser.js';
import { startRest, type RunningRest } from '../testing/running-rest.js';

let rest: RunningRest;
let profileId: string;
beforeAll(async () => {
  rest = await startRest(await testDatabase('connect'));
  const { data } = await call<{ data: { id: string }[] }>('GET', '/v1/profiles');
  profileId = data[0]?.id ?? '';
}, 60_000);
afterAll(() => rest.close());

const HOSTILE = '</style><script>alert(1)</script>"\' onload=x \u202egnp.exe';
const RETURN_URL = 'http://127.0.0.1:9/done?kept=1';

async function call<Answer>(method: string, path: string, body?: object): Promise<Answer> {
  const response = await fetch(`${rest.url}${path}`, {
    method,
    headers: { authorization: `Bearer ${rest.key}`, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(await response.text());
  return (await response.json()) as Answer;
}

const newLink = (body: object = { platform: 'sandbox_social' }) =>
  call<{ id: string; url: string }>('POST', '/v1/connect/url', { profile_id: profileId, ...body });

const sessionOf = (id: string) =>
  call<{ status: string; connection_ids: string[]; error: { code: string } | null }>(
    'GET',
    `/v1/connect/sessions/${id}`,
  );

/** Opens the link and submits its form to the platform. */
async function begin(browser: Browser, url: string, answers: Readonly<Record<string, string>> = {}) {
  const page = await browser.get(url);
  return browser.post(`${url}/begin`, { ...formFields(page.text, /\/begin$/), ...answers });
}

/**
 * Submits the decision of the person on the platform's own page; returns the callback URL to which the
 * browser is sent.
 */
async function decide(browser: Browser, { headers }: Visit, decision: 'approve' | 'deny'): Promise<string> {
  const consent = await browser.get(headers['location'] ?? '');
  const { origin } = new URL(headers['location'] ?? '');
  const answer = await browser.post(`${origin}/social/oauth/authorize`, {
    ...formFields(consent.text, /authorize$/),
    decision,
  });
  return answer.headers['location'] ?? '';
}

function expectHardened({ headers }: Visit): void {
  const policy = headers['content-security-policy'] ?? '';
  expect(policy).toMatch(/^default-src 'none';/);
  for (const part of ["frame-ancestors 'none'", "base-uri 'none'", "form-action 'self'"]) {
    expect(policy).toContain(part);
  }
  expect(policy).not.toContain('script-src');
  expect(policy).not.toContain('unsafe');
  expect(headers).toMatchObject({
    'x-frame-options': 'DENY',
    'referrer-policy': 'no-referrer',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
  });
  expect(headers['x-request-id']).toMatch(/^req_/);
}

/** The page to which a finished login or form leads. */
async function arrive(browser: Browser, visit: Promise<Visit>): Promise<Visit> {
  const { status, headers } = await visit;
  expect([status, headers['location']]).toEqual([303, expect.stringMatching(/^\/connect\//)]);
  return browser.get(new URL(headers['location'] ?? '', rest.url).href);
}

test('leads from the link through the platform’s consent to a page that names the connected account', async () => {
  const browser = new Browser();
  const { id, url } = await newLink();
  const page = await browser.get(url);
  expect(page.status).toBe(200);
  expect(page.text).toContain('Connect Sandbox Social');
  expect(page.text).not.toContain('<script');
  const away = await begin(browser, url);
  expect(away.status).toBe(303);
  const callback = await decide(browser, away, 'approve');
  const done = await arrive(browser, browser.get(callback));
  expect(done.status).toBe(200);
  const session = await sessionOf(id);
  expect(session.status).toBe('connected');
  const account = await call<{ account: { username: string } }>(
    'GET',
    `/v1/connections/${session.connection_ids[0]}`,
  );
  expect(done.text).toContain(`@${account.account.username}`);
  for (const visit of [page, away, done]) expectHardened(visit);

  const again = await browser.get(callback);
  expect(again.status).toBe(404);
  expect(again.text).toContain('Nothing to complete here');
  // Finding 50: the last page can be loaded again.
  const back = await browser.get(url);
  expect([back.status, back.text]).toEqual([200, done.text]);
  const late = await browser.post(`${url}/begin`, formFields(page.text, /\/begin$/));
  expect([late.status, late.text]).toEqual([409, done.text]);
  for (const visit of [again, back, late]) expectHardened(visit);
});

test('finding 50: calls no one "default", groups the platforms, and finds one by its name', async () => {
  const browser = new Browser();
  const { url } = await newLink({});
  const page = await browser.get(url);
  expect(page.text).toContain(
    'This application requests access to one of your accounts. Choose the platform.',
  );
  expect(page.text).not.toContain('default');
  const [social, stores] = [page.text.indexOf('Social networks'), page.text.indexOf('Online stores')];
  expect(page.text.slice(social, stores)).toMatch(/Mastodon[^]*Telegram/);
  expect(page.text.slice(stores)).toMatch(/Medusa[^]*WooCommerce/);
  const found = await browser.get(`${url}?search=%20woo`);
  expect(found.text.match(/<strong>[^<]*<\/strong>/g)).toEqual(['<strong>WooCommerce</strong>']);
  const none = await browser.get(`${url}?search=zzzecho`);
  expect(none.text).toContain('No platform has this name.');
  expect(none.text).not.toContain('zzzecho');
});

test('finding 50: names the account that is to be reconnected', async () => {
  const browser = new Browser();
  const first = await newLink();
  await browser.get(await decide(browser, await begin(browser, first.url), 'approve'));
  const [connection_id] = (await sessionOf(first.id)).connection_ids;
  const { account } = await call<{ account: { username: string } }>(
    'GET',
    `/v1/connections/${connection_id}`,
  );
  const { text } = await browser.get((await newLink({ connection_id })).url);
  expect(text).toMatch(new RegExp(`Sign in to this account:[^]*@${account.username}`));
});

test('redirects to the return URL with the outcome in its query', async () => {
  for (const [decision, status] of [
    ['approve', 'connected'],
    ['deny', 'failed'],
  ] as const) {
    const browser = new Browser();
    const { id, url } = await newLink({ platform: 'sandbox_social', return_url: RETURN_URL });
    const done = await browser.get(await decide(browser, await begin(browser, url), decision));
    expect(done.status).toBe(303);
    expectHardened(done);
    const session = await sessionOf(id);
    expect(session.status).toBe(status);
    const query = Object.fromEntries(new URL(done.headers['location'] ?? '').searchParams);
    expect(query).toEqual({
      kept: '1',
      session_id: id,
      status,
      ...(status === 'connected'
        ? { connection_ids: session.connection_ids.join(',') }
        : { error: 'denied' }),
    });
  }
});

test('shows on its own page that nothing was connected when the person denied, and logs the reason', async () => {
  const browser = new Browser();
  const warn = jest.spyOn(rest.service.log, 'warn');
  const { url } = await newLink();
  const callback = await decide(browser, await begin(browser, url), 'deny');
  const done = await arrive(browser, browser.get(callback));
  expect([done.status, /Not connected/.test(done.text)]).toEqual([410, true]);
  expect(warn).toHaveBeenCalledWith(
    expect.objectContaining({ request_id: expect.stringMatching(/^req_/), code: 'connect.denied' }),
    'login failed',
  );
  expectHardened(done);
});

test('lets the owner choose among the accounts of a login, and connects those in this browser only', async () => {
  const browser = new Browser();
  const { id, url } = await newLink();
  const away = await begin(browser, url);
  const consent = await browser.get(away.headers['location'] ?? '');
  const { origin } = new URL(away.headers['location'] ?? '');
  const form = new URLSearchParams({ ...formFields(consent.text, /authorize$/), decision: 'approve' });
  for (const [name, value] of [
    ['account', 'maren-holt'],
    ['also', 'lumen-coffee'],
  ] as const)
    form.set(name, value);
  const approved = await browser.post(`${origin}/social/oauth/authorize`, form.toString());
  const back = await browser.get(approved.headers['location'] ?? '');
  expect([back.status, back.headers['location']]).toEqual([303, new URL(url).pathname]);
  expectHardened(back);
  const page = await browser.get(url);
  expect(page.text).toContain('Which accounts?');
  expect((await new Browser().get(url)).text).not.toContain('Which accounts?');
  expect(page.text).not.toMatch(/sbx_social/);
  const fields = formFields(page.text, /\/choose$/);
  const none = await browser.post(`${url}/choose`, fields);
  expect([none.status, /Choose at least one account/.test(none.text)]).toEqual([422, true]);
  const chosen = await arrive(browser, browser.post(`${url}/choose`, { ...fields, account_1: '1' }));
  expect([chosen.status, /@lumencoffee/.test(chosen.text)]).toEqual([200, true]);
  expect(await sessionOf(id)).toMatchObject({ status: 'connected', connection_ids: [expect.any(String)] });
  const late = await browser.post(`${url}/choose`, { ...fields, account_0: '1' });
  expect(late.status).toBe(409);
  for (const visit of [page, none, chosen, late]) expectHardened(visit);
});

test('continues with one link until the person is done, in their language', async () => {
  const browser = new Browser();
  const platforms = ['sandbox_social', 'sandbox_store'];
  const { id, url } = await newLink({ platforms, locale: 'de', return_url: RETURN_URL });
  const chosen = `${url}?platform=sandbox_social`;
  const page = await browser.get(chosen);
  expect(page.text).toContain('<html lang="de">');
  const away = () => browser.post(`${url}/begin`, formFields(page.text, /\/begin$/));
  const denied = await browser.get(await decide(browser, await away(), 'deny'));
  expect(denied.headers['location']).toBe(`${new URL(url).pathname}?refused=denied`);
  expect((await browser.get(`${url}?refused=denied`)).text).toContain('Nicht verbunden');
  expect((await browser.get(`${url}?refused=%3Cscript%3E`)).text).not.toContain('script');
  await browser.get(await decide(browser, await away(), 'approve'));
  expect((await sessionOf(id)).status).toBe('pending');
  const soFar = await browser.get(url);
  expect(soFar.text).toContain('Ein weiteres Konto verbinden');
  const done = await browser.post(`${url}/done`, formFields(soFar.text, /\/done$/));
  const { connection_ids: ids } = await sessionOf(id);
  expect(Object.fromEntries(new URL(done.headers['location'] ?? '').searchParams)).toMatchObject({
    status: 'connected',
    connection_ids: ids.join(','),
  });
});

test('cancels once, and shows the outcome on later visits', async () => {
  const browser = new Browser();
  const { id, url } = await newLink();
  const form = formFields((await browser.get(url)).text, /\/cancel$/);
  const cancelled = await arrive(browser, browser.post(`${url}/cancel`, form));
  expect([cancelled.status, (await sessionOf(id)).status]).toEqual([200, 'cancelled']);
  expect((await browser.post(`${url}/cancel`, form)).status).toBe(409);
  expect((await browser.get(url)).status).toBe(200);
  const { url: other } = await newLink({ platform: 'sandbox_social', return_url: RETURN_URL });
  const back = await browser.post(
    `${other}/cancel`,
    formFields((await browser.get(other)).text, /\/cancel$/),
  );
  expect(back.headers['location']).toContain('status=cancelled');
});

test('page views change nothing, however many there are', async () => {
  const { id, url } = await newLink();
  for (const browser of [new Browser(), new Browser()]) {
    expect((await browser.get(url)).status).toBe(200);
    expect((await browser.send('HEAD', url)).status).toBe(200);
  }
  expect((await sessionOf(id)).status).toBe('pending');
});

test('keeps one secret per browser, in a cookie that scripts and other sites cannot read', async () => {
  const { url } = await newLink();
  const browser = new Browser();
  const first = await browser.get(url);
  expect(first.headers['set-cookie']).toMatch(
    /^swb_connect=[A-Za-z0-9_-]{43}; Path=\/; HttpOnly; SameSite=Lax$/,
  );
  expect((await browser.get(url)).headers['set-cookie']).toBeUndefined();
  expect(first.text).not.toContain(browser.cookies(url).get('swb_connect'));
});

test('on https the cookie belongs to the host alone, and the browser is required to stay on https', async () => {
  const publicUrl = 'https://switchboard.example';
  const config = { ...rest.service.config, publicUrl, port: 0 };
  const server = await listen(createServer({ ...rest.service, config }), config);
  try {
    const { url } = await newLink();
    const page = await new Browser().get(`${server.url}${new URL(url).pathname}`, {
      host: 'switchboard.example',
    });
    expect(page.headers['set-cookie']).toMatch(
      /^__Host-swb_connect=[A-Za-z0-9_-]{43}; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
    );
    expect(page.headers['strict-transport-security']).toMatch(/max-age=\d+/);
  } finally {
    await server.drain(1000);
  }
});

test('rejects a form from another site, another browser or another link', async () => {
  const { id, url } = await newLink();
  const { url: otherUrl } = await newLink();
  const browser = new Browser();
  const form = formFields((await browser.get(url)).text, /\/begin$/);
  const otherForm = formFields((await browser.get(otherUrl)).text, /\/begin$/);
  const otherBrowser = new Browser();
  await otherBrowser.get(url);
  const refused = await Promise.all([
    new Browser().post(`${url}/begin`, form),
    otherBrowser.post(`${url}/begin`, form),
    browser.post(`${url}/begin`, { ...form, csrf: otherForm['csrf'] ?? '' }),
    browser.post(`${url}/begin`, { ...form, csrf: '' }),
    browser.post(`${url}/begin`, form, { 'sec-fetch-site': 'cross-site' }),
    browser.post(`${url}/begin`, form, { 'sec-fetch-site': 'same-site' }),
    new Browser().post(`${url}/cancel`, form),
    browser.post(`${url}/cancel`, form, { 'sec-fetch-site': 'cross-site' }),
  ]);
  for (const visit of refused) {
    expect(visit.status).toBe(403);
    expectHardened(visit);
  }
  expect((await sessionOf(id)).status).toBe('pending');
  expect((await browser.post(`${url}/begin`, form, { 'sec-fetch-site': 'same-origin' })).status).toBe(303);
});

test('accepts a callback only from the browser that started it, once, and displays none of it', async () => {
  const browser = new Browser();
  const { id, url } = await newLink();
  const callback = await decide(browser, await begin(browser, url), 'approve');
  const otherBrowser = new Browser();
  await otherBrowser.get(url);
  for (const visit of [
    await otherBrowser.get(callback),
    await new Browser().get(callback),
    await browser.send('HEAD', callback),
    await browser.get(
      callback.replace('sandbox_social', 'sandbox_store').replace(/state=[^&]*/, 'state=zzzecho'),
    ),
  ]) {
    expect(visit.status).toBe(404);
    expectHardened(visit);
  }
  const twice = await browser.get(`${callback}&state=zzzecho`);
  expect(twice.status).toBe(400);
  const translator =
    'error=zzzecho&error_description=%3Cb%3Ezzzecho&state=zzzecho&iss=https%3A%2F%2Fzzzecho&code=zzzecho';
  for (const path of ['sandbox_social', 'zzzecho', '%3Cscript%3Ezzzecho']) {
    const visit = await browser.get(`${rest.url}/oauth/callback/${path}?${translator}`);
    expect(visit.status).toBe(404);
    expect(visit.text + JSON.stringify(visit.headers)).not.toContain('zzzecho');
    expectHardened(visit);
  }
  expect(twice.text).not.toContain('zzzecho');
  expect((await sessionOf(id)).status).toBe('pending');
  expect((await arrive(browser, browser.get(callback))).status).toBe(200);
  expect((await sessionOf(id)).connection_ids).toHaveLength(1);
});

test('with two tabs of one browser one connects, and the other shows that', async () => {
  const browser = new Browser();
  const { id, url } = await newLink();
  const [one, two] = [await begin(browser, url), await begin(browser, url)];
  const callbacks = [await decide(browser, two, 'approve')];
  expect((await arrive(browser, browser.get(callbacks[0] ?? ''))).status).toBe(200);
  const late = await browser.get(await decide(browser, one, 'approve'));
  expect([late.status, /Nothing to complete here/.test(late.text)]).toEqual([404, true]);
  expect((await sessionOf(id)).connection_ids).toHaveLength(1);
});

test('redirects to the public host name first, and only once', async () => {
  const { url } = await newLink();
  const elsewhere = url.replace('127.0.0.1', 'localhost');
  const moved = await new Browser().get(`${elsewhere}?platform=sandbox_social&x=zzzecho`);
  expect([moved.status, moved.headers['location']]).toEqual([307, `${url}?platform=sandbox_social&moved=1`]);
  expectHardened(moved);
  expect(moved.headers['set-cookie']).toBeUndefined();
  expect((await new Browser().get(`${elsewhere}?moved=1`)).status).toBe(200);
});

test('offers a choice when several platforms are possible, and echoes no parameter', async () => {
  const browser = new Browser();
  const { url } = await newLink({ platforms: ['bluesky', 'sandbox_store'] });
  const choice = await browser.get(`${url}?platform=zzzecho`);
  expect(choice.status).toBe(200);
  expect(choice.text).toContain('?platform=bluesky"');
  expect(choice.text).toContain('?platform=sandbox_store"');
  expect(choice.text).not.toContain('zzzecho');
  const store = await browser.get(`${url}?platform=sandbox_store`);
  expect(store.text).toContain('Refund orders');
  const elsewhere = await browser.post(`${url}/begin`, {
    ...formFields(store.text, /\/begin$/),
    platform: 'sandbox_social',
  });
  expect(elsewhere.status).toBe(404);
  expectHardened(elsewhere);
});

test('shows the form again with the entered values, but never a password, when a value is missing', async () => {
  const browser = new Browser();
  const { id, url } = await newLink({ platform: 'bluesky' });
  const page = await browser.get(url);
  expect(page.text).toContain('Handle or server');
  expect(page.headers['content-security-policy']).toMatch(/form-action 'self'[^;]* https:[ ;]/);
  const again = await browser.post(`${url}/begin`, {
    csrf: formFields(page.text, /\/begin$/)['csrf'] ?? '',
    platform: 'bluesky',
    connect_method: 'app_password',
    handle: ' ',
    password: 'zzz-secret-zzz',
    server: `https://pds.example/${HOSTILE}`,
  });
  expect(again.status).toBe(422);
  expect(again.text).toContain('value="https://pds.example/&#60;/style&#62;');
  expect(again.text).not.toContain('zzz-secret-zzz');
  expect(again.text).not.toContain('<script');
  expect(again.text).toMatch(/aria-invalid="true"/);
  expectHardened(again);
  expect((await sessionOf(id)).status).toBe('pending');
});

test('no name can break out of the page or of its line', async () => {
  const { ports } = rest.service;
  const [workspace] = await ports.workspaces.list();
  if (!workspace) throw new Error('workspace not found');
  const change = (displayName: string | null, logoUrl: string | null) =>
    ports.transactions.run(async (tx) => {
      await tx.workspaces.update(workspace.id, {
        displayName,
        logoUrl,
        privacyUrl: logoUrl,
        accentColor: logoUrl && 'red;}body{display:none',
        supportEmail: logoUrl && `a@b.example?cc="><script>`,
      });
      return { ok: true, value: undefined };
    });
  await change(HOSTILE, 'javascript:alert(1)');
  try {
    const profile = await call<{ id: string }>('POST', '/v1/profiles', { name: `${HOSTILE} p` });
    const { url } = await newLink({ platform: 'sandbox_social', profile_id: profile.id });
    const { text } = await new Browser().get(url);
    expect(text).toContain('&#60;script&#62;alert(1)');
    expect(text).not.toMatch(/<script|javascript:|\u202e|body\{display:none/);
    expect(text.match(/<\/style>/g)).toHaveLength(1);
  } finally {
    await change(null, null);
  }
});

test('allows its only style sheet in the policy by its hash', async () => {
  const { url } = await newLink();
  const { text, headers } = await new Browser().get(url);
  const style = /<style>([^]*)<\/style>/.exec(text)?.[1] ?? '';
  const hash = createHash('sha256').update(style).digest('base64');
  expect(headers['content-security-policy']).toContain(`style-src 'sha256-${hash}'`);
});

test('sends the security headers with every failure too', async () => {
  const { url } = await newLink();
  const browser = new Browser();
  const expired = await insertExpired();
  const visits: readonly [number, Visit][] = [
    [404, await browser.get(`${rest.url}/connect/unknown`)],
    [404, await browser.get(`${rest.url}/connect/unknown/further`)],
    [400, await browser.get(`${rest.url}/connect/%E0%A4%A`)],
    [404, await browser.post(`${rest.url}/connect/unknown/begin`, {})],
    [405, await browser.send('DELETE', url)],
    [303, await browser.get(`${url}/begin`)],
    [405, await browser.send('PUT', `${url}/begin`)],
    [405, await browser.send('DELETE', `${rest.url}/oauth/callback/sandbox_social`)],
    [413, await browser.post(`${url}/begin`, { handle: 'x'.repeat(20_000) })],
    [415, await browser.post(`${url}/begin`, '', { 'content-type': 'application/json' })],
    [400, await browser.post(`${url}/begin`, 'csrf=a&csrf=b')],
    [410, await browser.get(expired)],
  ];
  for (const [status, visit] of visits) {
    expect(visit.status).toBe(status);
    expectHardened(visit);
  }
});

test('responds to an internal error with a page that contains only the request id', async () => {
  const gone = async () => {
    throw new Error('zzz the database is unreachable');
  };
  const { service } = rest;
  const connectSessions = { ...service.ports.connectSessions, findByToken: gone };
  const config = { ...service.config, port: 0 };
  const observer = { ...service.observer, onError: () => undefined };
  const app = createServer({ ...service, config, observer, ports: { ...service.ports, connectSessions } });
  const server = await listen(app, config);
  try {
    const visit = await new Browser().get(`${server.url}/connect/some`);
    expect(visit.status).toBe(500);
    expect(visit.text).toContain(visit.headers['x-request-id']);
    expect(visit.text).not.toContain('zzz');
    expectHardened(visit);
  } finally {
    await server.drain(1000);
  }
});

/** A link that expired without being used. */
async function insertExpired(): Promise<string> {
  const { ports } = rest.service;
  const { id } = await newLink();
  const [workspace] = await ports.workspaces.list();
  if (!workspace) throw new Error('workspace not found');
  const token = ports.tokens.random();
  await ports.transactions.run(async (tx) => {
    const known = await tx.connectSessions.find(workspace.id, id as ConnectSession['id']);
    if (!known) throw new Error('session not found');
    await tx.connectSessions.insert({
      ...known,
      id: ports.ids.next('cns'),
      tokenHash: ports.tokens.digest(token),
      expiresAt: ports.clock.after(-1000),
    });
    return { ok: true, value: undefined };
  });
  return `${rest.url}/connect/${token}`;
}

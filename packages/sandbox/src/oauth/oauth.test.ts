import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Sandbox } from '../sandbox.js';
import { startSandbox } from '../sandbox.js';
import { REDIRECT_URI, testClient } from '../testing/test-client.js';

let sandbox: Sandbox;
let client: ReturnType<typeof testClient>;

beforeAll(async () => {
  sandbox = await startSandbox({ redirectUris: ['https://registered.example/callback'] });
  client = testClient(fetch, sandbox.url, 'social');
});
afterAll(() => sandbox.close());

const errorOf = async (response: Response) => ((await response.json()) as { error: unknown }).error;
const codeOf = async (response: Response) =>
  ((await response.json()) as { error: { code: string } }).error.code;

test('returns a code to the redirect URI with state and issuer, and tokens for it', async () => {
  const landed = await client.decide('approve', 'lumen-coffee');
  expect(landed.get('state')).toBe('st4te');
  expect(landed.get('iss')).toBe(`${sandbox.url}/social`);
  const response = await client.exchange(landed.get('code') ?? '');
  expect(response.status).toBe(200);
  expect(response.headers.get('cache-control')).toBe('no-store');
  const tokens = (await response.json()) as { access_token: string };
  expect(tokens).toMatchObject({
    token_type: 'Bearer',
    expires_in: 3600,
    scope: 'profile posts:write posts:read insights:read',
  });
  const me = await client.call(tokens, 'GET', '/me');
  expect(await me.json()).toMatchObject({ id: 'lumen-coffee', username: 'lumencoffee' });
});

test('issues each of several accounts of one login a token for that account alone', async () => {
  const requested = await client.openConsent();
  const { request, csrf, cookie } = requested;
  const form = new URLSearchParams({ request, csrf, account: 'lumen-coffee', decision: 'approve' });
  for (const also of ['tidal-museum', 'lumen-coffee', 'nobody']) form.append('also', also);
  const init = { method: 'POST', body: form, headers: { cookie }, redirect: 'manual' } as const;
  const responded = await fetch(`${client.oauth}/authorize`, init);
  const code = new URL(responded.headers.get('location') ?? '').searchParams.get('code') ?? '';
  const tokens = (await (await client.exchange(code)).json()) as { access_token: string };
  const me = (await (await client.call(tokens, 'GET', '/me')).json()) as {
    id: string;
    pages: { id: string; access_token: string }[];
  };
  expect([me.id, ...me.pages.map(({ id }) => id)]).toEqual(['lumen-coffee', 'lumen-coffee', 'tidal-museum']);
  for (const page of me.pages) {
    const own = await client.call(page, 'GET', '/me');
    expect(await own.json()).toMatchObject({ id: page.id, pages: [] });
  }
});

test('accepts the client by HTTP Basic, and rejects two methods together or a wrong secret', async () => {
  const basic = (secret: string) => ({ authorization: `Basic ${btoa(`switchboard-sandbox:${secret}`)}` });
  const form = {
    grant_type: 'refresh_token',
    refresh_token: (await client.connect('maren-holt')).refresh_token,
  };
  const wrong = await client.postForm(`${client.oauth}/token`, form, basic('nonsense'));
  expect(wrong.status).toBe(401);
  expect(wrong.headers.get('www-authenticate')).toContain('Basic');
  const twice = { ...form, client_secret: 'switchboard-sandbox-secret' };
  const both = await client.postForm(`${client.oauth}/token`, twice, basic('switchboard-sandbox-secret'));
  expect([both.status, await errorOf(both)]).toEqual([400, 'invalid_request']);
  const right = await client.postForm(`${client.oauth}/token`, form, basic('switchboard-sandbox-secret'));
  expect(right.status).toBe(200);
});

test('returns access_denied when the user denies, and issues nothing', async () => {
  const before = sandbox.ledger.entries().length;
  const landed = await client.decide('deny', 'maren-holt');
  expect([landed.get('error'), landed.get('state'), landed.get('code')]).toEqual([
    'access_denied',
    'st4te',
    null,
  ]);
  expect(sandbox.ledger.entries()).toHaveLength(before);
});

test.each([
  [{ redirect_uri: 'https://evil.example/callback' }],
  [{ redirect_uri: 'https://registered.example/callback/deeper' }],
  [{ redirect_uri: 'http://127.0.0.1.evil.example/' }],
  [{ redirect_uri: 'http://127.0.0.1:9/callback#fragment' }],
  [{ redirect_uri: undefined }],
  [{ client_id: 'somebody-else' }],
])('never redirects to an unregistered URL: %j', async (changes) => {
  const { response } = await client.openConsent(changes);
  expect(response.status).toBe(400);
  expect(response.headers.get('location')).toBeNull();
});

test('redirects to a registered URL', async () => {
  const { response } = await client.openConsent({ redirect_uri: 'https://registered.example/callback' });
  expect(response.status).toBe(200);
});

test.each([
  ['invalid_request', { code_challenge: undefined }],
  ['invalid_request', { code_challenge_method: 'plain' }],
  ['invalid_request', { response_type: undefined }],
  ['unsupported_response_type', { response_type: 'token' }],
  ['invalid_scope', { scope: 'profile everything' }],
])('returns %s to the app: %j', async (error, changes) => {
  const { response } = await client.openConsent(changes);
  const location = new URL(response.headers.get('location') ?? '');
  expect(location.href.startsWith(REDIRECT_URI)).toBe(true);
  expect([location.searchParams.get('error'), location.searchParams.get('state')]).toEqual([error, 'st4te']);
});

test('accepts a consent only from the browser that opened it, and only once', async () => {
  const { request, csrf, cookie } = await client.openConsent();
  const form = { request, csrf, account: 'maren-holt', decision: 'approve' };
  const reply = (headers: Record<string, string>) =>
    client.postForm(`${client.oauth}/authorize`, form, headers);
  expect((await reply({})).status).toBe(400);
  expect((await reply({ cookie: `sandbox_social_browser=${'x'.repeat(32)}` })).status).toBe(400);
  expect((await reply({ cookie })).status).toBe(303);
  expect((await reply({ cookie })).status).toBe(400);
});

test('grants only the scopes that stay selected, and always the profile', async () => {
  const { request, csrf, cookie } = await client.openConsent();
  const form = { request, csrf, account: 'maren-holt', decision: 'approve_selected', scope: 'posts:read' };
  const response = await client.postForm(`${client.oauth}/authorize`, form, { cookie });
  const code = new URL(response.headers.get('location') ?? '').searchParams.get('code') ?? '';
  const tokens = (await (await client.exchange(code)).json()) as { access_token: string; scope: string };
  expect(tokens.scope).toBe('profile posts:read');
  const refused = await client.call(tokens, 'POST', '/posts', { text: 'no' });
  expect([refused.status, await codeOf(refused)]).toEqual([403, 'insufficient_scope']);
});

test('rejects a code with a different verifier or redirect URI, and permanently', async () => {
  for (const change of [
    { code_verifier: 'w'.repeat(43) },
    { redirect_uri: 'http://127.0.0.1:10/callback' },
  ]) {
    const code = (await client.decide('approve', 'maren-holt')).get('code') ?? '';
    const form = {
      grant_type: 'authorization_code',
      code,
      redirect_uri: REDIRECT_URI,
      code_verifier: client.verifier,
    };
    expect(await errorOf(await client.token({ ...form, ...change }))).toBe('invalid_grant');
    expect(await errorOf(await client.token(form))).toBe('invalid_grant');
  }
});

test('revokes the tokens of a code when the code is reused', async () => {
  const code = (await client.decide('approve', 'maren-holt')).get('code') ?? '';
  const tokens = (await (await client.exchange(code)).json()) as { access_token: string };
  expect(await errorOf(await client.exchange(code))).toBe('invalid_grant');
  expect(await codeOf(await client.call(tokens, 'GET', '/me'))).toBe('token_revoked');
});

test('rotates refresh tokens, and revokes the whole family when an old one is reused', async () => {
  const first = await client.connect('tidal-museum');
  const second = (await (await client.refresh(first.refresh_token)).json()) as typeof first;
  expect(second.refresh_token).not.toBe(first.refresh_token);
  expect((await client.call(second, 'GET', '/me')).status).toBe(200);
  expect(await errorOf(await client.refresh(first.refresh_token))).toBe('invalid_grant');
  expect(await codeOf(await client.call(second, 'GET', '/me'))).toBe('token_revoked');
  expect(await errorOf(await client.refresh(second.refresh_token))).toBe('invalid_grant');
  const [revoked] = sandbox.ledger.entries({ effect: 'token.revoked', account: 'tidal-museum' });
  expect(revoked).toMatchObject({ reason: 'refresh_reuse' });
});

test('expires access tokens by the clock and on command, and refreshes them', async () => {
  const tokens = await client.connect('maren-holt');
  sandbox.control.advanceClock(3601);
  expect(await codeOf(await client.call(tokens, 'GET', '/me'))).toBe('token_expired');
  sandbox.control.resetClock();
  expect((await client.call(tokens, 'GET', '/me')).status).toBe(200);
  expect(sandbox.control.expireTokens({ account: 'maren-holt' })).toBeGreaterThan(0);
  expect(await codeOf(await client.call(tokens, 'GET', '/me'))).toBe('token_expired');
  const fresh = (await (await client.refresh(tokens.refresh_token)).json()) as typeof tokens;
  expect((await client.call(fresh, 'GET', '/me')).status).toBe(200);
});

test('revokes access and refresh tokens when the owner removes the app', async () => {
  const tokens = await client.connect('lumen-coffee');
  expect(sandbox.control.revokeGrants({ account: 'lumen-coffee' })).toBeGreaterThan(0);
  expect(await codeOf(await client.call(tokens, 'GET', '/me'))).toBe('token_revoked');
  expect(await errorOf(await client.refresh(tokens.refresh_token))).toBe('invalid_grant');
});

test('revokes a grant by its refresh token, and responds identically for an unknown one', async () => {
  const tokens = await client.connect('maren-holt');
  const answers = await Promise.all([client.revoke(tokens.refresh_token), client.revoke('unknown')]);
  expect(answers.map((reply) => reply.status)).toEqual([200, 200]);
  expect(await codeOf(await client.call(tokens, 'GET', '/me'))).toBe('token_revoked');
});

test('issues no new refresh token when tokens are fixed, and the old one stays valid', async () => {
  sandbox.control.changeSettings({ refresh_tokens: 'fixed' });
  const tokens = await client.connect('maren-holt');
  const again = (await (await client.refresh(tokens.refresh_token)).json()) as Record<string, unknown>;
  expect(again).not.toHaveProperty('refresh_token');
  expect((await client.refresh(tokens.refresh_token)).status).toBe(200);
  sandbox.control.changeSettings({ refresh_tokens: 'rotating' });
});

test('allows only the app of a code or grant to exchange, refresh or revoke it, and records the app', async () => {
  const [own, other] = [
    { id: 'shop-app', secret: 'one' },
    { id: 'museum-app', secret: 'two' },
  ].map((app) => {
    sandbox.control.addClient(app);
    return testClient(fetch, sandbox.url, 'social', app);
  }) as [typeof client, typeof client];
  const code = (await own.decide('approve', 'tidal-museum')).get('code') ?? '';
  const stolen = { grant_type: 'authorization_code', code, redirect_uri: REDIRECT_URI };
  expect(await errorOf(await other.token({ ...stolen, code_verifier: own.verifier }))).toBe('invalid_grant');
  const tokens = await own.connect('tidal-museum');
  for (const another of [other, client]) {
    expect(await errorOf(await another.refresh(tokens.refresh_token))).toBe('invalid_grant');
    expect(await errorOf(await another.revoke(tokens.refresh_token))).toBe('invalid_grant');
  }
  const wrong = testClient(fetch, sandbox.url, 'social', { id: 'shop-app', secret: 'two' });
  expect(await errorOf(await wrong.refresh(tokens.refresh_token))).toBe('invalid_client');
  const again = (await (await own.refresh(tokens.refresh_token)).json()) as typeof tokens;
  expect((await own.revoke(again.refresh_token)).status).toBe(200);
  const entries = [
    ...sandbox.ledger.entries({ effect: 'token.issued', account: 'tidal-museum' }),
    ...sandbox.ledger.entries({ effect: 'token.revoked', account: 'tidal-museum' }),
  ].filter((entry) => 'client' in entry && entry['client'] === 'shop-app');
  expect(entries.map(({ effect }) => effect)).toEqual(['token.issued', 'token.issued', 'token.revoked']);
});

test('treats a token of one platform as unknown on the other', async () => {
  const tokens = await client.connect('maren-holt');
  const store = testClient(fetch, sandbox.url, 'store');
  expect(await codeOf(await store.call(tokens, 'GET', '/me'))).toBe('token_invalid');
});

test('responds 503, not with a rejection, to the credentials of another installation', async () => {
  const other = await startSandbox();
  const foreign = testClient(fetch, other.url, 'social');
  const tokens = await foreign.connect('maren-holt');
  const code = (await foreign.decide('approve', 'maren-holt')).get('code') ?? '';
  await other.close();

  const called = await client.call(tokens, 'GET', '/me');
  expect([called.status, await called.json()]).toEqual([
    503,
    {
      error: {
        code: 'other_installation',
        message: expect.stringContaining('The sandbox of another installation issued this credential'),
      },
    },
  ]);
  for (const response of [
    await client.refresh(tokens.refresh_token),
    await client.revoke(tokens.access_token),
    await client.exchange(code),
  ]) {
    expect([response.status, await response.json()]).toEqual([
      503,
      {
        error: 'temporarily_unavailable',
        error_description: expect.stringContaining('set SWITCHBOARD_SANDBOX_PORT'),
      },
    ]);
  }
  const unknown = await client.call({ access_token: 'sbx_social_at_unknown' }, 'GET', '/me');
  expect([unknown.status, await codeOf(unknown)]).toEqual([401, 'token_invalid']);
});

import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { generateKeyPairSync, randomUUID, sign } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { findForm, openBrowser, parseForms, type PageVisit } from './support/browser.js';
import {
  sendDocument,
  startClientMetadataServer,
  type ClientMetadataServer,
  type DocumentHandler,
} from './support/client-metadata-server.js';
import { queryRows } from './support/database.js';
import { eventually } from './support/eventually.js';
import { asObjects, type JsonObject } from './support/json.js';
import { connectMcpHttp } from './support/mcp-client.js';
import {
  allowAccess,
  consent,
  enterCode,
  inviteToKey,
  locationOf,
  oauthClient,
  openSignIn,
  REDIRECT_URI,
  signIn,
  tokensOf,
  type AuthorizationRequest,
} from './support/oauth-client.js';
import { restClient, type RestClient } from './support/rest-client.js';
import type { Switchboard } from './support/installation.js';
import { serveSwitchboard } from './support/serve-switchboard.js';
import { trustTestCertificateHere } from './support/test-certificate.js';

let switchboard: Switchboard;
let distrust: () => void;
/** Its address is private, and allowed. */
let documents: ClientMetadataServer;
/** Its address is private, and not allowed. */
let intranet: ClientMetadataServer;
let api: RestClient;
let oauth: ReturnType<typeof oauthClient>;
/** A registered client without a secret. */
let clientId: string;
beforeAll(async () => {
  documents = await startClientMetadataServer();
  intranet = await startClientMetadataServer();
  distrust = trustTestCertificateHere();
  switchboard = await serveSwitchboard({
    name: 'oauth_attacks',
    mcp: true,
    env: { SWITCHBOARD_ALLOW_PRIVATE_HOSTS: documents.host },
  });
  api = restClient(switchboard.url, switchboard.keys.full);
  oauth = oauthClient(switchboard);
  clientId = String((await oauth.register()).json['client_id']);
});
afterAll(async () => {
  await switchboard?.stop();
  distrust?.();
  await documents?.close();
  await intranet?.close();
});

const callMcp = (token: string, path = '', headers: Record<string, string> = {}) =>
  fetch(`${switchboard.mcpUrl}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
  });
const statusOf = async (token: string) => (await callMcp(token)).status;

const clientsOf = async (keyId: string) =>
  asObjects((await api.expect(200, 'GET', `/keys/${keyId}/clients`))['data']);

/** A request with its consent given: what the client would exchange. */
async function obtainCode(over: Record<string, string | undefined> = {}, id = clientId) {
  const { keyId, code: invitation } = await inviteToKey(api, ['posts:read', 'connections:read']);
  const request = oauth.request(id, over);
  const back = await consent(request.url, invitation);
  return { keyId, request, back, code: back.searchParams.get('code') ?? '' };
}

/** A request that reaches no client: neither the page of a sign-in nor a redirect to anywhere. */
async function expectRefused(url: string): Promise<PageVisit> {
  const answer = await openBrowser().get(url);
  expect({ status: answer.status, location: answer.headers.get('location') }).toEqual({
    status: 400,
    location: null,
  });
  expect(answer.text).toContain('This program cannot be connected');
  expect(answer.headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
  return answer;
}

/** A request that is refused at the client, with this error. */
async function expectError(
  { url, state }: Pick<AuthorizationRequest, 'url' | 'state'>,
  error: string,
): Promise<void> {
  const back = locationOf(await openBrowser().get(url));
  expect(`${back.origin}${back.pathname}`).toBe(REDIRECT_URI);
  // For an implicit grant the specification requires a fragment.
  const answer = new URLSearchParams(back.search === '' ? back.hash.slice(1) : back.search);
  expect(Object.fromEntries(answer)).toMatchObject({ error, state, iss: switchboard.url });
  expect(answer.has('code')).toBe(false);
}

const invalidGrant = { status: 400, json: { error: 'invalid_grant' } };

describe('authorization codes', () => {
  test('work once: a replay ends what the first exchange obtained', async () => {
    const { code, request, keyId } = await obtainCode();
    const exchanged = await oauth.exchange(clientId, code, request.verifier);
    const { access, refresh } = tokensOf(exchanged.json);
    expect(await statusOf(access)).toBe(200);
    expect(await oauth.exchange(clientId, code, request.verifier)).toMatchObject(invalidGrant);
    await eventually('the access token is rejected', async () => (await statusOf(access)) === 401 || null);
    expect(await oauth.refresh(clientId, refresh)).toMatchObject(invalidGrant);
    expect(await clientsOf(keyId)).toMatchObject([{ end_reason: 'token_reused' }]);
  });

  test('work once also when they are presented concurrently', async () => {
    const { code, request, keyId } = await obtainCode();
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => oauth.exchange(clientId, code, request.verifier)),
    );
    expect(answers.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(1);
    expect(await clientsOf(keyId)).toMatchObject([{ end_reason: 'token_reused' }]);
    for (const { json, status } of answers)
      if (status === 200)
        await eventually(
          'the access token is rejected',
          async () => (await statusOf(tokensOf(json).access)) === 401 || null,
        );
  });

  test('are useless to another client, also to one with a secret', async () => {
    const { code, request } = await obtainCode();
    const other = (await oauth.register({ token_endpoint_auth_method: 'client_secret_post' })).json;
    const over = { client_secret: String(other['client_secret']) };
    expect(await oauth.exchange(String(other['client_id']), code, request.verifier, over)).toMatchObject(
      invalidGrant,
    );
  });

  test('cannot be injected into the session of another request: their verifier does not match', async () => {
    const stolen = await obtainCode();
    const own = oauth.request(clientId);
    expect(await oauth.exchange(clientId, stolen.code, own.verifier)).toMatchObject(invalidGrant);
  });

  test('are bound to the redirect URI of their request', async () => {
    const two = [REDIRECT_URI, 'https://claude.ai/api/other'];
    const id = String((await oauth.register({ redirect_uris: two })).json['client_id']);
    const { code, request } = await obtainCode({}, id);
    expect(await oauth.exchange(id, code, request.verifier, { redirect_uri: two[1] ?? '' })).toMatchObject(
      invalidGrant,
    );
  });
});

describe('PKCE', () => {
  test.each([
    ['missing', { code_challenge: undefined, code_challenge_method: undefined }],
    ['plain', { code_challenge_method: 'plain' }],
    ['of the default method, plain', { code_challenge_method: undefined }],
    ['too short', { code_challenge: 'abc' }],
    ['empty', { code_challenge: '' }],
  ])('that is %s is refused', (_, over) => expectError(oauth.request(clientId, over), 'invalid_request'));

  test.each([
    ['no verifier', ''],
    ['the challenge in place of the verifier', 'challenge'],
  ])('with %s obtains nothing', async (_, verifier) => {
    const { code, request } = await obtainCode();
    const challenge = new URL(request.url).searchParams.get('code_challenge') ?? '';
    const presented = verifier === 'challenge' ? challenge : verifier;
    const { status } = await oauth.exchange(clientId, code, presented);
    expect(status).toBe(400);
  });
});

describe('redirect URIs', () => {
  test.each([
    'https://claude.ai/api/mcp/auth_callback/',
    'https://claude.ai/api/mcp/auth_callback/../../../evil',
    'https://claude.ai/api/mcp/auth_callback?next=https://evil.example',
    'https://claude.ai/api/mcp/auth_callback#fragment',
    'https://claude.ai/api/mcp/auth_callback%2f..%2fevil',
    'https://claude.ai/API/mcp/auth_callback',
    'https://claude.ai/api/mcp',
    'https://claude.ai:8443/api/mcp/auth_callback',
    'https://CLAUDE.ai/api/mcp/auth_callback',
    'https://claude.ai@evil.example/api/mcp/auth_callback',
    'https://evil.example\\@claude.ai/api/mcp/auth_callback',
    'https://claude.ai.evil.example/api/mcp/auth_callback',
    'https://evil.example/api/mcp/auth_callback',
    'http://claude.ai/api/mcp/auth_callback',
    'https://claude.ai/api/mcp/auth_callback ',
    'javascript:alert(1)//claude.ai/api/mcp/auth_callback',
    'data:text/html,claude.ai',
    '//claude.ai/api/mcp/auth_callback',
  ])('other than the registered one are refused: %s', (uri) =>
    expectRefused(oauth.request(clientId, { redirect_uri: uri }).url),
  );

  test.each(['https://evil.example/', REDIRECT_URI])(
    'that a request has twice get an error at the registered one: %s',
    async (uri) => {
      const { url, state } = oauth.request(clientId);
      await expectError({ url: `${url}&redirect_uri=${encodeURIComponent(uri)}`, state }, 'invalid_request');
    },
  );

  test.each([undefined, ''])('may not be missing where a client has several (%j)', async (uri) => {
    const several = [REDIRECT_URI, 'https://claude.ai/api/other'];
    const id = String((await oauth.register({ redirect_uris: several })).json['client_id']);
    await expectRefused(oauth.request(id, { redirect_uri: uri }).url);
  });

  test.each([
    ['a host that is not allowed', 'https://evil.example/callback'],
    ['a subdomain of an allowed host', 'https://evil.claude.ai/callback'],
    ['an allowed host without https', 'http://claude.ai/callback'],
    ['another port of an allowed host', 'https://claude.ai:8443/callback'],
    ['a name before an allowed host', 'https://claude.ai@evil.example/callback'],
    ['a fragment', 'https://claude.ai/callback#x'],
    ['a script', 'javascript:alert(1)'],
    ['a scheme of its own', 'evil://callback'],
    ['https on loopback', 'https://localhost/callback'],
    ['a private address', 'http://10.0.0.1/callback'],
    ['a host that begins as loopback', 'http://127.0.0.1.evil.example/callback'],
  ])('of a registration cannot be %s', async (_, uri) => {
    expect(await oauth.register({ redirect_uris: [uri] })).toMatchObject({
      status: 400,
      json: { error: 'invalid_redirect_uri' },
    });
  });

  test('of a registration that are not allowed are left out, and refused', async () => {
    const evil = 'https://evil.example/callback';
    const { json } = await oauth.register({ redirect_uris: [evil, REDIRECT_URI] });
    expect(json['redirect_uris']).toEqual([REDIRECT_URI]);
    await expectRefused(oauth.request(String(json['client_id']), { redirect_uri: evil }).url);
  });

  test('end with their host when the operator removes it, also for clients that registered before', async () => {
    const { url } = await switchboard.startReplica({
      SWITCHBOARD_PUBLIC_URL: switchboard.url,
      SWITCHBOARD_OAUTH_REDIRECT_HOSTS: 'chatgpt.com',
    });
    const request = new URL(oauth.request(clientId).url);
    await expectRefused(`${url}${request.pathname}${request.search}`);
  });
});

describe('requests that would change how the response is delivered or signed', () => {
  test('get it as a query all the same, and the issuer in every response', async () => {
    const { back, request } = await obtainCode({ response_mode: 'fragment' });
    expect([back.hash, back.searchParams.get('iss')]).toEqual(['', switchboard.url]);
    expect(back.searchParams.get('state')).toBe(request.state);
  });

  test.each([
    ['an implicit grant', { response_type: 'token' }, 'unsupported_response_type'],
    ['an ID token', { response_type: 'code id_token' }, 'unsupported_response_type'],
    ['a request object', { request: 'eyJhbGciOiJub25lIn0.e30.' }, 'request_not_supported'],
    ['no prompt', { prompt: 'none' }, 'login_required'],
  ])('are refused for %s', (_, over, error) => expectError(oauth.request(clientId, over), error));

  test.each([
    ['client_credentials', { scope: 'posts:read' }],
    ['password', { username: 'a', password: 'b' }],
    ['urn:ietf:params:oauth:grant-type:device_code', { device_code: 'x' }],
    ['urn:ietf:params:oauth:grant-type:jwt-bearer', { assertion: 'x' }],
    ['urn:ietf:params:oauth:grant-type:token-exchange', { subject_token: 'x' }],
  ])('get no token for the grant %s', async (grant, fields) => {
    const answer = await oauth.post('/oauth/token', { grant_type: grant, client_id: clientId, ...fields });
    expect(answer).toMatchObject({ status: 400, json: { error: 'unsupported_grant_type' } });
  });
});

describe('the audience', () => {
  test.each([
    ['another server', 'https://other.example/mcp'],
    ['REST', 'REST'],
    ['a path below MCP', 'below'],
  ])('cannot be %s', async (_, resource) => {
    const named: Record<string, string> = { REST: switchboard.url, below: `${switchboard.mcpUrl}/x` };
    await expectError(oauth.request(clientId, { resource: named[resource] ?? resource }), 'invalid_target');
  });

  test('cannot be changed when the code is exchanged, or the token refreshed', async () => {
    const { code, request } = await obtainCode();
    const over = { resource: 'https://other.example/mcp' };
    expect(await oauth.exchange(clientId, code, request.verifier, over)).toMatchObject({
      status: 400,
      json: { error: 'invalid_target' },
    });
    const { tokens } = await signIn(switchboard, api, ['posts:read']);
    expect((await oauth.refresh(clientId, tokens.refresh, over)).status).toBe(400);
  });

  test('of a token of another installation is not ours', async () => {
    const other = await serveSwitchboard({ name: 'oauth_other', mcp: true });
    try {
      const { tokens } = await signIn(other, restClient(other.url, other.keys.full), ['posts:read']);
      expect(await statusOf(tokens.access)).toBe(401);
      expect(await oauth.refresh(clientId, tokens.refresh)).toMatchObject(invalidGrant);
    } finally {
      await other.stop();
    }
  });

  test('of a platform’s token is not ours', async () => {
    for (const token of [
      'EAAGm0PX4ZCpsBAKZCZB',
      `eyJhbGciOiJSUzI1NiJ9.${Buffer.from(JSON.stringify({ aud: switchboard.mcpUrl, iss: switchboard.url })).toString('base64url')}.c2ln`,
    ])
      expect(await statusOf(token)).toBe(401);
  });

  test('is MCP alone: REST rejects the token, in every place', async () => {
    const { tokens } = await signIn(switchboard, api, ['posts:read']);
    expect(await statusOf(tokens.access)).toBe(200);
    const { access } = tokens;
    const url = `${switchboard.url}/v1/social/posts`;
    const answers = await Promise.all([
      fetch(url, { headers: { authorization: `Bearer ${access}` } }),
      fetch(url, { headers: { authorization: `Basic ${Buffer.from(`${access}:`).toString('base64')}` } }),
      fetch(url, { headers: { 'x-api-key': access, cookie: `access_token=${access}` } }),
      fetch(`${url}?access_token=${access}`),
      fetch(url, { method: 'POST', body: new URLSearchParams({ access_token: access }) }),
    ]);
    for (const answer of answers)
      expect([answer.status, await answer.json()]).toEqual([
        401,
        expect.objectContaining({ code: 'auth.invalid_key' }),
      ]);
    // The same token, so that REST is what refuses it.
    expect(await statusOf(access)).toBe(200);
  });
});

describe('access tokens', () => {
  test('in a URL or a body are not read', async () => {
    const { tokens } = await signIn(switchboard, api, ['posts:read']);
    const inQuery = await fetch(`${switchboard.mcpUrl}?access_token=${tokens.access}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', access_token: tokens.access }),
    });
    expect(inQuery.status).toBe(401);
  });

  test('are not refresh tokens, and refresh tokens are not access tokens', async () => {
    const { tokens } = await signIn(switchboard, api, ['posts:read']);
    expect(await statusOf(tokens.refresh)).toBe(401);
    expect(await oauth.refresh(clientId, tokens.access)).toMatchObject(invalidGrant);
  });

  test('that were altered are rejected', async () => {
    const { tokens } = await signIn(switchboard, api, ['posts:read']);
    const flipped = tokens.access.endsWith('A') ? 'B' : 'A';
    for (const token of [
      `${tokens.access.slice(0, -1)}${flipped}`,
      tokens.access.slice(0, -1),
      `${tokens.access}A`,
      tokens.access.toUpperCase(),
    ])
      expect(await statusOf(token)).toBe(401);
  });

  test('end after an hour, by the time of the database', async () => {
    const { tokens, clientId: id } = await signIn(switchboard, api, ['posts:read']);
    await queryRows(
      switchboard.databaseUrl,
      `UPDATE oauth_records SET expires_at = now() - interval '1 second' WHERE kind = 'access_token'`,
    );
    await eventually('the token has expired', async () => (await statusOf(tokens.access)) === 401 || null);
    expect((await oauth.refresh(id, tokens.refresh)).status).toBe(200);
  });

  test('never have more than the key has now', async () => {
    const { tokens, keyId } = await signIn(switchboard, api, ['posts:read', 'connections:read']);
    await api.expect(200, 'PATCH', `/keys/${keyId}`, { body: { scopes: ['posts:read', 'profiles:read'] } });
    const scopesNow = async () => {
      const agent = await connectMcpHttp(switchboard, tokens.access);
      const { json } = await agent.call('whoami');
      await agent.close();
      return (json['key'] as { scopes: readonly string[] }).scopes;
    };
    const scopes = await eventually('the key is narrower', async () => {
      const now = await scopesNow();
      return now.length === 1 ? now : null;
    });
    expect(scopes).toEqual(['posts:read']);
  });

  test('stay valid when the key is rotated, and end when it is revoked', async () => {
    const { tokens, keyId, clientId: id } = await signIn(switchboard, api, ['posts:read']);
    const next = await api.expect(201, 'POST', `/keys/${keyId}/rotate`, { body: { overlap_seconds: 0 } });
    expect(await statusOf(tokens.access)).toBe(200);
    const refreshed = tokensOf((await oauth.refresh(id, tokens.refresh)).json);
    await api.sendRequest('DELETE', `/keys/${String(next['id'])}`);
    for (const token of [tokens.access, refreshed.access])
      await eventually('the token is rejected', async () => (await statusOf(token)) === 401 || null);
    expect(await oauth.refresh(id, refreshed.refresh)).toMatchObject(invalidGrant);
    expect(await clientsOf(String(next['id']))).toMatchObject([{ end_reason: 'key_revoked' }]);
  });

  test('count against the ceiling of the key, with the key itself', async () => {
    const policy = { refund_ceilings: [{ currency: 'EUR', per_refund: '50.00', per_day: '80.00' }] };
    const { tokens, secret } = await signIn(switchboard, api, ['refunds:write', 'orders:read'], { policy });
    const agent = await connectMcpHttp(switchboard, tokens.access);
    const asClient = (await agent.call('whoami')).json['key'] as JsonObject;
    const asKey = (await restClient(switchboard.url, secret).expect(200, 'GET', '/me'))['key'] as JsonObject;
    expect(asClient['refunds']).toEqual(asKey['refunds']);
    expect(JSON.stringify(asClient)).toContain('80.00');
    await agent.close();
  });
});

describe('refresh tokens', () => {
  test('that are reused end the access of the client', async () => {
    const { tokens, keyId, clientId: id } = await signIn(switchboard, api, ['posts:read']);
    const second = tokensOf((await oauth.refresh(id, tokens.refresh)).json);
    expect(await oauth.refresh(id, tokens.refresh)).toMatchObject(invalidGrant);
    expect(await oauth.refresh(id, second.refresh)).toMatchObject(invalidGrant);
    for (const token of [tokens.access, second.access])
      await eventually('the token is rejected', async () => (await statusOf(token)) === 401 || null);
    expect(await clientsOf(keyId)).toMatchObject([{ end_reason: 'token_reused' }]);
  });

  test('that are used concurrently end the access of the client', async () => {
    const { tokens, keyId, clientId: id } = await signIn(switchboard, api, ['posts:read']);
    const answers = await Promise.all(Array.from({ length: 8 }, () => oauth.refresh(id, tokens.refresh)));
    expect(answers.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(1);
    expect(await clientsOf(keyId)).toMatchObject([{ end_reason: 'token_reused' }]);
    const winner = answers.find(({ status }) => status === 200);
    if (winner)
      await eventually(
        'its token is rejected',
        async () => (await statusOf(tokensOf(winner.json).access)) === 401 || null,
      );
  });

  test('are useless to another client', async () => {
    const { tokens, clientId: id } = await signIn(switchboard, api, ['posts:read']);
    expect(await oauth.refresh(clientId, tokens.refresh)).toMatchObject(invalidGrant);
    expect((await oauth.refresh(id, tokens.refresh)).status).toBe(200);
  });

  test.each(['posts:read posts:write', 'posts:write', 'keys:admin', 'connections:read'])(
    'cannot widen the scope to %s',
    async (scope) => {
      const { tokens, clientId: id } = await signIn(switchboard, api, ['posts:read']);
      const answer = await oauth.refresh(id, tokens.refresh, { scope });
      expect(answer).toMatchObject({ status: 400, json: { error: 'invalid_scope' } });
    },
  );

  test('can narrow the scope of an access token', async () => {
    const { tokens, clientId: id } = await signIn(switchboard, api, ['posts:read', 'orders:read']);
    const narrowed = await oauth.refresh(id, tokens.refresh, { scope: 'posts:read' });
    expect(narrowed).toMatchObject({ status: 200, json: { scope: 'posts:read' } });
    const agent = await connectMcpHttp(switchboard, tokensOf(narrowed.json).access);
    expect(await agent.tools()).not.toContain('list_orders');
    await agent.close();
  });

  test('need the secret of a client that has one', async () => {
    const { json } = await oauth.register({ token_endpoint_auth_method: 'client_secret_basic' });
    const [id, secret] = [String(json['client_id']), String(json['client_secret'])];
    const { code } = await inviteToKey(api, ['posts:read']);
    const request = oauth.request(id);
    const back = await consent(request.url, code);
    const exchange = (presented: string) =>
      oauth.post(
        '/oauth/token',
        {
          grant_type: 'authorization_code',
          code: back.searchParams.get('code') ?? '',
          code_verifier: request.verifier,
          redirect_uri: REDIRECT_URI,
        },
        { authorization: `Basic ${Buffer.from(`${id}:${presented}`).toString('base64')}` },
      );
    const [digest] = await queryRows<{ secret: string }>(
      switchboard.databaseUrl,
      `SELECT payload->>'client_secret' AS secret FROM oauth_records WHERE payload->>'client_id' = '${id}'`,
    );
    expect(digest?.secret).toMatch(/^[0-9a-f]{64}$/);
    expect((await exchange('')).status).toBe(400);
    for (const wrong of ['wrong', digest?.secret ?? ''])
      expect(await exchange(wrong)).toMatchObject({ status: 401, json: { error: 'invalid_client' } });
    expect((await exchange(secret)).status).toBe(200);
  });
});

describe('scopes', () => {
  const never = ['keys:admin', 'workspace:admin', 'approvals:write', 'audit:read'];

  test('for administration, approvals and the audit log are never granted, whatever is requested or posted', async () => {
    const all = [...never, 'posts:read'];
    const { code, keyId } = await inviteToKey(api, all);
    const request = oauth.request(clientId, { scope: all.join(' ') });
    const back = await consent(request.url, code, all);
    const { json } = await oauth.exchange(clientId, back.searchParams.get('code') ?? '', request.verifier);
    expect(json['scope']).toBe('posts:read');
    expect(await clientsOf(keyId)).toMatchObject([{ scopes: ['posts:read'] }]);
  });

  test('for refunds are granted only with a ceiling', async () => {
    const { code, keyId } = await inviteToKey(api, ['refunds:write', 'orders:read']);
    await consent(oauth.request(clientId).url, code, ['refunds:write', 'orders:read']);
    expect(await clientsOf(keyId)).toMatchObject([{ scopes: ['orders:read'] }]);
  });

  test('that the client did not request cannot be added to the form', async () => {
    const { code, keyId } = await inviteToKey(api, ['posts:read', 'posts:write']);
    const request = oauth.request(clientId, { scope: 'posts:read' });
    await consent(request.url, code, ['posts:read', 'posts:write']);
    expect(await clientsOf(keyId)).toMatchObject([{ scopes: ['posts:read'] }]);
  });
});

describe('the consent pages', () => {
  /** A sign-in whose code was entered, in its browser. */
  async function pending() {
    const { code, keyId } = await inviteToKey(api, ['posts:read']);
    const browser = openBrowser();
    const page = await enterCode(browser, await openSignIn(browser, oauth.request(clientId).url), code);
    const form = findForm(page, ({ fields }) => fields['decision'] === 'allow');
    return { browser, page, form, keyId };
  }

  test('cannot be framed, cached, or made to run or load anything', async () => {
    const { page } = await pending();
    const policy = page.headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).toContain("form-action 'self' https://claude.ai;");
    expect(policy).not.toContain('script-src');
    expect(page.text).not.toContain('<script');
    expect(Object.fromEntries(page.headers)).toMatchObject({
      'x-frame-options': 'DENY',
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
    });
  });

  test.each(['code', 'decide'])('accept no form %s of another browser', async (name) => {
    const { form, keyId } = await pending();
    const action = form.action.replace(/decide$/, name);
    const answer = await openBrowser().post(action, { ...form.fields });
    expect(answer.status).toBe(404);
    expect(answer.text).toContain('This sign-in has ended');
    expect(await clientsOf(keyId)).toEqual([]);
  });

  test.each([
    ['without a token', ''],
    ['with an invented token', 'x'.repeat(43)],
  ])('accept no form %s', async (_, csrf) => {
    const { browser, form, keyId } = await pending();
    expect((await browser.post(form.action, { ...form.fields, csrf })).status).toBe(403);
    expect(await clientsOf(keyId)).toEqual([]);
  });

  test('accept no form with the token of another sign-in', async () => {
    const [mine, other] = [await pending(), await pending()];
    const csrf = other.form.fields['csrf'] ?? '';
    expect((await mine.browser.post(mine.form.action, { ...mine.form.fields, csrf })).status).toBe(403);
    expect(await clientsOf(mine.keyId)).toEqual([]);
  });

  test.each(['cross-site', 'same-site'])('accept no form of another site (%s)', async (site) => {
    const { browser, form, keyId } = await pending();
    const answer = await fetch(form.action, {
      method: 'POST',
      redirect: 'manual',
      headers: { cookie: browser.cookie(form.action), 'sec-fetch-site': site },
      body: new URLSearchParams({ ...form.fields }),
    });
    expect(answer.status).toBe(403);
    expect(await clientsOf(keyId)).toEqual([]);
  });

  test('decide nothing by a link', async () => {
    const { browser, form, keyId } = await pending();
    const answer = await browser.get(`${form.action}?${new URLSearchParams({ ...form.fields }).toString()}`);
    expect([answer.status, answer.headers.get('location')]).toEqual([
      303,
      new URL(form.action.replace(/\/decide$/, '')).pathname,
    ]);
    expect(await clientsOf(keyId)).toEqual([]);
  });

  test('allow nothing before a code was entered', async () => {
    const browser = openBrowser();
    const page = await openSignIn(browser, oauth.request(clientId).url);
    const [form] = parseForms(page);
    const csrf = form?.fields['csrf'] ?? '';
    const action = form?.action.replace(/code$/, 'decide') ?? '';
    const answer = await browser.post(action, { csrf, decision: 'allow', 'scope posts:read': '1' });
    expect([answer.status, answer.headers.get('location')]).toEqual([409, null]);
  });

  test('show nothing of a sign-in that began in another browser', async () => {
    const { page } = await pending();
    const answer = await openBrowser().get(page.url);
    expect([answer.status, answer.text.includes('Acceptance')]).toEqual([404, false]);
  });

  test('complete a sign-in once: its last redirect cannot be repeated', async () => {
    const { browser, page } = await pending();
    const decided = await allowAccess(browser, page);
    const resume = decided.headers.get('location') ?? '';
    expect(locationOf(await browser.get(resume)).searchParams.get('code')).toEqual(expect.any(String));
    const again = await browser.get(resume);
    expect([again.status, again.headers.get('location')]).toEqual([400, null]);
    expect((await browser.get(page.url)).status).toBe(404);
  });
});

describe('invitations', () => {
  test('are not found by guessing: five wrong codes end the sign-in at the client', async () => {
    const { code } = await inviteToKey(api, ['posts:read']);
    const browser = openBrowser();
    const request = oauth.request(clientId);
    let page = await openSignIn(browser, request.url);
    for (const guess of ['0000-0000-0000-0000', 'x', code.slice(0, -1), `${code}0`]) {
      page = await enterCode(browser, page, guess);
      expect([page.status, page.text]).toEqual([422, expect.stringContaining('This code is not valid')]);
    }
    const form = findForm(page, ({ action }) => action.endsWith('/code'));
    const last = await browser.post(form.action, { ...form.fields, code: '1111-1111-1111-1111' });
    const back = locationOf(await browser.get(last.headers.get('location') ?? ''));
    expect(Object.fromEntries(back.searchParams)).toMatchObject({
      error: 'access_denied',
      state: request.state,
    });
    const late = await browser.post(form.action, { ...form.fields, code });
    expect(late.status).toBe(404);
  });

  test('are limited by address, as are the beginnings of sign-ins', async () => {
    const limited = await switchboard.startReplica({ SWITCHBOARD_UNAUTHENTICATED_RATE_LIMIT: '20' });
    const its = oauthClient({ url: limited.url, mcpUrl: switchboard.mcpUrl });
    const browser = openBrowser();
    const page = await openSignIn(browser, its.request(clientId).url);
    for (let failures = 0; failures < 20; failures++)
      await fetch(`${limited.url}/v1/me`, { headers: { authorization: 'Bearer nothing' } });
    const answer = await enterCode(browser, page, '0000-0000-0000-0000');
    expect([answer.status, Number(answer.headers.get('retry-after'))]).toEqual([429, expect.any(Number)]);
    expect(answer.text).toContain('Too many codes');

    await openSignIn(openBrowser(), its.request(clientId).url);
    const third = await openBrowser().get(its.request(clientId).url);
    expect([third.status, third.headers.get('retry-after')]).toEqual([429, expect.any(String)]);
    const registered = [await its.register(), await its.register(), await its.register()];
    expect(registered.map(({ status }) => status)).toEqual([201, 201, 429]);
  });

  test('are used once, also by two sign-ins that decide concurrently', async () => {
    const { code, keyId } = await inviteToKey(api, ['posts:read']);
    const signIns = await Promise.all(
      Array.from({ length: 4 }, async () => {
        const browser = openBrowser();
        const page = await enterCode(browser, await openSignIn(browser, oauth.request(clientId).url), code);
        return { browser, page };
      }),
    );
    const decided = await Promise.all(signIns.map(({ browser, page }) => allowAccess(browser, page)));
    expect(decided.map(({ status }) => status).sort()).toEqual([303, 409, 409, 409]);
    expect(await clientsOf(keyId)).toHaveLength(1);
    const late = openBrowser();
    const page = await enterCode(late, await openSignIn(late, oauth.request(clientId).url), code);
    expect(page.status).toBe(422);
  });

  test.each([
    ['expires', (keyId: string) => `UPDATE invitations SET expires_at = now() WHERE lineage = '${keyId}'`],
    ['ends with its key', (keyId: string) => `UPDATE api_keys SET revoked_at = now() WHERE id = '${keyId}'`],
  ])('that %s between the code and the decision authorizes nothing', async (_, change) => {
    const { code, keyId } = await inviteToKey(api, ['posts:read']);
    const browser = openBrowser();
    const page = await enterCode(browser, await openSignIn(browser, oauth.request(clientId).url), code);
    await queryRows(switchboard.databaseUrl, change(keyId));
    const answer = await allowAccess(browser, page);
    expect([answer.status, answer.headers.get('location')]).toEqual([409, null]);
    expect(await clientsOf(keyId)).toEqual([]);
  });
});

describe('the name of a client', () => {
  test('does not identify it: the page shows the host to which the browser returns', async () => {
    const { json } = await oauth.register({
      client_name: 'Claude',
      redirect_uris: ['http://localhost:7777/callback'],
    });
    const over = { redirect_uri: 'http://localhost:7777/callback' };
    const page = await openSignIn(openBrowser(), oauth.request(String(json['client_id']), over).url);
    expect(page.text).toContain('localhost');
    expect(page.text).toContain('This is what the program calls itself');
    expect(page.text).not.toContain('claude.ai');
  });

  test('of a metadata document is shown with the host of the document, whatever it says', async () => {
    const id = documents.publish('impersonator.json', {
      client_name: 'Claude (claude.ai)',
      client_uri: 'https://claude.ai',
      logo_uri: 'https://claude.ai/logo.png',
      redirect_uris: [REDIRECT_URI],
      token_endpoint_auth_method: 'none',
    });
    const page = await openSignIn(openBrowser(), oauth.request(id).url);
    expect(page.text).toContain(documents.host);
    expect(page.text).not.toContain('logo.png');
  });

  test.each([
    ['markup', '<script>alert(1)</script><b>Bank</b>', /<script>alert|<b>Bank/],
    ['text in the other direction', 'Claude \u202Eedualc', /\u202E/],
    ['control characters', 'Claude\u0007\u009b\n\n\n\nApproved', /[\u0007\u009b]|\n\nApproved/],
    ['thousands of characters', 'Claude'.repeat(1000), /(Claude){20}/],
  ])('is only text: %s', async (_, name, absent) => {
    const { json } = await oauth.register({ client_name: name });
    const page = await openSignIn(openBrowser(), oauth.request(String(json['client_id'])).url);
    expect(page.status).toBe(200);
    expect(page.text).not.toMatch(absent);
  });
});

describe('characters that PostgreSQL cannot store', () => {
  test.each(['\0', '\ud800'])('are refused in a registration and in a request: %j', async (character) => {
    expect(await oauth.register({ client_name: `a${character}b` })).toMatchObject({
      status: 400,
      json: { error: 'invalid_request' },
    });
    const url = new URL(oauth.request(clientId).url);
    url.searchParams.set('state', 'x');
    const answer = await openBrowser().get(url.href.replace('state=x', 'state=x%00'));
    expect([answer.status, locationOf(answer).searchParams.get('error')]).toEqual([303, 'invalid_request']);
  });
});

describe('metadata documents', () => {
  const metadata = {
    client_name: 'Claude',
    redirect_uris: [REDIRECT_URI],
    token_endpoint_auth_method: 'none',
  };
  let named = 0;
  const publish = (content: object | DocumentHandler) => documents.publish(`d${++named}.json`, content);

  test('at private addresses are not fetched', async () => {
    const id = intranet.publish('client.json', metadata);
    await expectRefused(oauth.request(id).url);
    expect(intranet.countFetches('client.json')).toBe(0);
    for (const url of [
      'https://169.254.169.254/latest/meta-data',
      'https://10.0.0.1/client.json',
      'https://[::1]/client.json',
      'https://0.0.0.0/client.json',
      `${switchboard.url.replace('http:', 'https:')}/client.json`,
    ])
      await expectRefused(oauth.request(url).url);
  });

  test('are not fetched by http, or from a URL that no client id is', async () => {
    const fetched: string[] = [];
    const server = createServer((request, response) => {
      fetched.push(request.url ?? '');
      response.end('{}');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const { host } = documents;
    for (const url of [
      `http://127.0.0.1:${port}/client.json`,
      `https://${host}`,
      `https://${host}/`,
      `https://user:password@${host}/d.json`,
      `https://${host}/a/../d.json`,
      `https://${host}/d.json#x`,
      'file:///etc/passwd',
      'data:application/json,{}',
    ])
      await expectRefused(oauth.request(url).url);
    await new Promise((resolve) => server.close(resolve));
    expect(fetched).toEqual([]);
  });

  test('behind a redirect are not followed', async () => {
    const target = publish(metadata);
    const id = publish((response) => void response.writeHead(302, { location: target }).end());
    await expectRefused(oauth.request(id).url);
    expect(documents.countFetches(new URL(target).pathname.slice(1))).toBe(0);
  });

  test('of ten megabytes are not read', async () => {
    let sent = 0;
    const id = publish((response, clientId) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      const start = JSON.stringify({ client_id: clientId, ...metadata }).slice(0, -1);
      response.write(`${start}, "padding": "`);
      const more = () => {
        while (sent < 10_485_760 && !response.destroyed) {
          sent += 65_536;
          if (!response.write('x'.repeat(65_536))) return void response.once('drain', more);
        }
        response.end('"}');
      };
      more();
    });
    await expectRefused(oauth.request(id).url);
    expect(sent).toBeLessThan(10_485_760);
  });

  test('that never end are abandoned', async () => {
    const id = publish(
      (response) => void response.writeHead(200, { 'content-type': 'application/json' }).write('{'),
    );
    await expectRefused(oauth.request(id).url);
  });

  const refused: readonly (readonly [string, object | DocumentHandler])[] = [
    ['name another client', { ...metadata, client_id: 'https://claude.ai/oauth/mcp-oauth-client-metadata' }],
    ['have a secret', { ...metadata, client_secret: 'x', token_endpoint_auth_method: 'client_secret_post' }],
    ['need a secret', { ...metadata, token_endpoint_auth_method: 'client_secret_basic' }],
    ['have no redirect URI', { ...metadata, redirect_uris: undefined }],
    ['return to a host that is not allowed', { ...metadata, redirect_uris: ['https://evil.example/'] }],
    ['are not JSON', (response) => void response.writeHead(200).end('<html>')],
    ['are a list', (response) => sendDocument(response, [metadata])],
    [
      'are an error',
      (response, clientId) => {
        response.writeHead(500, { 'content-type': 'application/json' });
        response.end(JSON.stringify({ client_id: clientId, ...metadata }));
      },
    ],
  ];
  test.each(refused)('that %s are refused', async (_, content) => {
    await expectRefused(oauth.request(publish(content)).url);
  });

  test('with a key are clients that prove it, and no other party obtains their tokens', async () => {
    const id = publish({
      ...metadata,
      token_endpoint_auth_method: 'private_key_jwt',
      token_endpoint_auth_methods_supported: ['none', 'private_key_jwt'],
      token_endpoint_auth_signing_alg: 'ES256',
      jwks_uri: `https://${documents.host}/jwks.json`,
    });
    const key = signingKey('k1');
    documents.publish('jwks.json', (response) => sendDocument(response, { keys: [key.jwk] }));
    const { code, request } = await obtainCode({}, id);
    const assertion = {
      client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
      client_assertion: key.sign(id, switchboard.url),
    };
    const forged = {
      ...assertion,
      client_assertion: signingKey('k1').sign(id, switchboard.url),
    };
    const elsewhere = { ...assertion, client_assertion: key.sign(id, 'https://other.example') };
    for (const over of [{}, forged, elsewhere])
      expect(await oauth.exchange(id, code, request.verifier, over)).toMatchObject({
        status: 401,
        json: { error: 'invalid_client' },
      });
    const exchanged = await oauth.exchange(id, code, request.verifier, assertion);
    expect(exchanged.status).toBe(200);
    const { refresh } = tokensOf(exchanged.json);
    expect((await oauth.refresh(id, refresh, assertion)).status).toBe(401);
    const next = { ...assertion, client_assertion: key.sign(id, switchboard.url) };
    expect((await oauth.refresh(id, refresh, next)).status).toBe(200);
  });

  test('that change between two fetches change neither what the page showed nor where it returns', async () => {
    const other = 'https://chatgpt.com/connector_platform_oauth_redirect';
    let content: object = metadata;
    const id = publish((response, client) => sendDocument(response, { client_id: client, ...content }));
    const { code } = await inviteToKey(api, ['posts:read']);
    const browser = openBrowser();
    const request = oauth.request(id);
    const page = await enterCode(browser, await openSignIn(browser, request.url), code);
    content = {
      ...metadata,
      client_name: 'Bank',
      redirect_uris: [other],
      token_endpoint_auth_method: 'private_key_jwt',
      jwks_uri: `https://${documents.host}/jwks.json`,
    };
    // The cached document is lost with the process.
    await switchboard.rest.stop();
    await switchboard.restartRest();
    const shown = await browser.get(page.url);
    expect([shown.text.includes('Claude'), shown.text.includes('Bank')]).toEqual([true, false]);
    const decided = await allowAccess(browser, page);
    const back = locationOf(await browser.get(decided.headers.get('location') ?? ''));
    expect(back.href.startsWith(`${REDIRECT_URI}?code=`)).toBe(true);
    const obtained = back.searchParams.get('code') ?? '';
    expect(await oauth.exchange(id, obtained, request.verifier)).toMatchObject({
      status: 401,
      json: { error: 'invalid_client' },
    });
    await expectRefused(oauth.request(id).url);
    await openSignIn(openBrowser(), oauth.request(id, { redirect_uri: other }).url);
  });
});

/** A key of a client, and what it signs. */
function signingKey(kid: string) {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');
  return {
    jwk: { ...publicKey.export({ format: 'jwk' }), kid, alg: 'ES256', use: 'sig' },
    sign(client: string, audience: string): string {
      const now = Math.floor(Date.now() / 1000);
      const claims = { iss: client, sub: client, aud: audience, iat: now, exp: now + 60, jti: randomUUID() };
      const text = `${encode({ alg: 'ES256', kid })}.${encode(claims)}`;
      const signature = sign('sha256', Buffer.from(text), { key: privateKey, dsaEncoding: 'ieee-p1363' });
      return `${text}.${signature.toString('base64url')}`;
    },
  };
}

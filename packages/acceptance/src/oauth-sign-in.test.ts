import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { openBrowser, parseForms } from './support/browser.js';
import { startClientMetadataServer, type ClientMetadataServer } from './support/client-metadata-server.js';
import { eventually } from './support/eventually.js';
import { asObjects, type JsonObject } from './support/json.js';
import { connectMcpHttp } from './support/mcp-client.js';
import {
  consent,
  enterCode,
  inviteToKey,
  locationOf,
  oauthClient,
  openSignIn,
  REDIRECT_URI,
  signIn,
  tokensOf,
} from './support/oauth-client.js';
import { restClient, type RestClient } from './support/rest-client.js';
import type { Switchboard } from './support/installation.js';
import { serveSwitchboard } from './support/serve-switchboard.js';
import { trustTestCertificateHere } from './support/test-certificate.js';

let switchboard: Switchboard;
let distrust: () => void;
let documents: ClientMetadataServer;
let api: RestClient;
beforeAll(async () => {
  documents = await startClientMetadataServer();
  distrust = trustTestCertificateHere();
  switchboard = await serveSwitchboard({
    name: 'oauth_sign_in',
    mcp: true,
    env: { SWITCHBOARD_ALLOW_PRIVATE_HOSTS: documents.host },
  });
  api = restClient(switchboard.url, switchboard.keys.full);
});
afterAll(async () => {
  await switchboard?.stop();
  distrust?.();
  await documents?.close();
});

const callMcp = (token: string) =>
  fetch(switchboard.mcpUrl, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
  });
const clientsOf = async (keyId: string) =>
  asObjects((await api.expect(200, 'GET', `/keys/${keyId}/clients`))['data']);

describe('discovery', () => {
  test('leads from a 401 of MCP to the authorization server', async () => {
    const refused = await callMcp('nothing');
    expect(refused.status).toBe(401);
    const challenge = refused.headers.get('www-authenticate') ?? '';
    expect(challenge).toMatch(/^Bearer resource_metadata="[^"]+", error="invalid_token", scope="[^"]+"$/);
    const resourceUrl = /resource_metadata="([^"]+)"/.exec(challenge)?.[1] ?? '';
    const resource = (await (await fetch(resourceUrl)).json()) as Record<string, unknown>;
    expect(resource).toMatchObject({
      resource: switchboard.mcpUrl,
      authorization_servers: [switchboard.url],
      bearer_methods_supported: ['header'],
    });
    for (const scope of ['keys:admin', 'workspace:admin', 'approvals:write', 'audit:read']) {
      expect(resource['scopes_supported']).not.toContain(scope);
      expect(challenge).not.toContain(scope);
    }
    const metadata = await fetch(`${switchboard.url}/.well-known/oauth-authorization-server`);
    expect(await metadata.json()).toEqual({
      issuer: switchboard.url,
      authorization_endpoint: `${switchboard.url}/oauth/authorize`,
      token_endpoint: `${switchboard.url}/oauth/token`,
      registration_endpoint: `${switchboard.url}/oauth/register`,
      revocation_endpoint: `${switchboard.url}/oauth/revoke`,
      scopes_supported: resource['scopes_supported'],
      response_types_supported: ['code'],
      response_modes_supported: ['query'],
      grant_types_supported: ['authorization_code', 'refresh_token'],
      code_challenge_methods_supported: ['S256'],
      token_endpoint_auth_methods_supported: [
        'none',
        'client_secret_basic',
        'client_secret_post',
        'private_key_jwt',
      ],
      token_endpoint_auth_signing_alg_values_supported: expect.any(Array),
      authorization_response_iss_parameter_supported: true,
      client_id_metadata_document_supported: true,
    });
  });
});

describe('a client that registers itself', () => {
  test('is invited, consented, listed, calls tools, refreshes, is revoked and rejected', async () => {
    const oauth = oauthClient(switchboard);
    const registration = await oauth.register({ client_name: 'Claude' });
    expect(registration).toMatchObject({ status: 201, json: { redirect_uris: [REDIRECT_URI] } });
    const clientId = String(registration.json['client_id']);
    const { keyId, code } = await inviteToKey(api, ['posts:read', 'posts:write', 'connections:read']);
    const request = oauth.request(clientId);
    const back = await consent(request.url, code, ['posts:read', 'connections:read']);
    expect(back.href.startsWith(`${REDIRECT_URI}?`)).toBe(true);
    expect(Object.fromEntries(back.searchParams)).toEqual({
      code: expect.any(String),
      state: request.state,
      iss: switchboard.url,
    });
    const exchanged = await oauth.exchange(clientId, back.searchParams.get('code') ?? '', request.verifier);
    expect(exchanged).toEqual({
      status: 200,
      json: {
        access_token: expect.stringMatching(/^swb_at_/),
        refresh_token: expect.stringMatching(/^swb_rt_/),
        token_type: 'Bearer',
        expires_in: 3600,
        scope: 'connections:read posts:read',
      },
    });
    const first = tokensOf(exchanged.json);
    const agent = await connectMcpHttp(switchboard, first.access);
    const tools = await agent.tools();
    expect(tools).toEqual(expect.arrayContaining(['list_posts', 'list_connections', 'whoami']));
    expect(tools).not.toContain('create_post');
    const me = await agent.call('whoami');
    expect(me.json['key']).toMatchObject({ id: keyId, scopes: ['connections:read', 'posts:read'] });
    expect(await agent.call('create_post', { text: 'x', targets: 'all' })).toMatchObject({
      isError: true,
      json: { code: 'key.scope_missing' },
    });

    const refreshed = await oauth.refresh(clientId, first.refresh);
    expect(refreshed).toMatchObject({ status: 200, json: { scope: 'connections:read posts:read' } });
    const second = tokensOf(refreshed.json);
    expect([second.access, second.refresh]).not.toEqual([first.access, first.refresh]);
    expect((await callMcp(second.access)).status).toBe(200);

    const [listed] = await clientsOf(keyId);
    expect(listed).toMatchObject({ name: 'Claude', host: 'claude.ai', revoked_at: null });
    expect((await api.sendRequest('DELETE', `/keys/${keyId}/clients/${String(listed?.['id'])}`)).status).toBe(
      204,
    );
    await eventually('its tokens are rejected', async () =>
      (await callMcp(second.access)).status === 401 ? true : null,
    );
    expect((await callMcp(first.access)).status).toBe(401);
    expect(await oauth.refresh(clientId, second.refresh)).toMatchObject({
      status: 400,
      json: { error: 'invalid_grant' },
    });
    expect(await clientsOf(keyId)).toMatchObject([{ end_reason: 'revoked' }]);
    const id = listed?.['id'];
    const events = await eventually('both events are listed', async () => {
      const { data } = await api.expect(200, 'GET', '/events', { query: { type: 'client.*', limit: 100 } });
      const own = asObjects(data).filter((event) => (event['data'] as JsonObject)['client_id'] === id);
      return own.length > 1 ? own : null;
    });
    expect(events).toMatchObject([
      { type: 'client.authorized' },
      { type: 'client.revoked', data: { reason: 'revoked' } },
    ]);
    const audit = await api.expect(200, 'GET', '/audit', { query: { object: String(id) } });
    expect(asObjects(audit['data']).map(({ action }) => action)).toEqual(['revokeClient', 'authorizeClient']);
    await agent.close();
  });

  test('cannot register while that is off', async () => {
    const replica = await switchboard.startReplica({ SWITCHBOARD_OAUTH_REGISTRATION: 'off' });
    const { url } = replica;
    expect((await fetch(`${url}/oauth/register`, { method: 'POST' })).status).toBe(404);
    const metadata = await fetch(`${url}/.well-known/oauth-authorization-server`);
    expect(await metadata.json()).not.toHaveProperty('registration_endpoint');
  });
});

describe('a client with a metadata document', () => {
  test('signs in by the URL of its document, which is fetched once', async () => {
    const clientId = documents.publish('claude.json', {
      client_name: 'Claude',
      redirect_uris: [REDIRECT_URI],
      grant_types: ['authorization_code', 'refresh_token'],
      token_endpoint_auth_method: 'none',
    });
    const { tokens, keyId } = await signIn(switchboard, api, ['posts:read'], { clientId });
    expect((await callMcp(tokens.access)).status).toBe(200);
    const oauth = oauthClient(switchboard);
    expect((await oauth.refresh(clientId, tokens.refresh)).status).toBe(200);
    expect(documents.countFetches('claude.json')).toBe(1);
    expect(await clientsOf(keyId)).toMatchObject([
      { name: 'Claude', host: documents.host, oauth_client_id: clientId },
    ]);
  });

  test('on this device may use any port of its loopback address', async () => {
    const clientId = documents.publish('native.json', {
      client_name: 'Claude Code',
      redirect_uris: ['http://127.0.0.1/callback', 'https://elsewhere.example/callback'],
      token_endpoint_auth_method: 'none',
    });
    const oauth = oauthClient(switchboard);
    const { code } = await inviteToKey(api, ['posts:read']);
    const redirectUri = 'http://127.0.0.1:54321/callback';
    const request = oauth.request(clientId, { redirect_uri: redirectUri });
    const back = await consent(request.url, code);
    expect(back.href.startsWith(`${redirectUri}?`)).toBe(true);
    expect(
      await oauth.exchange(clientId, back.searchParams.get('code') ?? '', request.verifier, {
        redirect_uri: redirectUri,
      }),
    ).toMatchObject({ status: 200 });
  });
});

describe('the consent page', () => {
  test('offers what the key holds and the client requests: reading checked, changes and money not', async () => {
    const oauth = oauthClient(switchboard);
    const clientId = String((await oauth.register()).json['client_id']);
    const { code } = await inviteToKey(
      api,
      ['posts:read', 'posts:write', 'orders:read', 'refunds:write', 'keys:admin'],
      { policy: { refund_ceilings: [{ currency: 'EUR', per_refund: '50.00', per_day: '500.00' }] } },
    );
    const browser = openBrowser();
    const page = await enterCode(browser, await openSignIn(browser, oauth.request(clientId).url), code);
    const checkboxes = [
      ...page.text.matchAll(/<input\s+type="checkbox"\s+name="scope ([^"]+)"[^>]*?(checked)?\s*\/>/g),
    ];
    expect(checkboxes.map(([, scope, checked]) => [scope, checked ?? ''])).toEqual([
      ['posts:read', 'checked'],
      ['orders:read', 'checked'],
      ['posts:write', ''],
      ['refunds:write', ''],
    ]);
    expect(page.text).toContain('EUR 50.00');
    expect(page.text).not.toContain('keys:admin');
  });

  test('offers only what the client requests, if it requests anything of ours', async () => {
    const oauth = oauthClient(switchboard);
    const clientId = String((await oauth.register()).json['client_id']);
    const { code } = await inviteToKey(api, ['posts:read', 'orders:read']);
    const request = oauth.request(clientId, { scope: 'openid offline_access posts:read keys:admin' });
    const browser = openBrowser();
    const page = await enterCode(browser, await openSignIn(browser, request.url), code);
    expect([...page.text.matchAll(/name="scope ([^"]+)"/g)].map(([, scope]) => scope)).toEqual([
      'posts:read',
    ]);
    const other = oauth.request(clientId, { scope: 'analytics:read' });
    const nothing = await enterCode(browser, await openSignIn(browser, other.url), code);
    expect([nothing.status, nothing.text]).toEqual([
      422,
      expect.stringContaining('includes nothing of what'),
    ]);
  });

  test('a denial returns to the client with an error and uses nothing', async () => {
    const oauth = oauthClient(switchboard);
    const clientId = String((await oauth.register()).json['client_id']);
    const { code, keyId } = await inviteToKey(api, ['posts:read']);
    const request = oauth.request(clientId);
    const browser = openBrowser();
    const page = await enterCode(browser, await openSignIn(browser, request.url), code);
    const deny = parseForms(page).find(({ fields }) => fields['decision'] === 'deny');
    const answer = await browser.post(deny?.action ?? '', deny?.fields ?? {});
    const back = locationOf(await browser.get(answer.headers.get('location') ?? ''));
    expect(Object.fromEntries(back.searchParams)).toMatchObject({
      error: 'access_denied',
      state: request.state,
      iss: switchboard.url,
    });
    expect(await clientsOf(keyId)).toEqual([]);
    await consent(oauth.request(clientId).url, code);
    expect(await clientsOf(keyId)).toHaveLength(1);
  });
});

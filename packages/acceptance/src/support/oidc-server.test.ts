import { createHash, randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { openBrowser } from './browser.js';
import { eventually } from './eventually.js';
import { asText, type JsonObject } from './json.js';
import { connectAtOidc, consentAtOidc } from './oidc-consent.js';
import { startOidcServer, type OidcServer } from './oidc-server.js';
import { restClient, type RestClient } from './rest-client.js';
import type { Switchboard } from './installation.js';
import { serveSwitchboard } from './serve-switchboard.js';

let oidc: OidcServer;
let switchboard: Switchboard;
let client: RestClient;
beforeAll(async () => {
  oidc = await startOidcServer();
  switchboard = await serveSwitchboard({ name: 'oidc_server', env: oidc.env });
  client = restClient(switchboard.url, switchboard.keys.full);
});
afterAll(async () => {
  await switchboard?.stop();
  await oidc?.close();
});

async function connect(account: string, decision: 'approve' | 'deny' = 'approve'): Promise<JsonObject> {
  const session = await client.expect(201, 'POST', '/connect/url', { body: { platform: 'sandbox_social' } });
  await connectAtOidc(asText(session['url']), { account, decision });
  return client.expect(200, 'GET', `/connect/sessions/${asText(session['id'])}`);
}

async function publish(connection: string, what: string): Promise<JsonObject> {
  return client.expect(201, 'POST', '/social/posts', {
    body: { text: what, targets: [{ connection_id: connection }] },
    headers: { Prefer: 'wait=20' },
  });
}

/** Long enough to connect on a busy machine. */
const SHORT_SECONDS = 3;

describe('a platform whose authorization server is oidc-provider', () => {
  let connection: string;

  test('is connected through its consent, with one token call', async () => {
    const session = await connect('maren-holt');
    expect(session).toMatchObject({ status: 'connected', error: null });
    [connection] = session['connection_ids'] as [string];
    const made = await client.expect(200, 'GET', `/connections/${connection}`);
    expect(made).toMatchObject({ status: 'active', account: { id: 'maren-holt' }, missing_permissions: [] });
    expect(oidc.tokenCalls()).toMatchObject([
      { grantType: 'authorization_code', clientId: 'switchboard', error: null, status: 200 },
    ]);
  });

  test('accepts a post with its token', async () => {
    expect(await publish(connection, 'By its own token')).toMatchObject({ status: 'published' });
    expect(oidc.sandbox.ledger.entries({ effect: 'post.created', account: 'maren-holt' })).toHaveLength(1);
  });

  test('is not connected when the user denies, and the session shows it', async () => {
    const before = oidc.tokenCalls().length;
    expect(await connect('lumen-coffee', 'deny')).toMatchObject({
      status: 'failed',
      connection_ids: [],
      error: { code: 'denied' },
    });
    expect(oidc.tokenCalls()).toHaveLength(before);
  });

  test('refreshes an expired token, and each refresh token replaces the previous one', async () => {
    oidc.setAccessTokenSeconds(SHORT_SECONDS);
    const session = await connect('tidal-museum');
    const [short] = session['connection_ids'] as [string];
    await new Promise((resolve) => setTimeout(resolve, SHORT_SECONDS * 1_000 + 200));
    oidc.setAccessTokenSeconds(3600);
    expect(await publish(short, 'After the first token')).toMatchObject({ status: 'published' });
    const refreshed = () => oidc.tokenCalls('refresh_token').filter(({ error }) => error === null);
    expect(refreshed().length).toBeGreaterThan(0);
    expect(oidc.tokenCalls('refresh_token').filter(({ error }) => error !== null)).toEqual([]);
  });

  test('returns invalid_grant on refresh after the account owner revoked the grant', async () => {
    oidc.setAccessTokenSeconds(SHORT_SECONDS);
    const session = await connect('tidal-museum');
    const [id] = session['connection_ids'] as [string];
    oidc.setAccessTokenSeconds(3600);
    await oidc.revokeGrants('tidal-museum');
    await new Promise((resolve) => setTimeout(resolve, SHORT_SECONDS * 1_000 + 200));
    expect(await client.expect(200, 'GET', `/connections/${id}?refresh=true`)).toMatchObject({
      status: 'needs_reauth',
    });
    expect(oidc.tokenCalls('refresh_token').at(-1)).toMatchObject({ error: 'invalid_grant', status: 400 });
  });

  test('receives a revocation when the account is disconnected', async () => {
    const before = oidc.countRevocations();
    await client.expect(204, 'DELETE', `/connections/${connection}`);
    await eventually('the token is revoked', async () => (oidc.countRevocations() > before ? true : null));
  });
});

test('a token call can be cut before and after its effect', async () => {
  const session = async () =>
    client.expect(201, 'POST', '/connect/url', { body: { platform: 'sandbox_social' } });
  for (const when of ['before', 'after'] as const) {
    oidc.injectTokenFault({ when, respond: (response) => response.destroy() });
    const { url, id } = await session();
    await connectAtOidc(asText(url), { account: 'lumen-coffee' });
    expect(await client.expect(200, 'GET', `/connect/sessions/${asText(id)}`)).toMatchObject({
      status: 'failed',
      error: { code: 'exchange_failed' },
    });
    const last = oidc.tokenCalls().at(-1);
    expect(last).toMatchObject({ status: null, grantType: when === 'after' ? 'authorization_code' : null });
  }
});

test('a reused refresh token ends its whole grant', async () => {
  const [app] = oidc.clients;
  const redirectUri = `${switchboard.url}/oauth/callback/sandbox_social`;
  const verifier = randomBytes(32).toString('base64url');
  const authorize = new URL(`${oidc.issuer}/oauth/authorize`);
  authorize.search = new URLSearchParams({
    client_id: app?.id ?? '',
    response_type: 'code',
    redirect_uri: redirectUri,
    scope: 'profile',
    state: 'any',
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  }).toString();
  const callback = new URL(await consentAtOidc(openBrowser(), authorize.href, { account: 'maren-holt' }));
  expect(callback.searchParams.get('iss')).toBe(oidc.issuer);
  const tokens = async (form: Readonly<Record<string, string>>) => {
    const credentials = Buffer.from(`${app?.id}:${app?.secret}`).toString('base64');
    const response = await fetch(`${oidc.issuer}/oauth/token`, {
      method: 'POST',
      headers: { authorization: `Basic ${credentials}` },
      body: new URLSearchParams(form),
    });
    return { status: response.status, said: (await response.json()) as Record<string, string> };
  };
  const code = callback.searchParams.get('code') ?? '';
  const first = await tokens({
    grant_type: 'authorization_code',
    code,
    redirect_uri: redirectUri,
    code_verifier: verifier,
  });
  const refresh = (token: string | undefined) =>
    tokens({ grant_type: 'refresh_token', refresh_token: token ?? '' });
  const second = await refresh(first.said['refresh_token']);
  expect(second).toMatchObject({ status: 200 });
  const me = (token: string | undefined) =>
    fetch(`${oidc.sandbox.url}/social/api/me`, { headers: { authorization: `Bearer ${token}` } });
  expect((await me(second.said['access_token'])).status).toBe(200);

  expect(await refresh(first.said['refresh_token'])).toMatchObject({
    status: 400,
    said: { error: 'invalid_grant' },
  });
  expect(await refresh(second.said['refresh_token'])).toMatchObject({
    status: 400,
    said: { error: 'invalid_grant' },
  });
  expect((await me(second.said['access_token'])).status).toBe(401);
});

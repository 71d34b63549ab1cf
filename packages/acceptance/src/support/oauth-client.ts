import { createHash, randomBytes } from 'node:crypto';
import { findForm, openBrowser, type Browser, type PageVisit } from './browser.js';
import { asObjects, type JsonObject } from './json.js';
import type { RestClient } from './rest-client.js';
import type { Switchboard } from './installation.js';

export const REDIRECT_URI = 'https://claude.ai/api/mcp/auth_callback';

export interface TokenResponse {
  readonly status: number;
  readonly json: JsonObject;
}

export interface Tokens {
  readonly access: string;
  readonly refresh: string;
  readonly scope: string;
}

/** One authorization request, with its PKCE verifier. */
export interface AuthorizationRequest {
  readonly url: string;
  readonly verifier: string;
  readonly state: string;
}

/** An invitation to a key with these scopes: the key's id, and the one-time code. */
export async function inviteToKey(
  api: RestClient,
  scopes: readonly string[],
  { policy = {}, maxClients = 1 }: { policy?: object; maxClients?: number } = {},
): Promise<{ readonly keyId: string; readonly code: string; readonly secret: string }> {
  const key = await api.expect(201, 'POST', '/keys', { body: { name: 'for a client', scopes, policy } });
  const keyId = String(key['id']);
  const invitation = await api.expect(201, 'POST', `/keys/${keyId}/invitations`, {
    body: { max_clients: maxClients },
  });
  return { keyId, code: String(invitation['code']), secret: String(key['secret']) };
}

/** The raw requests of an OAuth client, each of which a test can change. */
export function oauthClient({
  url,
  mcpUrl,
}: Pick<Switchboard, 'url'> & Partial<Pick<Switchboard, 'mcpUrl'>>) {
  const post = async (path: string, fields: Readonly<Record<string, string>>, headers: object = {}) => {
    const response = await fetch(`${url}${path}`, {
      method: 'POST',
      body: new URLSearchParams(fields),
      headers: { ...headers },
    });
    const text = await response.text();
    return { status: response.status, json: text === '' ? {} : (JSON.parse(text) as JsonObject) };
  };
  return {
    async register(metadata: object = {}): Promise<TokenResponse> {
      const response = await fetch(`${url}/oauth/register`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({
          client_name: 'Acceptance',
          redirect_uris: [REDIRECT_URI],
          token_endpoint_auth_method: 'none',
          ...metadata,
        }),
      });
      return { status: response.status, json: (await response.json()) as JsonObject };
    },
    /** `over` replaces parameters; an undefined one is left out. */
    request(clientId: string, over: Readonly<Record<string, string | undefined>> = {}): AuthorizationRequest {
      const verifier = randomBytes(32).toString('base64url');
      const state = randomBytes(16).toString('base64url');
      const parameters: Record<string, string | undefined> = {
        response_type: 'code',
        client_id: clientId,
        redirect_uri: REDIRECT_URI,
        code_challenge: createHash('sha256').update(verifier).digest('base64url'),
        code_challenge_method: 'S256',
        resource: mcpUrl,
        state,
        ...over,
      };
      const query = new URLSearchParams(
        Object.entries(parameters).flatMap(([name, value]) =>
          value === undefined ? [] : [[name, value] as [string, string]],
        ),
      );
      return { url: `${url}/oauth/authorize?${query.toString()}`, verifier, state };
    },
    exchange: (
      clientId: string,
      code: string,
      verifier: string,
      over: Readonly<Record<string, string>> = {},
    ): Promise<TokenResponse> =>
      post('/oauth/token', {
        grant_type: 'authorization_code',
        client_id: clientId,
        code,
        code_verifier: verifier,
        redirect_uri: REDIRECT_URI,
        ...over,
      }),
    refresh: (
      clientId: string,
      refreshToken: string,
      over: Readonly<Record<string, string>> = {},
    ): Promise<TokenResponse> =>
      post('/oauth/token', {
        grant_type: 'refresh_token',
        client_id: clientId,
        refresh_token: refreshToken,
        ...over,
      }),
    revoke: (clientId: string, token: string): Promise<TokenResponse> =>
      post('/oauth/revoke', { client_id: clientId, token }),
    post,
  };
}

const titleOf = (page: string) => /<title>([^<]*)/.exec(page)?.[1] ?? page.slice(0, 500);

export const locationOf = ({ headers, status, text }: PageVisit): URL => {
  const location = headers.get('location');
  if (location === null) throw new Error(`no redirect (${status}): ${titleOf(text)}`);
  return new URL(location);
};

/** Opens the page of an authorization request. */
export async function openSignIn(browser: Browser, authorizationUrl: string): Promise<PageVisit> {
  const redirect = await browser.get(authorizationUrl);
  return browser.get(new URL(redirect.headers.get('location') ?? '', authorizationUrl).href);
}

/** Enters the code of an invitation; returns the next page. */
export async function enterCode(browser: Browser, page: PageVisit, code: string): Promise<PageVisit> {
  const form = findForm(page, ({ action }) => action.endsWith('/code'));
  const answer = await browser.post(form.action, { ...form.fields, code });
  const location = answer.headers.get('location');
  return location === null ? answer : browser.get(new URL(location, form.action).href);
}

/** Checks these scopes (by default those that the page has checked) and allows them; returns the redirect. */
export async function allowAccess(
  browser: Browser,
  page: PageVisit,
  scopes?: readonly string[],
): Promise<PageVisit> {
  const form = findForm(
    page,
    ({ action, fields }) => action.endsWith('/decide') && fields['decision'] === 'allow',
  );
  const { csrf = '', decision = '' } = form.fields;
  const checked = scopes
    ? { csrf, decision, ...Object.fromEntries(scopes.map((scope) => [`scope ${scope}`, '1'])) }
    : form.fields;
  return browser.post(form.action, checked);
}

/** The whole consent as a person gives it. Returns the address to which the client's browser is sent. */
export async function consent(
  authorizationUrl: string,
  code: string,
  scopes?: readonly string[],
  browser: Browser = openBrowser(),
): Promise<URL> {
  const decided = await allowAccess(
    browser,
    await enterCode(browser, await openSignIn(browser, authorizationUrl), code),
    scopes,
  );
  const location = decided.headers.get('location');
  if (location === null) throw new Error(`not allowed (${decided.status}): ${titleOf(decided.text)}`);
  return locationOf(await browser.get(location));
}

/** Registers a client and signs it in with an invitation to a key with these scopes. */
export async function signIn(
  switchboard: Pick<Switchboard, 'url' | 'mcpUrl'>,
  api: RestClient,
  scopes: readonly string[],
  { policy, clientId }: { policy?: object; clientId?: string } = {},
): Promise<{
  readonly clientId: string;
  readonly keyId: string;
  readonly secret: string;
  readonly tokens: Tokens;
}> {
  const oauth = oauthClient(switchboard);
  const registered = clientId ?? String((await oauth.register()).json['client_id']);
  const { keyId, code, secret } = await inviteToKey(api, scopes, policy ? { policy } : {});
  const request = oauth.request(registered);
  const back = await consent(request.url, code, scopes);
  const { status, json } = await oauth.exchange(
    registered,
    back.searchParams.get('code') ?? '',
    request.verifier,
  );
  if (status !== 200) throw new Error(JSON.stringify(json));
  return { clientId: registered, keyId, secret, tokens: tokensOf(json) };
}

export const tokensOf = (json: JsonObject): Tokens => ({
  access: String(json['access_token']),
  refresh: String(json['refresh_token']),
  scope: String(json['scope']),
});

/** Authorizes a client with an invitation to an existing key; returns its id. */
export async function authorizeClient(api: RestClient, keyId: string): Promise<string> {
  const oauth = oauthClient(api);
  const registration = await oauth.register();
  const invitation = await api.expect(201, 'POST', `/keys/${keyId}/invitations`);
  await consent(oauth.request(String(registration.json['client_id'])).url, String(invitation['code']));
  const { data } = await api.expect(200, 'GET', `/keys/${keyId}/clients`);
  return String(asObjects(data)[0]?.['id']);
}

import { createHash, randomBytes } from 'node:crypto';
import { SANDBOX_CLIENT } from '../oauth/client.js';
import type { PlatformName } from '../world.js';

type FormFields = Readonly<Record<string, string>>;
type FetchFunction = (url: string, init?: RequestInit) => Promise<Response>;

export interface TokenSet {
  readonly access_token: string;
  readonly refresh_token: string;
  readonly expires_in: number;
  readonly scope: string;
}

export const REDIRECT_URI = 'http://127.0.0.1:9/callback';

/** A user with a browser and an app, over real HTTP. */
export function testClient(
  fetch: FetchFunction,
  url: string,
  platform: PlatformName,
  app: { readonly id: string; readonly secret: string } = SANDBOX_CLIENT,
) {
  const oauth = `${url}/${platform}/oauth`;
  const verifier = randomBytes(32).toString('base64url');
  const challenge = createHash('sha256').update(verifier).digest('base64url');

  const postForm = (to: string, form: FormFields, headers: FormFields = {}) =>
    fetch(to, { method: 'POST', body: new URLSearchParams(form), headers, redirect: 'manual' });

  /** Opens the consent page; parameters can be changed, and `undefined` omits one. */
  async function openConsent(changes: Readonly<Record<string, string | undefined>> = {}) {
    const requested = {
      response_type: 'code',
      client_id: app.id,
      redirect_uri: REDIRECT_URI,
      code_challenge: challenge,
      code_challenge_method: 'S256',
      state: 'st4te',
      ...changes,
    };
    const query = new URLSearchParams();
    for (const [name, value] of Object.entries(requested)) if (value !== undefined) query.set(name, value);
    const response = await fetch(`${oauth}/authorize?${query.toString()}`, { redirect: 'manual' });
    const html = await response.text();
    const hidden = (name: string) => new RegExp(`name="${name}" value="([^"]*)"`).exec(html)?.[1] ?? '';
    const cookie = (response.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
    return { response, html, cookie, request: hidden('request'), csrf: hidden('csrf') };
  }

  /** Goes through the consent; returns the final URL. */
  async function decide(
    decision: string,
    account: string,
    changes: Readonly<Record<string, string | undefined>> = {},
  ) {
    const { request, csrf, cookie } = await openConsent(changes);
    const response = await postForm(`${oauth}/authorize`, { request, csrf, account, decision }, { cookie });
    return new URL(response.headers.get('location') ?? 'about:blank').searchParams;
  }

  const tokens = tokenRequests(postForm, oauth, app, verifier);

  async function connect(
    account: string,
    changes: Readonly<Record<string, string | undefined>> = {},
  ): Promise<TokenSet> {
    const landed = await decide('approve', account, changes);
    return (await (await tokens.exchange(landed.get('code') ?? '')).json()) as TokenSet;
  }

  return {
    oauth,
    verifier,
    challenge,
    openConsent,
    postForm,
    decide,
    ...tokens,
    connect,
    call: apiCalls(fetch, `${url}/${platform}/api`),
  };
}

/** The token endpoint and the revocation endpoint, for one app. */
function tokenRequests(
  postForm: (to: string, form: FormFields) => Promise<Response>,
  oauth: string,
  { id, secret }: { readonly id: string; readonly secret: string },
  verifier: string,
) {
  const secretly = { client_id: id, client_secret: secret };
  const token = (form: FormFields) => postForm(`${oauth}/token`, { ...secretly, ...form });
  return {
    token,
    exchange: (code: string) =>
      token({ grant_type: 'authorization_code', code, redirect_uri: REDIRECT_URI, code_verifier: verifier }),
    refresh: (refresh_token: string) => token({ grant_type: 'refresh_token', refresh_token }),
    revoke: (provided: string) => postForm(`${oauth}/revoke`, { ...secretly, token: provided }),
  };
}

/** Calls of a platform's API with the token of an account. */
const apiCalls =
  (fetch: FetchFunction, api: string) =>
  (
    { access_token }: Pick<TokenSet, 'access_token'>,
    method: string,
    path: string,
    body?: unknown,
  ): Promise<Response> =>
    fetch(api + path, {
      method,
      redirect: 'manual',
      headers: {
        authorization: `Bearer ${access_token}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });

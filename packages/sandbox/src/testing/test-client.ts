import { createHash, randomBytes } from 'node:crypto';
import { SANDBOX_CLIENT } from '../oauth/client.js';
import type { PlatformName } from '../world.js';

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

  function postForm(
    to: string,
    form: Readonly<Record<string, string>>,
    headers: Readonly<Record<string, string>> = {},
  ) {
    return fetch(to, { method: 'POST', body: new URLSearchParams(form), headers, redirect: 'manual' });
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

  const secretly = { client_id: app.id, client_secret: app.secret };
  const token = (form: Readonly<Record<string, string>>) =>
    postForm(`${oauth}/token`, { ...secretly, ...form });
  const exchange = (code: string) =>
    token({ grant_type: 'authorization_code', code, redirect_uri: REDIRECT_URI, code_verifier: verifier });
  const refresh = (refresh_token: string) => token({ grant_type: 'refresh_token', refresh_token });
  const revoke = (provided: string) => postForm(`${oauth}/revoke`, { ...secretly, token: provided });

  async function connect(
    account: string,
    changes: Readonly<Record<string, string | undefined>> = {},
  ): Promise<TokenSet> {
    const landed = await decide('approve', account, changes);
    return (await (await exchange(landed.get('code') ?? '')).json()) as TokenSet;
  }

  function call(
    tokens: Pick<TokenSet, 'access_token'>,
    method: string,
    path: string,
    body?: unknown,
  ): Promise<Response> {
    return fetch(`${url}/${platform}/api${path}`, {
      method,
      redirect: 'manual',
      headers: {
        authorization: `Bearer ${tokens.access_token}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  }

  return {
    oauth,
    verifier,
    challenge,
    openConsent,
    postForm,
    decide,
    token,
    exchange,
    refresh,
    revoke,
    connect,
    call,
  };
}

import { randomBytes } from 'node:crypto';
import { escaped } from '../wire/consent-page.js';
import type { WireResponse, WireRequest } from '../wire/exchange.js';
import { post } from '../wire/store-webhooks.js';
import type { createKeyStore, KeyPermissions } from './keys.js';

interface AuthorizeOptions {
  readonly keys: ReturnType<typeof createKeyStore>;
  /** The shop's URL. */
  readonly origin: () => string;
  /** Real shops post keys over TLS only. */
  readonly plainCallbacks: boolean;
}

const SCOPES: readonly string[] = ['read', 'write', 'read_write'];
const NAMES = ['app_name', 'user_id', 'return_url', 'callback_url', 'scope'] as const;
type AuthorizeRequest = Readonly<Record<(typeof NAMES)[number], string>>;

const denied = (reason: string): WireResponse => ({
  status: 401,
  html: `<!doctype html><title>Access denied</title><p>Error: ${escaped(reason)}.</p>`,
});

/** `/wc-auth/v1/…`: the page on which the logged-in shop manager issues keys to an app. */
export function authorizePages({ keys, origin, plainCallbacks }: AuthorizeOptions) {
  const nonce = randomBytes(5).toString('hex');

  const decoded = (url: string): string => {
    const text = decodeURIComponent(url);
    return text.includes('://') ? text : `https://${text}`;
  };

  function read(query: URLSearchParams): AuthorizeRequest | WireResponse {
    const missing = NAMES.find((name) => !query.get(name));
    if (missing) return denied(`Missing parameter ${missing}`);
    const requested = Object.fromEntries(NAMES.map((name) => [name, query.get(name)])) as AuthorizeRequest;
    if (!SCOPES.includes(requested.scope)) return denied(`Invalid scope ${requested.scope}`);
    const invalid = (['return_url', 'callback_url'] as const).find(
      (name) => !URL.canParse(decoded(requested[name])),
    );
    if (invalid) return denied(`The ${requested[invalid]} is not a valid URL`);
    if (!plainCallbacks && !decoded(requested.callback_url).startsWith('https://'))
      return denied('The callback_url needs to be over SSL');
    return requested;
  }

  const back = (requested: AuthorizeRequest, success: '0' | '1'): string => {
    const url = new URL(decoded(requested.return_url));
    url.searchParams.set('success', success);
    url.searchParams.set('user_id', requested.user_id);
    return url.href;
  };

  function page(requested: AuthorizeRequest): WireResponse {
    const grant = new URL(`${origin()}/wc-auth/v1/access_granted`);
    for (const name of NAMES) grant.searchParams.set(name, requested[name]);
    grant.searchParams.set('wc_auth_nonce', nonce);
    return {
      status: 200,
      html: `<!doctype html><title>Application authentication request</title>
        <h1>${escaped(requested.app_name)} would like to connect to your store</h1>
        <a class="approve" href="${escaped(grant.href)}">Approve</a>
        <a class="deny" href="${escaped(back(requested, '0'))}">Deny</a>`,
    };
  }

  async function grant(requested: AuthorizeRequest, provided: string | null): Promise<WireResponse> {
    if (provided !== nonce) return denied('Invalid nonce verification');
    const key = keys.make(requested.scope as KeyPermissions);
    const sent = {
      key_id: key.id,
      user_id: requested.user_id,
      consumer_key: key.consumerKey,
      consumer_secret: key.consumerSecret,
      key_permissions: key.permissions,
    };
    const status = await post({
      url: decoded(requested.callback_url),
      headers: { 'content-type': 'application/json;charset=UTF-8' },
      body: JSON.stringify(sent),
    }).catch(() => 0);
    if (status !== 200) {
      keys.delete(key.id);
      return denied('An error occurred in the request and at the time were unable to send the consumer data');
    }
    return { status: 302, headers: { location: back(requested, '1') } };
  }

  return ({ method, path, query }: WireRequest): WireResponse | Promise<WireResponse> | null => {
    const [, route] = /^\/wc-auth\/v1\/(\w+)\/?$/.exec(path) ?? [];
    if (method !== 'GET' || route === undefined) return null;
    const requested = read(query);
    if ('status' in requested) return requested;
    if (route === 'authorize') return page(requested);
    if (route === 'access_granted') return grant(requested, query.get('wc_auth_nonce'));
    return denied('You do not have permission to access this page');
  };
}

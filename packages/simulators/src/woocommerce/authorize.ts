import { randomBytes } from 'node:crypto';
import { html } from '../pages/html.js';
import type { WireAnswer, WireRequest } from '../wire/exchange.js';
import type { keyRing, KeyPermissions } from './keys.js';

export interface AuthorizeOptions {
  readonly keys: ReturnType<typeof keyRing>;
  /** Where the shop lives. */
  readonly origin: () => string;
  /** Real shops post keys over TLS only. */
  readonly plainCallbacks: boolean;
  /** Posts a key there, and answers the status that came back; rejects where none did. */
  readonly post: (url: string, json: unknown) => Promise<number>;
}

const SCOPES: readonly string[] = ['read', 'write', 'read_write'];
const NAMES = ['app_name', 'user_id', 'return_url', 'callback_url', 'scope'] as const;
type Asked = Readonly<Record<(typeof NAMES)[number], string>>;

const denied = (why: string): WireAnswer => ({
  status: 401,
  html: html`<!doctype html><title>Access denied</title>
    <p>Error: ${why}.</p>`.text,
});

/** `/wc-auth/v1/…`: the page on which the shop's manager, who is logged in here, gives an app keys of its own. */
export function authorizePages({ keys, origin, plainCallbacks, post }: AuthorizeOptions) {
  const nonce = randomBytes(5).toString('hex');

  const decoded = (url: string): string => {
    const text = decodeURIComponent(url);
    return text.includes('://') ? text : `https://${text}`;
  };

  function read(query: URLSearchParams): Asked | WireAnswer {
    const missing = NAMES.find((name) => !query.get(name));
    if (missing) return denied(`Missing parameter ${missing}`);
    const asked = Object.fromEntries(NAMES.map((name) => [name, query.get(name)])) as Asked;
    if (!SCOPES.includes(asked.scope)) return denied(`Invalid scope ${asked.scope}`);
    const invalid = (['return_url', 'callback_url'] as const).find(
      (name) => !URL.canParse(decoded(asked[name])),
    );
    if (invalid) return denied(`The ${asked[invalid]} is not a valid URL`);
    if (!plainCallbacks && !decoded(asked.callback_url).startsWith('https://'))
      return denied('The callback_url needs to be over SSL');
    return asked;
  }

  const back = (asked: Asked, success: '0' | '1'): string => {
    const url = new URL(decoded(asked.return_url));
    url.searchParams.set('success', success);
    url.searchParams.set('user_id', asked.user_id);
    return url.href;
  };

  function page(asked: Asked): WireAnswer {
    const grant = new URL(`${origin()}/wc-auth/v1/access_granted`);
    for (const name of NAMES) grant.searchParams.set(name, asked[name]);
    grant.searchParams.set('wc_auth_nonce', nonce);
    return {
      status: 200,
      html: html`<!doctype html><title>Application authentication request</title>
        <h1>${asked.app_name} would like to connect to your store</h1>
        <a class="approve" href="${grant.href}">Approve</a>
        <a class="deny" href="${back(asked, '0')}">Deny</a>`.text,
    };
  }

  async function grant(asked: Asked, given: string | null): Promise<WireAnswer> {
    if (given !== nonce) return denied('Invalid nonce verification');
    const key = keys.make(asked.scope as KeyPermissions);
    const sent = {
      key_id: key.id,
      user_id: asked.user_id,
      consumer_key: key.consumerKey,
      consumer_secret: key.consumerSecret,
      key_permissions: key.permissions,
    };
    const status = await post(decoded(asked.callback_url), sent).catch(() => 0);
    if (status !== 200) {
      keys.delete(key.id);
      return denied('An error occurred in the request and at the time were unable to send the consumer data');
    }
    return { status: 302, headers: { location: back(asked, '1') } };
  }

  return ({ method, path, query }: WireRequest): WireAnswer | Promise<WireAnswer> | null => {
    const [, route] = /^\/wc-auth\/v1\/(\w+)\/?$/.exec(path) ?? [];
    if (method !== 'GET' || route === undefined) return null;
    const asked = read(query);
    if ('status' in asked) return asked;
    if (route === 'authorize') return page(asked);
    if (route === 'access_granted') return grant(asked, query.get('wc_auth_nonce'));
    return denied('You do not have permission to access this page');
  };
}

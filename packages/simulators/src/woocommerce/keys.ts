import { randomBytes } from 'node:crypto';
import type { WireResponse, WireRequest } from '../wire/exchange.js';
import { isSignedWith, oauth1Of } from '../wire/oauth1.js';
import { wpError } from './parameters.js';

export type KeyPermissions = 'read' | 'write' | 'read_write';

/** `manages` is false: the key belongs to a user who may not manage the shop. */
const newKey = (id: number, permissions: KeyPermissions, manages: boolean) => ({
  id,
  permissions,
  manages,
  consumerKey: `ck_${randomBytes(20).toString('hex')}`,
  consumerSecret: `cs_${randomBytes(20).toString('hex')}`,
});
export type WooKey = Readonly<ReturnType<typeof newKey>>;

const WINDOW_SECONDS = 15 * 60;

const refused = (message: string) => wpError(401, 'woocommerce_rest_authentication_error', message);

/**
 * The keys of a shop, and the authentication of a request: by Basic or query over TLS, otherwise by OAuth
 * 1.0a.
 */
export function createKeyStore(now: () => Date) {
  const keys: WooKey[] = [];
  const nonces = new Set<string>();
  let created = 0;

  const byConsumerKey = (text: string | null | undefined) =>
    keys.find(({ consumerKey }) => consumerKey === text);

  function overTls({ headers, query }: WireRequest): WooKey | WireResponse | null {
    const sent = /^Basic (.+)$/.exec(String(headers['authorization']))?.[1] ?? '';
    const [name = '', ...rest] = Buffer.from(sent, 'base64').toString().split(':');
    const inQuery = query.has('consumer_key') && query.has('consumer_secret');
    const key = byConsumerKey(inQuery ? query.get('consumer_key') : name);
    if (!key) return null;
    const secret = inQuery ? query.get('consumer_secret') : rest.join(':');
    return secret === key.consumerSecret ? key : refused('Consumer secret is invalid.');
  }

  function byOAuth(request: WireRequest, origin: string): WooKey | WireResponse | null {
    const stated = oauth1Of(request);
    if (!stated) return null;
    const missing = ['consumer_key', 'timestamp', 'nonce', 'signature', 'signature_method'].filter(
      (name) => !stated.get(`oauth_${name}`),
    );
    if (missing.length > 0) return refused(`Missing OAuth parameters ${missing.join(', ')}`);
    const key = byConsumerKey(stated.get('oauth_consumer_key'));
    if (!key) return refused('Consumer key is invalid.');
    if (!isSignedWith(request, origin, { consumer: key.consumerSecret }))
      return refused('Invalid signature - provided signature does not match.');
    const seconds = Number(stated.get('oauth_timestamp'));
    if (!(Math.abs(now().getTime() / 1_000 - seconds) <= WINDOW_SECONDS))
      return refused('Invalid timestamp.');
    const nonce = `${key.id} ${stated.get('oauth_nonce')}`;
    if (nonces.has(nonce)) return refused('Invalid nonce - nonce has already been used.');
    nonces.add(nonce);
    return key;
  }

  return {
    all: (): readonly WooKey[] => keys,
    make(permissions: KeyPermissions, manages = true): WooKey {
      const key = newKey(++created, permissions, manages);
      keys.push(key);
      return key;
    },
    delete: (id: number) => void keys.splice(0, keys.length, ...keys.filter((key) => key.id !== id)),
    /** Null: anonymous. */
    behind: (request: WireRequest, origin: string, tls: boolean): WooKey | WireResponse | null =>
      (tls ? overTls(request) : null) ?? byOAuth(request, origin),
  };
}

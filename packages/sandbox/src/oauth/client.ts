import { timingSafeEqual } from 'node:crypto';
import { hashOf } from '../faults.js';
import type { Journal } from '../journal.js';

/**
 * The client that every installation may use in addition to registered ones: the sandbox has nothing to
 * protect.
 */
export const SANDBOX_CLIENT = {
  id: 'switchboard-sandbox',
  secret: 'switchboard-sandbox-secret',
  name: 'Switchboard',
} as const;

/**
 * The native-app rule of RFC 8252 7.3: on loopback any port matches. All other redirect URIs must match
 * exactly.
 */
export function mayRedirectTo(redirectUri: string, registered: readonly string[]): boolean {
  if (registered.includes(redirectUri)) return true;
  if (!URL.canParse(redirectUri)) return false;
  const url = new URL(redirectUri);
  const isLoopback = url.hostname === '127.0.0.1' || url.hostname === '[::1]' || url.hostname === 'localhost';
  return (
    url.protocol === 'http:' &&
    isLoopback &&
    url.username === '' &&
    url.password === '' &&
    !redirectUri.includes('#')
  );
}

/** The registered apps. Their secrets are stored as hashes. */
export function createClientRegistry(journal: Journal) {
  const stored = journal.collection<{ readonly secretHash: string }>('clients');
  const own = { secretHash: hashOf(SANDBOX_CLIENT.secret) };
  const find = (id: unknown) =>
    typeof id !== 'string' ? undefined : id === SANDBOX_CLIENT.id ? own : stored.get(id);
  return {
    /** Registers an app, or changes its secret. */
    add: ({ id, secret }: { readonly id: string; readonly secret: string }) =>
      stored.set(id, { secretHash: hashOf(secret) }),
    knows: (id: unknown): id is string => find(id) !== undefined,
    /**
     * Accepts `client_secret_basic` and `client_secret_post`, but only one of them per request (RFC 6749 2.3).
     */
    check(
      authorization: string | undefined,
      form: Readonly<Record<string, unknown>>,
    ): { readonly id: string } | { readonly error: 'invalid_client' | 'two_methods' } {
      const basic = authorization === undefined ? undefined : readBasic(authorization);
      if (basic !== undefined && form['client_secret'] !== undefined) return { error: 'two_methods' };
      const id = basic ? basic.id : form['client_id'];
      const secret = basic ? basic.secret : form['client_secret'];
      const client = find(id);
      if (!client || typeof id !== 'string' || typeof secret !== 'string') return { error: 'invalid_client' };
      const fits = timingSafeEqual(Buffer.from(hashOf(secret)), Buffer.from(client.secretHash));
      return fits ? { id } : { error: 'invalid_client' };
    },
  };
}

export type ClientRegistry = ReturnType<typeof createClientRegistry>;

function readBasic(authorization: string): { id: string; secret: string } | undefined {
  const encoded = /^Basic +([A-Za-z0-9+/=]+)$/i.exec(authorization)?.[1];
  const [id = '', ...secret] = Buffer.from(encoded ?? '', 'base64')
    .toString()
    .split(':');
  try {
    // RFC 6749 2.3.1: both parts are form-encoded before they are joined.
    const [name, word] = [id, secret.join(':')].map((part) => decodeURIComponent(part.replaceAll('+', ' ')));
    return { id: name ?? '', secret: word ?? '' };
  } catch {
    return { id: '', secret: '' };
  }
}

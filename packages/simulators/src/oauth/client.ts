import { timingSafeEqual } from 'node:crypto';
import { hashOf } from '../faults.js';

/** The one client that every installation of the service may use: there is nothing to protect here. */
export const SANDBOX_CLIENT = {
  id: 'switchboard-sandbox',
  secret: 'switchboard-sandbox-secret',
  name: 'Switchboard',
} as const;

/** Native-app rule of RFC 8252 7.3: on loopback any port will do. Everything else has to be registered, to the letter. */
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

export type ClientCheck = 'ok' | 'invalid_client' | 'two_methods';

/** Accepts `client_secret_basic` and `client_secret_post`, but only one of them at a time (RFC 6749 2.3). */
export function checkClient(
  authorization: string | undefined,
  form: Readonly<Record<string, unknown>>,
): ClientCheck {
  const basic = authorization === undefined ? undefined : readBasic(authorization);
  if (basic !== undefined && form['client_secret'] !== undefined) return 'two_methods';
  const id = basic ? basic.id : form['client_id'];
  const secret = basic ? basic.secret : form['client_secret'];
  if (id !== SANDBOX_CLIENT.id || typeof secret !== 'string') return 'invalid_client';
  return timingSafeEqual(Buffer.from(hashOf(secret)), Buffer.from(hashOf(SANDBOX_CLIENT.secret)))
    ? 'ok'
    : 'invalid_client';
}

function readBasic(authorization: string): { id: string; secret: string } | undefined {
  const encoded = /^Basic +([A-Za-z0-9+/=]+)$/i.exec(authorization)?.[1];
  const [id = '', ...secret] = Buffer.from(encoded ?? '', 'base64')
    .toString()
    .split(':');
  try {
    // RFC 6749 2.3.1: both parts are form-encoded before they are joined.
    return { id: decodeURIComponent(id), secret: decodeURIComponent(secret.join(':')) };
  } catch {
    return { id: '', secret: '' };
  }
}

import { randomBytes } from 'node:crypto';
import { Secret } from '@switchboard/domain';
import type { Clock, Outbound, OutboundRequest } from '@switchboard/domain/ports';
import { isUnauthorized } from './create-token-send.js';
import { createAuthorizationHeader, encodeUrlAsSigned, type OAuth1Keys } from './oauth1.js';
import { signJwt, type JwtSigner } from './sign-jwt.js';
import type { AuthenticatedTransport } from './auth-scheme.js';

/** Where the key is sent: a header and its value, a place in the URL, or what signs every request. */
export type KeyPlacement =
  | { readonly header: readonly [name: string, value: string] }
  | { readonly inPath: string }
  | { readonly inQuery: { readonly name: string; readonly key: string } }
  | { readonly jwt: JwtSigner }
  | { readonly signs: OAuth1Keys };

/** `account` selects the account when one key covers many. */
export type StoredKey = KeyPlacement & { readonly obtainedAt: string; readonly account?: string | undefined };

/** A key is valid until its owner revokes it. */
export const createKeyTransport = (
  outbound: Outbound,
  clock: Clock,
  key: StoredKey,
): AuthenticatedTransport => ({
  subject: key.account ?? null,
  obtainedAt: new Date(key.obtainedAt),
  accessExpiresAt: null,
  isRenewable: false,
  send: createPlacedSend(outbound, clock, key),
  isCredentialRejected: isUnauthorized,
});

/** Sends requests with the key where it belongs, whatever the adapter put there. */
export const createPlacedSend =
  (outbound: Outbound, clock: Clock, key: KeyPlacement): AuthenticatedTransport['send'] =>
  async (request) => {
    if ('inPath' in key) return createPathKeySend(outbound, key.inPath)(request);
    if ('inQuery' in key) return outbound.request(withKeyInQuery(request, key.inQuery));
    if ('header' in key) return outbound.request(withHeader(request, key.header));
    if ('signs' in key) return outbound.request(signRequest(request, key.signs, clock.now()));
    const token = await signJwt(key.jwt, clock.now());
    return outbound.request(withHeader(request, ['authorization', token]));
  };

/** A parameter of the adapter with the name of the key is dropped. */
function withKeyInQuery(
  request: OutboundRequest,
  { name, key }: { readonly name: string; readonly key: string },
): OutboundRequest {
  const url = new URL(request.url);
  if (url.searchParams.has(name)) url.searchParams.delete(name);
  return { ...request, url: url.href, keyInQuery: { name, key: new Secret(key) } };
}

/** Inserts the key into the path when the request is sent; no URL contains it before. */
export const createPathKeySend = (outbound: Outbound, key: string): AuthenticatedTransport['send'] => {
  const keyInPath = new Secret(key);
  return (request) => outbound.request({ ...request, keyInPath });
};

/** A key and its secret: sent as HTTP Basic (RFC 7617), or stored to sign requests. */
export function placeKeyPair(
  name: string,
  secret: string,
  { signs }: { readonly signs: boolean },
): KeyPlacement {
  return signs
    ? { signs: { consumerKey: name, consumerSecret: secret, token: null, tokenSecret: null } }
    : { header: ['authorization', `Basic ${Buffer.from(`${name}:${secret}`).toString('base64')}`] };
}

const withHeader = (request: OutboundRequest, [name, value]: readonly [string, string]): OutboundRequest => ({
  ...request,
  headers: { ...request.headers, [name]: value },
});

/** Signs every request individually and encodes it exactly as signed. */
function signRequest(request: OutboundRequest, keys: OAuth1Keys, now: Date): OutboundRequest {
  const url = new URL(request.url);
  const isForm = request.headers?.['content-type'] === 'application/x-www-form-urlencoded';
  const form = isForm && typeof request.body === 'string' ? [...new URLSearchParams(request.body)] : [];
  const nonce = {
    nonce: randomBytes(16).toString('hex'),
    timestampSeconds: Math.floor(now.getTime() / 1_000),
  };
  const authorization = createAuthorizationHeader({ method: request.method, url, form }, keys, nonce);
  return withHeader({ ...request, url: encodeUrlAsSigned(url) }, ['authorization', authorization]);
}

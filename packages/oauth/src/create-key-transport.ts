import { randomBytes } from 'node:crypto';
import { Secret } from '@switchboard/domain';
import type { Clock, Outbound, OutboundRequest } from '@switchboard/domain/ports';
import { isUnauthorized } from './create-token-send.js';
import { createAuthorizationHeader, encodeUrlAsSigned, type OAuth1Keys } from './oauth1.js';
import type { AuthenticatedTransport } from './auth-scheme.js';

/** Where the key is sent: a header and its value, a path segment, or a signature over every request. */
export type KeyPlacement =
  | { readonly header: readonly [name: string, value: string] }
  | { readonly inPath: string }
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
  send(request) {
    if ('inPath' in key) return createPathKeySend(outbound, key.inPath)(request);
    return outbound.request(
      'signs' in key ? signRequest(request, key.signs, clock.now()) : withHeader(request, key.header),
    );
  },
  isCredentialRejected: isUnauthorized,
});

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

import { randomBytes } from 'node:crypto';
import { Secret, type Clock, type Outbound, type OutboundRequest } from '@switchboard/domain';
import { isUnauthorized } from './bearer-line.js';
import { authorizationOf, writtenAsSigned, type OAuth1Keys } from './oauth1.js';
import type { Line } from './scheme.js';

/** A header and what stands in it, what stands in the path, or what signs every request. */
export type SentKey =
  | { readonly header: readonly [name: string, value: string] }
  | { readonly inPath: string }
  | { readonly signs: OAuth1Keys };

/** `account` is the one that is meant, where the key opens many. */
export type KeptKey = SentKey & { readonly obtainedAt: string; readonly account?: string | undefined };

/** A key lasts until its owner takes it back. */
export const keyLine = (outbound: Outbound, clock: Clock, key: KeptKey): Line => ({
  subject: key.account ?? null,
  obtainedAt: new Date(key.obtainedAt),
  accessExpiresAt: null,
  renewable: false,
  send(request) {
    if ('inPath' in key) return sendInPath(outbound, key.inPath)(request);
    return outbound.request(
      'signs' in key ? signed(request, key.signs, clock.now()) : withHeader(request, key.header),
    );
  },
  refusesCredential: isUnauthorized,
});

/** The key goes out in its place in the path, and stands in no URL before. */
export const sendInPath = (outbound: Outbound, key: string): Line['send'] => {
  const keyInPath = new Secret(key);
  return (request) => outbound.request({ ...request, keyInPath });
};

/** A name and its secret: as RFC 7617 sends them, or kept here to sign with. */
export function pairSentAs(name: string, secret: string, { signs }: { readonly signs: boolean }): SentKey {
  return signs
    ? { signs: { consumerKey: name, consumerSecret: secret, token: null, tokenSecret: null } }
    : { header: ['authorization', `Basic ${Buffer.from(`${name}:${secret}`).toString('base64')}`] };
}

const withHeader = (request: OutboundRequest, [name, value]: readonly [string, string]): OutboundRequest => ({
  ...request,
  headers: { ...request.headers, [name]: value },
});

/** Anew for every request, which is then written as it was signed. */
function signed(request: OutboundRequest, keys: OAuth1Keys, now: Date): OutboundRequest {
  const url = new URL(request.url);
  const isForm = request.headers?.['content-type'] === 'application/x-www-form-urlencoded';
  const form = isForm && typeof request.body === 'string' ? [...new URLSearchParams(request.body)] : [];
  const moment = {
    nonce: randomBytes(16).toString('hex'),
    timestampSeconds: Math.floor(now.getTime() / 1_000),
  };
  const authorization = authorizationOf({ method: request.method, url, form }, keys, moment);
  return withHeader({ ...request, url: writtenAsSigned(url) }, ['authorization', authorization]);
}

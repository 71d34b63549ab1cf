import { randomBytes } from 'node:crypto';
import type { Clock, Outbound, OutboundRequest } from '@switchboard/domain';
import { isUnauthorized } from './bearer-line.js';
import { authorizationOf, writtenAsSigned, type OAuth1Keys } from './oauth1.js';
import type { Line } from './scheme.js';

/** A header and what stands in it, or what signs every request. */
export type SentKey =
  { readonly header: readonly [name: string, value: string] } | { readonly signs: OAuth1Keys };

export type KeptKey = SentKey & { readonly obtainedAt: string };

/** A key lasts until its owner takes it back. */
export const keyLine = (outbound: Outbound, clock: Clock, key: KeptKey): Line => ({
  subject: null,
  obtainedAt: new Date(key.obtainedAt),
  accessExpiresAt: null,
  renewable: false,
  send: (request) =>
    outbound.request(
      'signs' in key ? signed(request, key.signs, clock.now()) : withHeader(request, key.header),
    ),
  refusesCredential: isUnauthorized,
});

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

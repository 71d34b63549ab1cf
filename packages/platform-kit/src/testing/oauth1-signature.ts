import { createHmac } from 'node:crypto';
import type { ReceivedRequest } from './key-location.js';

/**
 * The keys that sign; neither secret is sent. Without a token the consumer acts for itself ("one-legged").
 */
export interface SigningKeys {
  readonly consumerKey: string;
  readonly consumerSecret: string;
  readonly token: string | null;
  readonly tokenSecret: string | null;
}

type Parameter = readonly [name: string, value: string];
type SignedRequest = Pick<ReceivedRequest, 'method' | 'url' | 'headers' | 'bytes'>;

const HASHES: Readonly<Record<string, string>> = { 'HMAC-SHA1': 'sha1', 'HMAC-SHA256': 'sha256' };

/** The decoded parameters of the header that signs a request (RFC 5849, 3.5.1). */
export function oauthParametersOf({ headers: { authorization = '' } }: SignedRequest): readonly Parameter[] {
  const [, list = ''] = /^OAuth\s+([^]*)$/i.exec(authorization) ?? [];
  return list.split(/\s*,\s*/).flatMap((one): Parameter[] => {
    const [, name, value] = /^([^=]+)="([^"]*)"$/.exec(one) ?? [];
    return name === undefined || value === undefined ? [] : [[decoded(name), decoded(value)]];
  });
}

/**
 * What is wrong with the signature of a request that arrived at this origin; null: it is signed with these
 * keys. Recomputed from the received request (https://www.rfc-editor.org/rfc/rfc5849#section-3.4), without
 * the signing code under test.
 */
export function signatureFault(request: SignedRequest, origin: string, keys: SigningKeys): string | null {
  const stated = new Map(oauthParametersOf(request));
  const hash = HASHES[stated.get('oauth_signature_method') ?? ''];
  if (hash === undefined) return 'is not signed by a known algorithm';
  if (stated.get('oauth_consumer_key') !== keys.consumerKey) return 'names another consumer key';
  if ((stated.get('oauth_token') ?? null) !== keys.token) return 'names another token';
  if (!/^[1-9]\d*$/.test(stated.get('oauth_timestamp') ?? '')) return 'has no timestamp';
  if (!stated.get('oauth_nonce')) return 'has no nonce';
  const key = `${encoded(keys.consumerSecret)}&${encoded(keys.tokenSecret ?? '')}`;
  const signature = createHmac(hash, key).update(baseStringOf(request, origin)).digest('base64');
  return stated.get('oauth_signature') === signature ? null : 'has a signature of other keys';
}

/** RFC 5849, 3.4.1: the method, the address without its query, and every parameter, sorted by its bytes. */
export function baseStringOf(request: SignedRequest, origin: string): string {
  const { method, url, headers, bytes } = request;
  const [path = '', ...query] = url.split('?');
  const isForm = /^application\/x-www-form-urlencoded\b/i.test(headers['content-type'] ?? '');
  const parameters = [
    ...formParameters(query.join('?')),
    ...oauthParametersOf(request).filter(([name]) => name !== 'realm' && name !== 'oauth_signature'),
    ...(isForm ? formParameters(Buffer.from(bytes).toString()) : []),
  ];
  const normalized = parameters
    .map(([name, value]): Parameter => [encoded(name), encoded(value)])
    .sort((one, other) => inBytes(one[0], other[0]) || inBytes(one[1], other[1]))
    .map(([name, value]) => `${name}=${value}`)
    .join('&');
  return [method.toUpperCase(), originOf(origin) + path, normalized].map(encoded).join('&');
}

/** RFC 5849, 3.4.1.2: in lower case, with the port only if it is not the scheme's default. */
const originOf = (origin: string): string =>
  origin.toLowerCase().replace(/^(http:.*):80$|^(https:.*):443$/, '$1$2');

const formParameters = (text: string): readonly Parameter[] =>
  text
    .split('&')
    .filter((one) => one !== '')
    .map((one): Parameter => {
      const [name = '', ...value] = one.split('=');
      return [name, value.join('=')].map((part) => decoded(part.replaceAll('+', ' '))) as [string, string];
    });

const decoded = (text: string): string => decodeURIComponent(text);

/** RFC 5849, 3.6: every byte but the unreserved characters. */
const encoded = (text: string): string =>
  [...Buffer.from(text)]
    .map((byte) => {
      const character = String.fromCharCode(byte);
      return /[A-Za-z0-9._~-]/.test(character)
        ? character
        : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
    })
    .join('');

const inBytes = (one: string, other: string): number => Buffer.compare(Buffer.from(one), Buffer.from(other));

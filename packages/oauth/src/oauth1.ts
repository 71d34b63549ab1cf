import { createHmac } from 'node:crypto';

/**
 * The keys that sign an OAuth 1.0a request (RFC 5849). Without a token the request is "one-legged": the
 * consumer acts for itself.
 */
export interface OAuth1Keys {
  readonly consumerKey: string;
  readonly consumerSecret: string;
  readonly token: string | null;
  readonly tokenSecret: string | null;
}

/** The single-use values of a request: a server accepts a nonce and timestamp once. */
interface OAuth1Nonce {
  readonly nonce: string;
  readonly timestampSeconds: number;
}

type OAuth1Method = 'HMAC-SHA1' | 'HMAC-SHA256';

type Pairs = readonly (readonly [name: string, value: string])[];

interface SignableRequest {
  readonly method: string;
  readonly url: URL;
  /** The fields of a form body; other bodies are not signed (RFC 5849, 3.4.1.3). */
  readonly form?: Pairs | undefined;
}

export function createAuthorizationHeader(
  request: SignableRequest,
  keys: OAuth1Keys,
  oauthNonce: OAuth1Nonce,
  signatureMethod: OAuth1Method = 'HMAC-SHA256',
): string {
  const parameters: Pairs = [
    ['oauth_consumer_key', keys.consumerKey],
    ...(keys.token === null ? [] : ([['oauth_token', keys.token]] as const)),
    ['oauth_signature_method', signatureMethod],
    ['oauth_timestamp', String(oauthNonce.timestampSeconds)],
    ['oauth_nonce', oauthNonce.nonce],
  ];
  const base = createSignatureBase(request, parameters);
  const key = `${percentEncode(keys.consumerSecret)}&${percentEncode(keys.tokenSecret ?? '')}`;
  const hash = signatureMethod === 'HMAC-SHA1' ? 'sha1' : 'sha256';
  const signature = createHmac(hash, key).update(base).digest('base64');
  const signedParameters = [...parameters, ['oauth_signature', signature] as const];
  return `OAuth ${signedParameters.map(([name, value]) => `${name}="${percentEncode(value)}"`).join(', ')}`;
}

/** The signature base string (RFC 5849, 3.4.1): method, URL and every parameter, wherever it occurs. */
export function createSignatureBase({ method, url, form = [] }: SignableRequest, parameters: Pairs): string {
  const all = [...url.searchParams, ...form, ...parameters]
    .map(([name, value]) => [percentEncode(name), percentEncode(value)] as const)
    .sort(([name, value], [otherName, otherValue]) => compare(name, otherName) || compare(value, otherValue))
    .map((pair) => pair.join('='))
    .join('&');
  return [method.toUpperCase(), url.origin + url.pathname, all].map(percentEncode).join('&');
}

/** The URL with its query encoded as signed: some servers do not accept `+` for a space. */
export function encodeUrlAsSigned(url: URL): string {
  const query = [...url.searchParams].map((pair) => pair.map(percentEncode).join('=')).join('&');
  return url.origin + url.pathname + (query === '' ? '' : `?${query}`);
}

/** Percent-encoding of RFC 5849, 3.6: everything but the unreserved characters. */
const percentEncode = (text: string): string =>
  encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );

const compare = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);

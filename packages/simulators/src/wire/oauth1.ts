import { createHmac, timingSafeEqual } from 'node:crypto';
import type { WireRequest } from './exchange.js';

const HASHES: Readonly<Record<string, string>> = { 'HMAC-SHA1': 'sha1', 'HMAC-SHA256': 'sha256' };

/** The OAuth 1.0a parameters (RFC 5849) of a request, from its header or query; null when there are none. */
export function oauth1Of({ headers, query }: WireRequest): ReadonlyMap<string, string> | null {
  const header = String(headers['authorization'] ?? '');
  const inHeader = header.startsWith('OAuth ')
    ? [...header.matchAll(/(oauth_[a-z_-]*)="([^"]*)"/g)].map(
        ([, name = '', value = '']) => [name, decodeURIComponent(value)] as const,
      )
    : [];
  const stated = [...query, ...inHeader].filter(([name]) => name.startsWith('oauth_'));
  return stated.length > 0 ? new Map(stated) : null;
}

const compareCodeUnits = (one: string, other: string): number => (one < other ? -1 : 1);

/**
 * Whether the signature matches these secrets: names sorted bytewise by default, everything encoded twice.
 */
export function isSignedWith(
  request: WireRequest,
  origin: string,
  secrets: { readonly consumer: string; readonly token?: string },
  inOrder: (one: string, other: string) => number = compareCodeUnits,
): boolean {
  const stated = new Map(oauth1Of(request));
  const hash = HASHES[stated.get('oauth_signature_method') ?? ''];
  const provided = stated.get('oauth_signature') ?? '';
  if (hash === undefined) return false;
  const parameters = new Map([...request.query, ...stated]);
  parameters.delete('oauth_signature');
  const pairs = [...parameters]
    .sort(([one], [other]) => inOrder(one, other))
    .map(([name, value]) => encoded(`${encoded(name)}=${encoded(value)}`));
  const base = `${request.method}&${encoded(origin + request.path)}&${pairs.join('%26')}`;
  const requested = createHmac(hash, `${encoded(secrets.consumer)}&${encoded(secrets.token ?? '')}`)
    .update(base)
    .digest('base64');
  return (
    provided.length === requested.length && timingSafeEqual(Buffer.from(provided), Buffer.from(requested))
  );
}

const encoded = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`);

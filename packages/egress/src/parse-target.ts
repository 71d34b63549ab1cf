import { isIP } from 'node:net';
import type { HostAllowList } from './host-allow-list.js';

type RequestTarget =
  | { readonly kind: 'fit'; readonly url: URL }
  | { readonly kind: 'invalid_url' }
  | { readonly kind: 'address_refused' };

/** Names that denote this machine or its network. */
const localName = /(^|\.)(localhost|local|internal|intranet|lan|home|corp|arpa)$/;

/**
 * The SSRF guard's first check, of the URL, before its name is resolved. WHATWG parsing has already
 * normalized every address notation.
 */
export function parseTarget(text: string, allowList: HostAllowList): RequestTarget {
  if (!URL.canParse(text)) return { kind: 'invalid_url' };
  const url = new URL(text);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return { kind: 'invalid_url' };
  if (url.username !== '' || url.password !== '') return { kind: 'invalid_url' };
  return allowList.allows(url.hostname, portOf(url)) || isPublicHostname(url)
    ? { kind: 'fit', url }
    : { kind: 'address_refused' };
}

export const portOf = (url: URL): number => Number(url.port) || (url.protocol === 'https:' ? 443 : 80);

/** A host that the operator did not allow must be a dotted public name behind TLS, never an address. */
function isPublicHostname({ protocol, hostname }: URL): boolean {
  if (protocol !== 'https:' || hostname.startsWith('[') || isIP(hostname) !== 0) return false;
  return hostname.includes('.') && !hostname.endsWith('.') && !localName.test(hostname);
}

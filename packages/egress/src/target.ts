import { isIP } from 'node:net';
import type { HostRule } from './host-rule.js';

export type Target =
  | { readonly kind: 'fit'; readonly url: URL }
  | { readonly kind: 'invalid_url' }
  | { readonly kind: 'address_refused' };

/** Names that mean this machine or its network wherever they are asked. */
const localName = /(^|\.)(localhost|local|internal|intranet|lan|home|corp|arpa)$/;

/** What can be said of a URL before a name is looked up. WHATWG parsing has undone every odd spelling of an address. */
export function readTarget(text: string, rule: HostRule): Target {
  if (!URL.canParse(text)) return { kind: 'invalid_url' };
  const url = new URL(text);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return { kind: 'invalid_url' };
  if (url.username !== '' || url.password !== '') return { kind: 'invalid_url' };
  return rule.allows(url.hostname, portOf(url)) || isPlainPublicName(url)
    ? { kind: 'fit', url }
    : { kind: 'address_refused' };
}

export const portOf = (url: URL): number => Number(url.port) || (url.protocol === 'https:' ? 443 : 80);

/** A host that nobody opened by name must be a dotted public name behind TLS, never an address. */
function isPlainPublicName({ protocol, hostname }: URL): boolean {
  if (protocol !== 'https:' || hostname.startsWith('[') || isIP(hostname) !== 0) return false;
  return hostname.includes('.') && !hostname.endsWith('.') && !localName.test(hostname);
}

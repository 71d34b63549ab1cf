import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** IANA's special-purpose IPv4 blocks, which contain no public host. */
const specialV4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
].map((cidr) => ipaddr.IPv4.parseCIDR(cidr));

/** Global unicast is the only IPv6 space in use; these blocks within it are special-purpose. */
const globalUnicastV6 = ipaddr.IPv6.parseCIDR('2000::/3');
const specialV6 = ['2001::/23', '2001:db8::/32', '3fff::/20'].map((cidr) => ipaddr.IPv6.parseCIDR(cidr));

/** IPv6 ranges that embed an IPv4 address, with the byte offset of that address. */
const embeddedV4 = [
  { range: ipaddr.IPv6.parseCIDR('::ffff:0:0/96'), at: 12 },
  { range: ipaddr.IPv6.parseCIDR('64:ff9b::/96'), at: 12 },
  { range: ipaddr.IPv6.parseCIDR('2002::/16'), at: 2 },
];

/**
 * Whether a numeric address is public. Loopback, private, link-local, metadata, multicast, reserved and
 * documentation addresses are not, and neither is a malformed address.
 */
export function isPublicAddress(address: string): boolean {
  if (address.includes('%') || isIP(address) === 0) return false;
  if (isIP(address) === 4) return isPublicV4(ipaddr.IPv4.parse(address));
  // The parser reads "::8.8.8.8" as "::ffff:8.8.8.8"; the hexadecimal notation of URLs is unambiguous.
  return isPublicV6(ipaddr.IPv6.parse(new URL(`http://[${address}]/`).hostname.slice(1, -1)));
}

const isPublicV4 = (address: ipaddr.IPv4): boolean => !specialV4.some((range) => address.match(range));

function isPublicV6(address: ipaddr.IPv6): boolean {
  const embedding = embeddedV4.find(({ range }) => address.match(range));
  if (embedding) {
    return isPublicV4(new ipaddr.IPv4(address.toByteArray().slice(embedding.at, embedding.at + 4)));
  }
  return address.match(globalUnicastV6) && !specialV6.some((range) => address.match(range));
}

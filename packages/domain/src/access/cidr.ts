/** An address or network as a number with its prefix length. IPv4 is represented as IPv4-mapped IPv6. */
interface IpNetwork {
  readonly value: bigint;
  readonly bits: number;
}

const V4_IN_V6 = 0xffffn << 32n;
const ADDRESS_BITS = 128;

/**
 * Whether the text is an address or a network in CIDR notation, IPv4 or IPv6, with no bits set after its
 * prefix.
 */
export function isCidr(text: string): boolean {
  const network = parseNetwork(text);
  return network !== null && masked(network.value, network.bits) === network.value;
}

/** Whether `outer` contains every address of `inner`. False for malformed networks. */
export function containsCidr(outer: string, inner: string): boolean {
  const [wide, narrow] = [parseNetwork(outer), parseNetwork(inner)];
  if (!wide || !narrow) return false;
  return narrow.bits >= wide.bits && masked(narrow.value, wide.bits) === masked(wide.value, wide.bits);
}

/**
 * The network that one client controls: an IPv4 address, or an IPv6 /64, within which a host may choose its
 * addresses.
 */
export function clientNetwork(address: string | undefined): string {
  const network = parseNetwork(address ?? '');
  if (network === null) return 'unknown';
  const isV4 = network.value >> 32n === 0xffffn;
  return masked(network.value, isV4 ? ADDRESS_BITS : 64).toString(16);
}

const masked = (value: bigint, bits: number) =>
  (value >> BigInt(ADDRESS_BITS - bits)) << BigInt(ADDRESS_BITS - bits);

function parseNetwork(text: string): IpNetwork | null {
  const match = /^([^/]+)(?:\/(0|[1-9]\d{0,2}))?$/.exec(text);
  const [, address = '', prefix] = match ?? [];
  const isV4 = !address.includes(':');
  const value = isV4 ? parseV4(address) : parseV6(address);
  if (value === null) return null;
  const maxBits = isV4 ? 32 : ADDRESS_BITS;
  const bits = prefix === undefined ? maxBits : Number(prefix);
  if (bits > maxBits) return null;
  return isV4 ? { value: V4_IN_V6 | value, bits: bits + ADDRESS_BITS - 32 } : { value, bits };
}

function parseV4(text: string): bigint | null {
  const parts = text.split('.');
  if (parts.length !== 4 || !parts.every((part) => /^(0|[1-9]\d{0,2})$/.test(part) && Number(part) < 256))
    return null;
  return parts.reduce((value, part) => (value << 8n) | BigInt(part), 0n);
}

function parseV6(text: string): bigint | null {
  const [head = '', tail, ...more] = text.split('::');
  if (more.length > 0) return null;
  const [before, after] = [parseGroups(head), tail === undefined ? [] : parseGroups(tail)];
  if (!before || !after) return null;
  const missing = 8 - before.length - after.length;
  if (tail === undefined ? missing !== 0 : missing < 1) return null;
  const groups = [...before, ...Array.from({ length: missing }, () => 0n), ...after];
  return groups.reduce((value, group) => (value << 16n) | group, 0n);
}

/** Sixteen bits each; the last two groups may be written as an IPv4 address. */
function parseGroups(text: string): readonly bigint[] | null {
  if (text === '') return [];
  const groups: bigint[] = [];
  const parts = text.split(':');
  for (const [index, part] of parts.entries()) {
    const v4 = index === parts.length - 1 && part.includes('.') ? parseV4(part) : null;
    if (v4 !== null) groups.push(v4 >> 16n, v4 & 0xffffn);
    else if (/^[0-9a-f]{1,4}$/i.test(part)) groups.push(BigInt(`0x${part}`));
    else return null;
  }
  return groups;
}

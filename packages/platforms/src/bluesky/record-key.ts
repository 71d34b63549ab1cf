import { createHash } from 'node:crypto';

const ALPHABET = '234567abcdefghijklmnopqrstuvwxyz';
const LENGTH = 13;
const CLOCK_ID_BITS = 10n;
/** About a second: two posts of one account with the same time collide once in 2^30. */
const JITTER_BITS = 20n;

/**
 * The record key of a post: the same for every attempt, so that the key itself shows whether one took effect.
 * It is a TID (https://atproto.com/specs/tid) whose microseconds are within the second before `createdAt`,
 * and whose low bits are derived from the reference.
 */
export function recordKey(reference: string, createdAt: Date): string {
  const random = createHash('sha256').update(reference).digest().readBigUInt64BE();
  const clockId = random & mask(CLOCK_ID_BITS);
  const jitter = (random >> CLOCK_ID_BITS) & mask(JITTER_BITS);
  const microseconds = BigInt(createdAt.getTime()) * 1000n - jitter;
  return base32Sortable((microseconds << CLOCK_ID_BITS) | clockId);
}

const mask = (bits: bigint): bigint => (1n << bits) - 1n;

function base32Sortable(value: bigint): string {
  let text = '';
  for (let rest = value; text.length < LENGTH; rest >>= 5n) text = ALPHABET.charAt(Number(rest & 31n)) + text;
  return text;
}

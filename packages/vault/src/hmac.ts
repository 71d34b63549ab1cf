import { hash } from 'node:crypto';

const BLOCK_BYTES = 64;
const HASH_BYTES = 32;

/**
 * HMAC-SHA-256 (RFC 2104) with a key of at most 64 bytes. `createHmac` allocates native objects for every message,
 * which cost a request more than the two hashes.
 */
export function hmacSha256(key: Uint8Array): (message: string | Uint8Array) => Buffer {
  if (key.length > BLOCK_BYTES) throw new Error('the key is longer than a block of SHA-256');
  const pad = (byte: number) => Buffer.alloc(BLOCK_BYTES, byte).map((one, index) => one ^ (key[index] ?? 0));
  const inner = pad(0x36);
  const outer = Buffer.concat([pad(0x5c), Buffer.alloc(HASH_BYTES)]);
  return (message) => {
    const bytes = typeof message === 'string' ? Buffer.from(message, 'utf8') : message;
    outer.set(hash('sha256', Buffer.concat([inner, bytes]), 'buffer'), BLOCK_BYTES);
    return hash('sha256', outer, 'buffer');
  };
}

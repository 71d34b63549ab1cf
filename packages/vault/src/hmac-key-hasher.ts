import { createHmac, createSecretKey, randomBytes, timingSafeEqual } from 'node:crypto';
import { Secret } from '@switchboard/domain';
import { encodeBase62, formatKey } from '@switchboard/domain/access';
import type { KeyHasher } from '@switchboard/domain/ports';

const PUBLIC_ID_LENGTH = 12;
/** 62^43 slightly exceeds 2^256. */
const SECRET_LENGTH = 43;
const HASH_BYTES = 32;

/** HMAC-SHA-256 of the whole token. A slow hash is unnecessary: 256 random bits cannot be guessed. */
export function hmacKeyHasher({ pepper }: { readonly pepper: Uint8Array }): KeyHasher {
  // Raw bytes would be imported as a key for every hash, which takes five times as long as the hash itself.
  const key = createSecretKey(pepper);
  const computeHash = (token: string) => createHmac('sha256', key).update(token).digest();
  const dummy = randomBytes(HASH_BYTES);

  return {
    generate() {
      const publicId = randomBase62(PUBLIC_ID_LENGTH);
      const token = formatKey(publicId, randomBase62(SECRET_LENGTH));
      return { token: new Secret(token), publicId, hash: computeHash(token) };
    },

    matches(token, hash) {
      const known = hash?.length === HASH_BYTES ? hash : null;
      const equal = timingSafeEqual(computeHash(token.reveal()), known ?? dummy);
      return equal && known !== null;
    },
  };
}

/** One byte in 32 is rejected; twice the required number practically always suffices. */
function randomBase62(length: number): string {
  for (;;) {
    const text = encodeBase62(randomBytes(2 * length), length);
    if (text !== null) return text;
  }
}

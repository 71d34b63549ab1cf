import { createHmac, createSecretKey, timingSafeEqual } from 'node:crypto';
import { lengthPrefixed } from './length-prefixed.js';

const TAG_BYTES = 32;

/** Texts for URLs that authenticate their own content. A token is base64url of 32 bytes of HMAC-SHA-256 and the content as JSON. */
export function hmacTokens(bytes: Uint8Array, label: string) {
  const key = createSecretKey(bytes);
  const computeTag = (purpose: string, payload: Uint8Array) =>
    createHmac('sha256', key)
      .update(lengthPrefixed([label, purpose, payload]))
      .digest();

  return {
    sign(purpose: string, content: readonly unknown[]) {
      const payload = Buffer.from(JSON.stringify(content), 'utf8');
      return Buffer.concat([computeTag(purpose, payload), payload]).toString('base64url');
    },

    /** The content, which was signed here for this purpose; else null. */
    verify<Content extends readonly unknown[]>(purpose: string, token: string): Content | null {
      const decoded = Buffer.from(token, 'base64url');
      const payload = decoded.subarray(TAG_BYTES);
      // Base64 decoding skips foreign characters: many texts decode to the same bytes.
      const isAuthentic =
        decoded.length > TAG_BYTES &&
        decoded.toString('base64url') === token &&
        timingSafeEqual(decoded.subarray(0, TAG_BYTES), computeTag(purpose, payload));
      return isAuthentic ? (JSON.parse(payload.toString('utf8')) as Content) : null;
    },
  };
}

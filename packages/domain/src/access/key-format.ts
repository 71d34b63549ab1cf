/**
 * The text of an API key: `swb_` + 12 base62 (public id) + 43 base62 (256 bits of secret) + 6 base62 (CRC-32
 * of all before). The checksum serves secret scanners and catches typing errors: a mistyped key is rejected
 * without a database query.
 */
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
export const KEY_PATTERN = /^swb_([0-9A-Za-z]{12})[0-9A-Za-z]{43}([0-9A-Za-z]{6})$/;

/** The public id of a well-formed key, otherwise null. */
export function parsePublicId(token: string): string | null {
  const match = KEY_PATTERN.exec(token);
  if (match?.[1] === undefined || match[2] !== checksum(token.slice(0, -6))) return null;
  return match[1];
}

/** Formats a key from a public id and a secret of 43 base62 characters. */
export function formatKey(publicId: string, secret: string): string {
  const body = `swb_${publicId}${secret}`;
  return body + checksum(body);
}

/**
 * Base62 text of `length` characters from random bytes, by rejection sampling: every character is equally
 * likely. Null when the bytes run out.
 */
export function encodeBase62(bytes: Uint8Array, length: number): string | null {
  let text = '';
  for (const byte of bytes) {
    if (byte < 248) text += ALPHABET.charAt(byte % 62);
    if (text.length === length) return text;
  }
  return null;
}

const TABLE = Uint32Array.from({ length: 256 }, (_, index) => {
  let value = index;
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
  return value;
});

export function checksum(text: string): string {
  let crc = 0xffffffff;
  for (let at = 0; at < text.length; at++)
    crc = (crc >>> 8) ^ (TABLE[(crc ^ text.charCodeAt(at)) & 0xff] ?? 0);
  let rest = (crc ^ 0xffffffff) >>> 0;
  let digits = '';
  for (let at = 0; at < 6; at++, rest = Math.floor(rest / 62)) digits = ALPHABET.charAt(rest % 62) + digits;
  return digits;
}

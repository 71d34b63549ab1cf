import type { Tokens } from '../ports/tokens.js';
import { checksum } from './key-format.js';

/**
 * The text of an access or refresh token: `swb_at_` or `swb_rt_` + 43 base64url (256 bits) + 6 base62 (CRC-32
 * of all before). As with keys, a mistyped token is rejected without a query, and secret scanners find it.
 */
const PREFIXES = { access_token: 'swb_at_', refresh_token: 'swb_rt_' } as const;
const ACCESS_TOKEN = /^swb_at_[\w-]{43}([0-9A-Za-z]{6})$/;

export function createToken(kind: keyof typeof PREFIXES, tokens: Pick<Tokens, 'random'>): string {
  const body = `${PREFIXES[kind]}${tokens.random()}`;
  return body + checksum(body);
}

export function isAccessToken(text: string): boolean {
  const match = ACCESS_TOKEN.exec(text);
  return match !== null && match[1] === checksum(text.slice(0, -6));
}

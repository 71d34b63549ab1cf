import type { Tokens } from '../ports/tokens.js';
import { Secret } from '../secret.js';

/** Crockford's base 32: no letter that is mistaken for a digit. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const LENGTH = 16;
const GROUP = 4;
const CODE = new RegExp(`^[${ALPHABET}]{${LENGTH}}$`);

/** A new code of 80 random bits, in groups of four characters, which a person can also type. */
export function createInvitationCode(tokens: Pick<Tokens, 'random' | 'digest'>): Secret {
  const characters = [...tokens.digest(tokens.random())]
    .slice(0, LENGTH)
    .map((byte) => ALPHABET.charAt(byte % ALPHABET.length));
  const groups = Array.from({ length: LENGTH / GROUP }, (_, at) =>
    characters.slice(at * GROUP, (at + 1) * GROUP).join(''),
  );
  return new Secret(groups.join('-'));
}

/**
 * The digest by which a code is stored and found; null for a text that is no code. Case, spaces and hyphens
 * do not matter, and neither do the letters that look like a digit.
 */
export function digestInvitationCode(tokens: Pick<Tokens, 'digest'>, typed: string): Uint8Array | null {
  const code = typed
    .toUpperCase()
    .replace(/[\s\p{Pd}\p{Cf}]/gu, '')
    .replace(/O/g, '0')
    .replace(/[IL]/g, '1');
  return CODE.test(code) ? tokens.digest(`invitation:${code}`) : null;
}

import type { Draft, Tools } from '../ports/index.js';

/** What makes two posts the same to the duplicate guard: text without regard to form and spacing, and link. */
export const contentDigest = ({ tokens }: Pick<Tools, 'tokens'>, { text, link }: Draft): string =>
  tokens.digestHex(JSON.stringify([text.normalize('NFC').replace(/\s+/gu, ' ').trim(), link ?? '']));

import type { Tools } from '../ports/index.js';
import type { ResolvedContent } from './resolve-contents.js';

/**
 * The identity of a post for the duplicate guard: texts normalized for case, form and spacing, link and
 * media.
 */
export const contentDigest = (
  { tokens }: Pick<Tools, 'tokens'>,
  contents: readonly ResolvedContent[],
): string => {
  const [first, ...rest] = contents.map(({ text, link, media }) => [
    text.normalize('NFC').replace(/\s+/gu, ' ').trim(),
    link ?? '',
    ...media.map(({ mediaId, url, file }) => file?.sha256 ?? url ?? mediaId),
  ]);
  return tokens.digestHex(JSON.stringify(rest.length > 0 ? [first, ...rest] : first));
};

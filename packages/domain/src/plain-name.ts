/**
 * Reduces third-party text to something that can be a name and not a sentence: letters, digits, and the marks
 * that names contain. May be empty.
 */
export const plainName = (text: string, maxCharacters: number): string =>
  text
    .replace(/[^\p{L}\p{M}\p{N}._@'&-]+|\.(?!\S)/gu, ' ')
    .replace(/ +/g, ' ')
    .trim()
    .slice(0, maxCharacters)
    .toWellFormed();

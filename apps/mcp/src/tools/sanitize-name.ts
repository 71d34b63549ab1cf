const MAX_CHARACTERS = 60;

/** Reduces a third-party name to something that can be a name and not a sentence. */
export const sanitizeName = (name: string): string =>
  name
    .replace(/[^\p{L}\p{M}\p{N}._@-]+|\.(?!\S)/gu, ' ')
    .replace(/ +/g, ' ')
    .trim()
    .slice(0, MAX_CHARACTERS)
    .toWellFormed();

/** Ids and choice values stay unchanged: they have to be sent back. */
const isIdentifierLike = (text: string): boolean => text.length <= 200 && /^[\w.:+/-]*$/.test(text);

/** The texts of offered alternatives. */
export const sanitizeNames = (
  candidate: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    Object.entries(candidate).map(([field, value]) => [
      field,
      typeof value === 'string' && !isIdentifierLike(value) ? sanitizeName(value) : value,
    ]),
  );

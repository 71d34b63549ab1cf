const MAX_CHARACTERS = 60;

/** What something is called, as far as it can be a name and no sentence: somebody else chose it. */
export const sanitizeName = (name: string): string =>
  name
    .replace(/[^\p{L}\p{M}\p{N}._@-]+|\.(?!\S)/gu, ' ')
    .replace(/ +/g, ' ')
    .trim()
    .slice(0, MAX_CHARACTERS)
    .toWellFormed();

/** Ids and values to choose stand as they are: they have to be sent back. */
const isIdentifierLike = (text: string): boolean => text.length <= 200 && /^[\w.:+/-]*$/.test(text);

/** The texts of what is offered instead. */
export const sanitizeNames = (candidate: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    Object.entries(candidate).map(([field, value]) => [
      field,
      typeof value === 'string' && !isIdentifierLike(value) ? sanitizeName(value) : value,
    ]),
  );

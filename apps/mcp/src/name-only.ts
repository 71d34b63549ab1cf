const MAX_CHARACTERS = 60;

/** What something is called, as far as it can be a name and no sentence: somebody else chose it. */
export const nameOnly = (name: string): string =>
  name
    .replace(/[^\p{L}\p{M}\p{N}._@-]+|\.(?!\S)/gu, ' ')
    .replace(/ +/g, ' ')
    .trim()
    .slice(0, MAX_CHARACTERS)
    .toWellFormed();

/** Ids and values to choose stand as they are: they have to be sent back. */
const isPlain = (text: string): boolean => text.length <= 200 && /^[\w.:+/-]*$/.test(text);

/** The texts of what is offered instead. */
export const namesOnly = (offered: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    Object.entries(offered).map(([field, value]) => [
      field,
      typeof value === 'string' && !isPlain(value) ? nameOnly(value) : value,
    ]),
  );

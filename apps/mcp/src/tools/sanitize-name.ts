import { plainName } from '@switchboard/domain';

const MAX_CHARACTERS = 60;

/** Reduces a third-party name to something that can be a name and not a sentence. */
export const sanitizeName = (name: string): string => plainName(name, MAX_CHARACTERS);

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

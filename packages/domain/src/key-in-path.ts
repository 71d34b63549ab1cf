/**
 * Placeholder for the key in a path, for platforms that take it there. No URL that contains the key itself is
 * ever built.
 */
export const KEY_IN_PATH = ':key';

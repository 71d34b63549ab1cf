/**
 * The order number if it looks like one, else null: the field is third-party text, and only a value that
 * cannot be read as a sentence may be part of a message.
 */
export const safeOrderNumber = (number: string): string | null =>
  /^#?[\w./-]{1,30}$/.test(number) ? number : null;

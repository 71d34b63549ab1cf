/**
 * An order's number, where it is one: a store may write anything into it, and only what cannot be read as a sentence may
 * stand in one of ours.
 */
export const safeOrderNumber = (number: string): string | null =>
  /^#?[\w./-]{1,30}$/.test(number) ? number : null;

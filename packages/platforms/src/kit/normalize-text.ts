/** A text as two are compared that a platform may have stored in another way: composed alike, and all white space one space. */
export const normalizeText = (text: string): string => text.normalize('NFC').replace(/\s+/g, ' ').trim();

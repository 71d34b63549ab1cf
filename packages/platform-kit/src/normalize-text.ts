/**
 * Normalizes a text for comparison with one that the platform may have rewritten: NFC, with each run of white
 * space collapsed to one space.
 */
export const normalizeText = (text: string): string => text.normalize('NFC').replace(/\s+/g, ' ').trim();

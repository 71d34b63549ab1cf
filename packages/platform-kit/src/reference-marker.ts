/**
 * The refund's reference at the beginning of a text that a store keeps with a refund: `[rfd_…] the user's
 * text`.
 */
const MARKER = /^\[([\w.-]+)\](?: ([^]*))?$/;

export const formatReferenceMarker = (reference: string, ...words: readonly (string | null)[]): string =>
  [`[${reference}]`, ...words.filter((word) => word !== null && word !== '')].join(' ');

/**
 * Splits such a text into the reference and the user's text. Without a reference all of it is the user's.
 */
export function parseReferenceMarker(text: string | null | undefined): {
  readonly reference: string | null;
  readonly words: string | null;
} {
  const [, reference = null, words = ''] = MARKER.exec(text ?? '') ?? [];
  return { reference, words: (reference === null ? (text ?? '') : words) || null };
}

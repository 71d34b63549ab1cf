/** Our reference at the beginning of a text that a store keeps with a refund: `[rfd_…] what people wrote`. */
const MARKER = /^\[([\w.-]+)\](?: ([^]*))?$/;

export const formatReferenceMarker = (reference: string, ...words: readonly (string | null)[]): string =>
  [`[${reference}]`, ...words.filter((word) => word !== null && word !== '')].join(' ');

/** What such a text says: whose reference, and the words of people. Without a reference all of it is theirs. */
export function parseReferenceMarker(text: string | null | undefined): {
  readonly reference: string | null;
  readonly words: string | null;
} {
  const [, reference = null, words = ''] = MARKER.exec(text ?? '') ?? [];
  return { reference, words: (reference === null ? (text ?? '') : words) || null };
}

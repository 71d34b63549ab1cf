/**
 * Normalizes a URL for comparison with one that the platform may have rewritten: without the protocol and the
 * trailing slash.
 */
export const normalizeLink = (link: string | null | undefined): string =>
  (link ?? '').replace(/^https?:\/\//i, '').replace(/\/$/, '');

/** An address as two are compared that a platform may have stored in another way: without the protocol, and without the slash at its end. */
export const normalizeLink = (link: string | null | undefined): string =>
  (link ?? '').replace(/^https?:\/\//i, '').replace(/\/$/, '');

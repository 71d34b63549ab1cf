/** Our reference in a refund's note, which is the one place where Medusa keeps a text: `[rfd_…] what people wrote`. */
export const MARK = /^\[([\w.-]+)\](?: ([^]*))?$/;

export const marked = (reference: string, ...words: readonly (string | null)[]): string =>
  [`[${reference}]`, ...words.filter((word) => word !== null && word !== '')].join(' ');

/** `application/json` and its relatives (`application/jrd+json`, `application/did+ld+json`). A page that happens to parse is none. */
export const isJsonContentType = (contentType: string | undefined): boolean =>
  /^application\/(?:[\w.-]+\+)*json *(?:;|$)/i.test(contentType ?? '');

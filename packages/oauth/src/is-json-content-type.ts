/**
 * `application/json` and its structured suffixes (`application/jrd+json`, `application/did+ld+json`). An HTML
 * page is rejected even if its body parses.
 */
export const isJsonContentType = (contentType: string | undefined): boolean =>
  /^application\/(?:[\w.-]+\+)*json *(?:;|$)/i.test(contentType ?? '');

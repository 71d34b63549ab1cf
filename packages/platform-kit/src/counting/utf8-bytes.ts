const encoder = new TextEncoder();

/**
 * Unit: bytes in UTF-8. Counts everything; a lone surrogate as the three bytes of U+FFFD, which is sent in
 * its place. Source: `maxLength` of the AT Protocol's lexicons, `snippet.description` of the YouTube Data API
 * ("5000 bytes").
 */
export const utf8Bytes = (text: string): number => encoder.encode(text).length;

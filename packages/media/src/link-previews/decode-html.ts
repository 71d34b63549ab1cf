/** The encoding declaration in the first bytes of a page, before any non-ASCII character. */
const DECLARED = /<meta[^>]+charset\s*=\s*["']?\s*([\w:-]+)/i;
const PROBE_BYTES = 2048;

/**
 * Decodes the bytes of a page: a byte order mark wins, then the Content-Type header, then the page's
 * declaration, then UTF-8.
 */
export function decodeHtml(bytes: Uint8Array, contentType: string): string {
  const start = new TextDecoder('latin1').decode(bytes.subarray(0, PROBE_BYTES));
  const charset = /charset\s*=\s*["']?\s*([\w:-]+)/i.exec(contentType)?.[1] ?? DECLARED.exec(start)?.[1];
  return decodeAs(detectByteOrderMark(bytes) ?? charset ?? 'utf-8', bytes);
}

function detectByteOrderMark([first, second]: Uint8Array): string | null {
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  return first === 0xef && second === 0xbb ? 'utf-8' : null;
}

function decodeAs(charset: string, bytes: Uint8Array): string {
  try {
    return new TextDecoder(charset).decode(bytes);
  } catch {
    // An unknown encoding name.
    return new TextDecoder().decode(bytes);
  }
}

/**
 * Unit: Unicode code points; a family emoji of four people is seven, a lone surrogate one. Counts everything.
 * Source: JSON Schema's `maxLength` (RFC 8259 characters), `len` in Python 3, which Discord states that it
 * uses (discord-api-docs#1315), and Telegram as measured (see docs/adding-a-platform.md).
 */
export function codePoints(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}

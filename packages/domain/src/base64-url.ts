const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

export function toBase64Url(bytes: Uint8Array): string {
  let text = '';
  let bits = 0;
  let bitCount = 0;
  for (const byte of bytes) {
    bits = (bits << 8) | byte;
    for (bitCount += 8; bitCount >= 6; bitCount -= 6) text += LETTERS.charAt((bits >>> (bitCount - 6)) & 63);
    bits &= (1 << bitCount) - 1;
  }
  return bitCount === 0 ? text : text + LETTERS.charAt((bits << (6 - bitCount)) & 63);
}

/** Null where the bytes are not UTF-8. The text consists of letters of the alphabet only. */
export function fromBase64Url(text: string): string | null {
  const bytes: number[] = [];
  let bits = 0;
  let bitCount = 0;
  for (const letter of text) {
    bits = (bits << 6) | LETTERS.indexOf(letter);
    bitCount += 6;
    if (bitCount < 8) continue;
    bitCount -= 8;
    bytes.push(bits >>> bitCount);
    bits &= (1 << bitCount) - 1;
  }
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Uint8Array.from(bytes));
  } catch {
    return null;
  }
}

const BLOCK_BYTES = 32;
const END = 0x80;

/**
 * Pads to a multiple of 32 bytes (ISO/IEC 7816-4), so that a sealed token does not reveal its exact length.
 */
export function pad(bytes: Uint8Array): Uint8Array {
  const padded = new Uint8Array((Math.floor(bytes.length / BLOCK_BYTES) + 1) * BLOCK_BYTES);
  padded.set(bytes);
  padded[bytes.length] = END;
  return padded;
}

/** Null for invalid padding. */
export function unpad(padded: Uint8Array): Uint8Array | null {
  let end = padded.length - 1;
  while (end > padded.length - BLOCK_BYTES && padded[end] === 0) end--;
  return padded.length % BLOCK_BYTES === 0 && padded[end] === END ? padded.subarray(0, end) : null;
}

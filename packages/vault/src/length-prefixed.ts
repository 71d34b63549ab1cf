/**
 * Fields in one sequence of bytes, each after its length (32 bits, big endian): ("ab", "c") and ("a", "bc") differ,
 * which joining texts with a separator does not promise.
 */
export function lengthPrefixed(fields: readonly (string | Uint8Array)[]): Uint8Array {
  const parts = fields.flatMap((field) => {
    const bytes = typeof field === 'string' ? utf8(field) : field;
    const length = Buffer.alloc(4);
    length.writeUInt32BE(bytes.length);
    return [length, bytes];
  });
  return Buffer.concat(parts);
}

function utf8(text: string): Uint8Array {
  // Every unpaired surrogate becomes the same replacement character: two different texts would give the same bytes.
  if (!text.isWellFormed()) throw new Error('a bound text has an unpaired surrogate');
  return Buffer.from(text, 'utf8');
}

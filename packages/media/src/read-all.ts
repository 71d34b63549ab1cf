/** Reads a whole stream that is known to be small. */
export async function readAll(stream: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const piece of stream) pieces.push(piece);
  return pieces.length === 1 && pieces[0] ? toBuffer(pieces[0]) : Buffer.concat(pieces);
}

const toBuffer = ({ buffer, byteOffset, byteLength }: Uint8Array): Buffer =>
  Buffer.from(buffer, byteOffset, byteLength);

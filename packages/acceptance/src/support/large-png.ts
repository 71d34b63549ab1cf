import { once } from 'node:events';
import { crc32, createDeflate } from 'node:zlib';

/**
 * A transparent PNG of `side` × `side` pixels: with a side of 10,000 it has 390 KB and decompresses to 400
 * MB.
 */
export async function largePng(side: number): Promise<Buffer> {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(side, 0);
  header.writeUInt32BE(side, 4);
  // Eight bits, RGBA.
  header.set([8, 6], 8);
  const deflate = createDeflate();
  const packed: Buffer[] = [];
  deflate.on('data', (piece: Buffer) => packed.push(piece));
  const ended = once(deflate, 'end');
  const row = Buffer.alloc(1 + side * 4);
  for (let nth = 0; nth < side; nth += 1) if (!deflate.write(row)) await once(deflate, 'drain');
  deflate.end();
  await ended;
  return Buffer.concat([
    Buffer.from('89504e470d0a1a0a', 'hex'),
    chunk('IHDR', header),
    chunk('IDAT', Buffer.concat(packed)),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunk(name: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(name, 'latin1'), data]);
  const out = Buffer.alloc(body.length + 8);
  out.writeUInt32BE(data.length, 0);
  body.copy(out, 4);
  out.writeUInt32BE(crc32(body), body.length + 4);
  return out;
}

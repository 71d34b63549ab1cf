import { randomUUID } from 'node:crypto';
import type { PlatformBody, PublishMedia } from '@switchboard/platform-kit';

export type JsonBody = Extract<PlatformBody, { length: number }>;
type ImageSource = Pick<PublishMedia, 'bytes' | 'read'>;

/**
 * JSON that contains images in Base64: they are streamed while it is sent, and never buffered in memory.
 * `write` places each.
 */
export function jsonWithImages<Image extends ImageSource>(
  images: readonly Image[],
  write: (places: readonly { readonly image: Image; readonly data: string }[]) => object,
): JsonBody {
  // Random, so that no text can contain it.
  const mark = randomUUID();
  const text = JSON.stringify(write(images.map((image, at) => ({ image, data: `${mark} ${at}` }))));
  const pieces = text
    .split(new RegExp(`${mark} (\\d+)`))
    .map((piece, at) => (at % 2 === 0 ? encoder.encode(piece) : images[Number(piece)]));
  return {
    type: 'application/json',
    length: pieces.reduce((sum, piece) => sum + lengthOf(piece), 0),
    async *stream() {
      for (const piece of pieces) {
        if (piece instanceof Uint8Array) yield piece;
        else if (piece) yield* base64Of(piece.read());
      }
    },
  };
}

const lengthOf = (piece: Uint8Array | ImageSource | undefined): number =>
  piece instanceof Uint8Array ? piece.length : 4 * Math.ceil((piece?.bytes ?? 0) / 3);

/** Three bytes encode to four letters: the remainder of a chunk is prepended to the next. */
async function* base64Of(chunks: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  let rest: Uint8Array = new Uint8Array();
  for await (const chunk of chunks) {
    const all = Buffer.concat([rest, chunk]);
    const whole = all.length - (all.length % 3);
    if (whole > 0) yield encoder.encode(all.toString('base64', 0, whole));
    rest = all.subarray(whole);
  }
  if (rest.length > 0) yield encoder.encode(Buffer.from(rest).toString('base64'));
}

const encoder = new TextEncoder();

import { refuse } from '../failure.js';
import type { Ports } from '../ports/index.js';
import { ok, type Result } from '../result.js';
import {
  DOCUMENT_MAX_BYTES,
  IMAGE_MAX_BYTES,
  kindOfMedia,
  maxBytesOf,
  VIDEO_MAX_BYTES,
  type StoredFile,
} from './media.js';

export type StoreFailureCode =
  | 'request.invalid'
  | 'request.too_large'
  | 'media.type_unsupported'
  | 'media.unreadable'
  | 'media.not_as_announced';

/** What must come, where it was announced. */
type Announced = { readonly type: string; readonly bytes: number };

/**
 * Takes a stream into the store and looks at what it was. Only the beginning is held in memory; what nobody takes, and what is
 * too large, is not read to its end. Whatever is refused leaves nothing behind.
 */
export async function storeMedia(
  ports: Pick<Ports, 'mediaFiles' | 'mediaTools' | 'tokens'>,
  stream: AsyncIterable<Uint8Array>,
  announced: Announced | null = null,
): Promise<Result<StoredFile, StoreFailureCode>> {
  const name = ports.tokens.random();
  const incoming = recognizing(ports, stream, announced);
  const written = await ports.mediaFiles.write(name, incoming.bytes(), VIDEO_MAX_BYTES);
  if (written.kind === 'broken') return refuse('request.invalid', 'The file ended before it was complete.');
  const judged =
    written.kind === 'too_large'
      ? tooLarge('video/mp4')
      : await judge(ports, { name, ...written }, incoming.verdict(), announced);
  if (!judged.ok) await ports.mediaFiles.remove([name]);
  return judged;
}

async function judge(
  ports: Pick<Ports, 'mediaFiles' | 'mediaTools'>,
  { name, bytes, sha256 }: Pick<StoredFile, 'name' | 'bytes' | 'sha256'>,
  verdict: Verdict,
  announced: Announced | null,
): Promise<Result<StoredFile, StoreFailureCode>> {
  if (verdict.type === null) {
    return refuse(
      'media.type_unsupported',
      'Send a JPEG, PNG, GIF, WebP or AVIF image, an MP4, QuickTime or WebM video, or a PDF.',
    );
  }
  const { type } = verdict;
  if (announced && (type !== announced.type || verdict.tooLarge || bytes !== announced.bytes)) {
    return refuse(
      'media.not_as_announced',
      `${announced.bytes} bytes of ${announced.type} were announced, and something else came.`,
    );
  }
  if (verdict.tooLarge) return tooLarge(type);
  const facts = await ports.mediaTools.inspect(type, {
    bytes,
    async *read(range) {
      const stream = await ports.mediaFiles.read(name, range);
      if (!stream) throw new Error('a file is gone that was written just now');
      yield* stream;
    },
  });
  if (facts === null || facts === 'encrypted') return refuse('media.unreadable', whyUnreadable(type, facts));
  return ok({ name, type, bytes, sha256, ...facts });
}

function whyUnreadable(type: string, found: 'encrypted' | null): string {
  if (found === 'encrypted') return 'The document is encrypted: save it without a password or restrictions.';
  return kindOfMedia(type) === 'document'
    ? 'The document is broken or cut off: its index is not where it says.'
    : 'The file is broken, cut off, or has no picture in it.';
}

const MIB = 1024 * 1024;
const tooLarge = (type: string) =>
  refuse(
    'request.too_large',
    `An image may have ${IMAGE_MAX_BYTES / MIB} MiB, a video ${VIDEO_MAX_BYTES / MIB} MiB, a document ${DOCUMENT_MAX_BYTES / MIB} MiB. This ${kindOfMedia(type)} has more.`,
    { details: { maxBytes: maxBytesOf(type) } },
  );

/** What the beginning of a stream was recognized as, and whether there was more of it than may be. */
interface Verdict {
  readonly type: string | null;
  readonly tooLarge: boolean;
}

/** As much as it takes to know what a file is. */
const HEAD_BYTES = 4100;

function recognizing(
  { mediaTools }: Pick<Ports, 'mediaTools'>,
  stream: AsyncIterable<Uint8Array>,
  announced: Announced | null,
): { bytes(): AsyncIterable<Uint8Array>; verdict(): Verdict } {
  let type: string | null = null;
  let isTooLarge = false;
  async function* bytes(): AsyncGenerator<Uint8Array> {
    const head: Uint8Array[] = [];
    let size = 0;
    let known = false;
    for await (const piece of stream) {
      size += piece.length;
      if (!known) {
        head.push(piece);
        if (size < HEAD_BYTES) continue;
        known = true;
        type = await mediaTools.recognize(joined(head, size));
      }
      if (type === null) return;
      isTooLarge = size > (announced?.bytes ?? maxBytesOf(type));
      if (isTooLarge) return;
      yield* head.length > 0 ? head.splice(0) : [piece];
    }
    if (known) return;
    type = await mediaTools.recognize(joined(head, size));
    if (type !== null) yield* head;
  }
  return { bytes, verdict: () => ({ type, tooLarge: isTooLarge }) };
}

function joined(pieces: readonly Uint8Array[], size: number): Uint8Array {
  const whole = new Uint8Array(size);
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}

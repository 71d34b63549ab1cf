import { refuse } from '../failure.js';
import type { ByteRange, MediaDefect, MediaWorkOptions, Ports } from '../ports/index.js';
import { ok, type Result } from '../result.js';
import {
  DOCUMENT_MAX_BYTES,
  IMAGE_MAX_BYTES,
  kindOfMedia,
  maxBytesOf,
  VIDEO_INDEX_MAX_BYTES,
  VIDEO_MAX_BYTES,
  type StoredFile,
} from './media.js';
import { notInspected, uploadQueueFull } from './media-queue.js';

export type StoreMediaFailureCode =
  | 'request.invalid'
  | 'request.too_large'
  | 'media.type_unsupported'
  | 'media.unreadable'
  | 'media.not_as_announced'
  | 'rate_limit.exceeded'
  | 'service.unavailable';

/** The announced type and size, where there was an announcement. */
type DeclaredFile = { readonly type: string; readonly bytes: number };

/**
 * Streams a file into the store and inspects it when its turn comes. Only the beginning is held in memory; a
 * file that is unsupported, too large, or rejected by the queue is not read to its end. A rejected file
 * leaves nothing behind.
 */
export async function storeMedia(
  ports: Pick<Ports, 'mediaFiles' | 'mediaTools' | 'tokens'>,
  stream: AsyncIterable<Uint8Array>,
  options: MediaWorkOptions,
  declared: DeclaredFile | null = null,
): Promise<Result<StoredFile, StoreMediaFailureCode>> {
  if (!options.bypassesQueueLimit && ports.mediaTools.isFull(options.workspaceId)) return uploadQueueFull();
  const name = ports.tokens.random();
  const incoming = detectStreamType(ports, stream, declared);
  const written = await ports.mediaFiles.write(name, incoming.bytes(), VIDEO_MAX_BYTES);
  if (written.kind === 'broken') return refuse('request.invalid', 'The file ended before it was complete.');
  const inspected =
    written.kind === 'too_large'
      ? tooLarge('video/mp4')
      : await inspectStoredFile(ports, { name, ...written }, incoming.detected(), options, declared);
  if (!inspected.ok) await ports.mediaFiles.remove([name]);
  return inspected;
}

async function inspectStoredFile(
  ports: Pick<Ports, 'mediaFiles' | 'mediaTools'>,
  { name, bytes, sha256 }: Pick<StoredFile, 'name' | 'bytes' | 'sha256'>,
  detected: DetectedType,
  options: MediaWorkOptions,
  declared: DeclaredFile | null,
): Promise<Result<StoredFile, StoreMediaFailureCode>> {
  if (detected.type === null) {
    return refuse('media.type_unsupported', SUPPORTED_TYPES);
  }
  const { type } = detected;
  if (declared && (type !== declared.type || detected.tooLarge || bytes !== declared.bytes)) {
    return refuse(
      'media.not_as_announced',
      `The file does not match the announced ${declared.bytes} bytes of ${declared.type}.`,
    );
  }
  if (detected.tooLarge) return tooLarge(type);
  const file = {
    bytes,
    async *read(range: ByteRange) {
      const stream = await ports.mediaFiles.read(name, range);
      if (!stream) throw new Error('a file that was just written is missing');
      yield* stream;
    },
  };
  const inspection = await ports.mediaTools.inspect(type, file, options);
  switch (inspection.kind) {
    case 'inspected':
      return ok({ name, type, bytes, sha256, ...inspection.facts });
    case 'unusable':
      return refuse('media.unreadable', describeDefect(type, inspection.reason));
    default:
      return notInspected(inspection);
  }
}

export const SUPPORTED_TYPES =
  'Send a JPEG, PNG, GIF, WebP or AVIF image, an MP4, QuickTime or WebM video, or a PDF.';

const MIB = 1024 * 1024;

function describeDefect(type: string, reason: MediaDefect): string {
  const kind = kindOfMedia(type);
  switch (reason) {
    case 'encrypted':
      return 'The document is encrypted: save it without a password or restrictions.';
    case 'index_too_large':
      return `The index of the video has more than ${VIDEO_INDEX_MAX_BYTES / MIB} MiB. Export it again as an ordinary MP4, or in shorter pieces.`;
    case 'too_costly':
      return kind === 'image'
        ? 'Decoding the image requires more memory than one file may use. Save it with fewer pixels, or as a baseline JPEG.'
        : `Reading the ${kind} requires more memory or time than one file may use. Export it again, or in shorter pieces.`;
    case 'broken':
      return kind === 'document'
        ? 'The document is corrupted or truncated: its cross-reference table is invalid.'
        : 'The file is corrupted, truncated, or contains no image.';
  }
}

const tooLarge = (type: string) =>
  refuse(
    'request.too_large',
    `An image may have at most ${IMAGE_MAX_BYTES / MIB} MiB, a video ${VIDEO_MAX_BYTES / MIB} MiB, a document ${DOCUMENT_MAX_BYTES / MIB} MiB. This ${kindOfMedia(type)} has more.`,
    { details: { maxBytes: maxBytesOf(type) } },
  );

/** The detected type of a stream, and whether the stream exceeds the maximum size. */
interface DetectedType {
  readonly type: string | null;
  readonly tooLarge: boolean;
}

/** How many bytes are needed to detect the type of a file. */
export const HEAD_BYTES = 4100;

function detectStreamType(
  { mediaTools }: Pick<Ports, 'mediaTools'>,
  stream: AsyncIterable<Uint8Array>,
  declared: DeclaredFile | null,
): { bytes(): AsyncIterable<Uint8Array>; detected(): DetectedType } {
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
        type = await mediaTools.detectType(concatBytes(head, size));
      }
      if (type === null) return;
      isTooLarge = size > (declared?.bytes ?? maxBytesOf(type));
      if (isTooLarge) return;
      yield* head.length > 0 ? head.splice(0) : [piece];
    }
    if (known) return;
    type = await mediaTools.detectType(concatBytes(head, size));
    if (type !== null) yield* head;
  }
  return { bytes, detected: () => ({ type, tooLarge: isTooLarge }) };
}

function concatBytes(pieces: readonly Uint8Array[], size: number): Uint8Array {
  const whole = new Uint8Array(size);
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}

import { refuse } from '../failure.js';
import type { ByteRange, ImageLimits, Ports } from '../ports/index.js';
import { ok, type Result } from '../result.js';
import { kindOfMedia, mediaTypes, type Media, type StoredFile } from './media.js';

/**
 * Opens ready media for publishing, resizing an image if limits are given. Its digest is verified first: the
 * published bytes are the accepted bytes. `media.unreadable` means that it cannot be resized to fit,
 * `media.processing` that it is queued for resizing.
 */
export async function openMedia(
  ports: Pick<Ports, 'mediaFiles' | 'mediaTools' | 'mediaLinks' | 'tokens'>,
  media: Media,
  limits: ImageLimits | null,
  signal?: AbortSignal,
): Promise<Result<OpenedMedia, 'media.lost' | 'media.unreadable' | 'media.processing'>> {
  const { file } = media;
  if (!file) throw new Error(`${media.id} is not ready`);
  const found = await ports.mediaFiles.digest(file.name);
  if (found?.sha256 !== file.sha256)
    return refuse('media.lost', 'The stored file is missing or its digest differs. Upload it again.');
  if (!limits || kindOfMedia(file.type) !== 'image') return ok(toOpenedMedia(ports, media, file));

  const original = { bytes: file.bytes, read: (range: ByteRange) => readStoredFile(ports, file.name, range) };
  const fitting = await ports.mediaTools.fitImage(original, limits, {
    workspaceId: media.workspaceId,
    signal,
  });
  if (fitting.kind === 'fits') return ok(toOpenedMedia(ports, media, file));
  if (fitting.kind === 'impossible')
    return refuse('media.unreadable', 'The image cannot be resized to the platform’s limits.');
  if (fitting.kind !== 'fitted')
    return refuse('media.processing', 'The image is queued for resizing.', {
      retryAfterSeconds: 5,
    });
  const fitted = fitting.image;
  // No row references it: the sweep removes it a day later.
  const name = ports.tokens.random();
  const written = await ports.mediaFiles.write(name, singleChunk(fitted.bytes), fitted.bytes.length);
  if (written.kind !== 'written') throw new Error('the store rejected a resized image');
  const { type, width, height } = fitted;
  return ok(
    toOpenedMedia(ports, media, {
      ...file,
      name,
      type,
      width,
      height,
      bytes: written.bytes,
      sha256: written.sha256,
    }),
  );
}

function toOpenedMedia(
  ports: Pick<Ports, 'mediaFiles' | 'mediaLinks'>,
  { id }: Media,
  { name, type, bytes, width, height, durationSeconds, animated, sha256 }: StoredFile,
) {
  return {
    kind: kindOfMedia(type),
    type,
    bytes,
    width,
    height,
    durationSeconds,
    animated,
    sha256,
    fileName: `${id}.${mediaTypes[type] ?? 'bin'}`,
    read: (range?: ByteRange): AsyncIterable<Uint8Array> => readStoredFile(ports, name, range),
    /** For a platform that downloads media itself; valid for an hour. */
    publicUrl: () => ports.mediaLinks.publicUrl({ name, type, bytes }),
  };
}

/**
 * Media as it is published: exactly the accepted bytes, or an image derived from them that fits the limits.
 */
type OpenedMedia = ReturnType<typeof toOpenedMedia>;

async function* readStoredFile(
  { mediaFiles }: Pick<Ports, 'mediaFiles'>,
  name: string,
  range?: ByteRange,
): AsyncGenerator<Uint8Array> {
  const stream = await mediaFiles.read(name, range);
  if (!stream) throw new Error('the stored file disappeared while it was published');
  yield* stream;
}

async function* singleChunk(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

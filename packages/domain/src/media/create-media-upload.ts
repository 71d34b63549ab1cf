import type { Call } from '../call.js';
import { refuse } from '../failure.js';
import type { MediaId } from '../ids.js';
import type { AtomicPorts } from '../ports/index.js';
import { ok, type Result } from '../result.js';
import { isMediaType, kindOfMedia, lineageOf, maxBytesOf, mediaTypes, UPLOAD_SECONDS } from './media.js';

interface CreateMediaUpload {
  readonly type: string;
  readonly bytes: number;
  readonly altText?: string | undefined;
}

/** Where and how the bytes are sent, once, without a key. */
interface MediaUpload {
  readonly mediaId: MediaId;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly expiresAt: Date;
}

/** Announces media whose bytes are uploaded later, for example by an agent's own tools or a browser. */
export async function createMediaUpload(
  ports: Pick<AtomicPorts, 'media' | 'mediaLinks' | 'ids' | 'clock'>,
  call: Call,
  { type, bytes, altText }: CreateMediaUpload,
): Promise<Result<MediaUpload, 'media.type_unsupported' | 'request.too_large'>> {
  if (!isMediaType(type)) {
    return refuse('media.type_unsupported', `Possible types: ${Object.keys(mediaTypes).join(', ')}.`);
  }
  if (bytes > maxBytesOf(type)) {
    return refuse(
      'request.too_large',
      `${kindOfMedia(type) === 'image' ? 'An' : 'A'} ${kindOfMedia(type)} may have at most ${maxBytesOf(type)} bytes.`,
      { details: { maxBytes: maxBytesOf(type) } },
    );
  }
  const { workspaceId } = call;
  const mediaId = ports.ids.next('med');
  await ports.media.insert({
    id: mediaId,
    workspaceId,
    status: 'processing',
    source: 'put',
    sourceUrl: null,
    lineage: lineageOf(call),
    declared: { type, bytes },
    file: null,
    altText: altText ?? null,
    error: null,
    createdAt: ports.clock.now(),
  });
  const expiresAt = ports.clock.after(UPLOAD_SECONDS * 1000);
  return ok({
    mediaId,
    url: ports.mediaLinks.uploadUrl({ workspaceId, mediaId }, expiresAt),
    headers: { 'Content-Type': type },
    expiresAt,
  });
}

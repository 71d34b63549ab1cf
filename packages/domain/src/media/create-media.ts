import type { Call } from '../call.js';
import { refuse } from '../failure.js';
import type { AtomicPorts } from '../ports/index.js';
import { ok, type Result } from '../result.js';
import { addMediaFromUrl } from './add-media-from-url.js';
import { lineageOf, type Media, type StoredFile } from './media.js';

/**
 * A file that came with the request and is already stored. A class, so that request data cannot be mistaken
 * for one.
 */
export class ReceivedFile {
  readonly sha256: string;
  readonly bytes: number;
  readonly type: string;
  readonly #file: StoredFile;

  constructor(file: StoredFile) {
    // Only enumerable fields determine whether two requests are the same: the name in the store differs for
    // each upload.
    this.sha256 = file.sha256;
    this.bytes = file.bytes;
    this.type = file.type;
    this.#file = file;
  }

  get stored(): StoredFile {
    return this.#file;
  }
}

export interface CreateMedia {
  readonly file?: ReceivedFile | undefined;
  readonly url?: string | undefined;
  readonly altText?: string | undefined;
}

/** Creates media from a received file, or from a URL that the worker downloads. */
export async function createMedia(
  ports: Pick<AtomicPorts, 'media' | 'jobs' | 'ids' | 'clock'>,
  call: Call,
  { file, url, altText }: CreateMedia,
): Promise<Result<Media, 'request.invalid' | 'media.url_invalid' | 'rate_limit.exceeded'>> {
  if (file === undefined) {
    return url === undefined
      ? refuse('request.invalid', 'Send a file as multipart/form-data, or a url as JSON.')
      : addMediaFromUrl(ports, call, { url, altText });
  }
  if (url !== undefined) return refuse('request.invalid', 'Send a file or a url, not both.');
  const media = {
    id: ports.ids.next('med'),
    workspaceId: call.workspaceId,
    status: 'ready',
    source: 'upload',
    sourceUrl: null,
    lineage: lineageOf(call),
    declared: null,
    file: file.stored,
    altText: altText ?? null,
    error: null,
    createdAt: ports.clock.now(),
  } as const;
  await ports.media.insert(media);
  return ok({ ...media, attempts: 0, inUse: false, lastUsedAt: null });
}

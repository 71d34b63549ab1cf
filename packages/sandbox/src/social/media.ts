import { randomBytes } from 'node:crypto';
import { imageSize } from 'image-size';
import { refusal, type HttpResponse } from '../wire/response.js';
import type { World } from '../world.js';

const IMAGE_BYTES_MAX = 1_000_000;
const IMAGE_PIXELS_A_SIDE_MAX = 4096;
export const VIDEO_BYTES_MAX = 20_000_000;
const DOCUMENT_BYTES_MAX = 20_000_000;

/** An uploaded file. It is not visible until a post uses it. */
export interface Media {
  readonly id: string;
  readonly account_id: string;
  readonly type: string;
  readonly bytes: number;
  readonly width: number | null;
  readonly height: number | null;
  readonly created_at: string;
}

const TYPES: Readonly<Record<string, string>> = {
  jpg: 'image/jpeg',
  png: 'image/png',
  webp: 'image/webp',
  gif: 'image/gif',
};

export function createMediaStore({ clock, files, journal }: World) {
  const known = journal.collection<Media>('social.media');
  return {
    /**
     * Accepts a file, or returns the error. Its type is detected from its bytes, regardless of the declared
     * type.
     */
    create(account: string, bytes: Uint8Array): Media | HttpResponse {
      const facts = detectProperties(bytes);
      const refused = facts ? refusalOf(facts, bytes.length) : unsupported();
      if (!facts || refused) return refused ?? unsupported();
      const media: Media = {
        id: `m${randomBytes(9).toString('hex')}`,
        account_id: account,
        ...facts,
        bytes: bytes.length,
        created_at: clock.now().toISOString(),
      };
      files.write(media.id, bytes);
      known.set(media.id, media);
      return media;
    },
    get: (id: string) => known.get(id),
    bytesOf: (id: string) => (known.get(id) ? files.read(id) : undefined),
  };
}
export type MediaStore = ReturnType<typeof createMediaStore>;

type FileProperties = Pick<Media, 'type' | 'width' | 'height'>;

function detectProperties(bytes: Uint8Array): FileProperties | undefined {
  if (Buffer.from(bytes.subarray(4, 8)).toString('latin1') === 'ftyp') {
    return { type: 'video/mp4', width: null, height: null };
  }
  if (Buffer.from(bytes.subarray(0, 5)).toString('latin1') === '%PDF-') {
    return { type: 'application/pdf', width: null, height: null };
  }
  try {
    const { type: name = '', width, height } = imageSize(bytes);
    const type = TYPES[name];
    return type === undefined ? undefined : { type, width, height };
  } catch {
    return undefined;
  }
}

const BYTES_MAX: Readonly<Record<string, number>> = {
  'video/mp4': VIDEO_BYTES_MAX,
  'application/pdf': DOCUMENT_BYTES_MAX,
};

function refusalOf({ type, width, height }: FileProperties, length: number): HttpResponse | undefined {
  const max = BYTES_MAX[type] ?? IMAGE_BYTES_MAX;
  if (length > max) {
    const message = `A file of this type may have at most ${max} bytes.`;
    return refusal(413, 'media_too_large', message, { limit: max, length });
  }
  if (Math.max(width ?? 0, height ?? 0) > IMAGE_PIXELS_A_SIDE_MAX) {
    const message = `An image may have at most ${IMAGE_PIXELS_A_SIDE_MAX} pixels per side.`;
    return refusal(422, 'media_dimensions_too_large', message, { limit: IMAGE_PIXELS_A_SIDE_MAX });
  }
  return undefined;
}

const unsupported = (): HttpResponse =>
  refusal(415, 'media_type_unsupported', 'Send a JPEG, PNG, WebP or GIF image, an MP4 video, or a PDF.');

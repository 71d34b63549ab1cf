import { ok, type MediaRules, type TextLimits, type Session } from '@switchboard/platform-kit';
import { nullIfNotFound, type AdapterResult } from '@switchboard/platform-kit/platform-client';
import { DEFAULT_LIMITS, DEFAULT_MEDIA } from './manifest.js';
import { instance, type Instance, requestJson } from './wire.js';

export interface ServerLimits {
  readonly textLimits: TextLimits;
  readonly mediaLimits: MediaRules;
}

export const defaults: ServerLimits = { textLimits: DEFAULT_LIMITS, mediaLimits: DEFAULT_MEDIA };

/**
 * The current limits of the account's server. A server that reports none, such as one before 4.0, has the
 * default limits.
 */
export async function readLimits(session: Session): AdapterResult<ServerLimits> {
  const result = await requestJson(session, '/api/v2/instance', instance, nullIfNotFound);
  return result.ok ? ok(result.value ? limitsOf(result.value) : defaults) : result;
}

function limitsOf({ configuration: { statuses, media_attachments: media } }: Instance): ServerLimits {
  const { max_characters: max, characters_reserved_per_url: perLink } = statuses;
  return {
    textLimits: { max, perLink: perLink ?? DEFAULT_LIMITS.perLink },
    mediaLimits: mediaLimits(statuses.max_media_attachments ?? DEFAULT_MEDIA.max, media ?? {}),
  };
}

type WireMediaLimits = NonNullable<Instance['configuration']['media_attachments']>;

function mediaLimits(max: number, reported: WireMediaLimits): MediaRules {
  const { images, videos } = DEFAULT_MEDIA;
  const types = reported.supported_mime_types ?? [...images.types, ...videos.types];
  const imageTypes = types.filter((type) => type.startsWith('image/'));
  const videoTypes = types.filter((type) => type.startsWith('video/'));
  return {
    ...DEFAULT_MEDIA,
    max,
    images:
      imageTypes.length > 0
        ? {
            max,
            types: imageTypes,
            maxBytes: maxBelow(reported.image_size_limit) ?? images.maxBytes,
            maxPixels: reported.image_matrix_limit ?? images.maxPixels,
          }
        : null,
    videos:
      videoTypes.length > 0
        ? {
            max: 1,
            types: videoTypes,
            maxBytes: maxBelow(reported.video_size_limit) ?? videos.maxBytes,
          }
        : null,
    altTextMax: reported.description_limit ?? DEFAULT_MEDIA.altTextMax,
  };
}

/** A file as large as the limit is refused (`validates_attachment_size less_than:`). */
const maxBelow = (limit: number | null | undefined): number | null => (limit == null ? null : limit - 1);

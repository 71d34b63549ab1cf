import { ok, type MediaRules, type Session, type TextLimits } from '@switchboard/domain';
import { ask, type Answer } from '../kit/answers.js';
import { DEFAULT_LIMITS, DEFAULT_MEDIA } from './manifest.js';
import { dialect, instance, type Instance } from './wire.js';

export interface Limits {
  readonly textLimits: TextLimits;
  readonly mediaLimits: MediaRules;
}

export const defaults: Limits = { textLimits: DEFAULT_LIMITS, mediaLimits: DEFAULT_MEDIA };

/** What the account's server takes now. One that does not say, such as one from before 4.0, has the limits that it was shipped with. */
export async function readLimits(session: Session): Answer<Limits> {
  const told = await ask(
    session,
    dialect,
    { method: 'GET', path: '/api/v2/instance', effect: 'read' },
    instance,
    (_words, { status }) => (status === 404 ? ok(null) : undefined),
  );
  return told.ok ? ok(told.value ? limitsOf(told.value) : defaults) : told;
}

function limitsOf({ configuration: { statuses, media_attachments: media } }: Instance): Limits {
  const { max_characters: max, characters_reserved_per_url: perLink } = statuses;
  return {
    textLimits: { max, perLink: perLink ?? DEFAULT_LIMITS.perLink },
    mediaLimits: mediaLimits(statuses.max_media_attachments ?? DEFAULT_MEDIA.max, media ?? {}),
  };
}

type ToldOfMedia = NonNullable<Instance['configuration']['media_attachments']>;

function mediaLimits(max: number, told: ToldOfMedia): MediaRules {
  const { images, videos } = DEFAULT_MEDIA;
  const types = told.supported_mime_types ?? [...images.types, ...videos.types];
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
            maxBytes: fewerThan(told.image_size_limit) ?? images.maxBytes,
            maxPixels: told.image_matrix_limit ?? images.maxPixels,
          }
        : null,
    videos:
      videoTypes.length > 0
        ? {
            max: 1,
            types: videoTypes,
            maxBytes: fewerThan(told.video_size_limit) ?? videos.maxBytes,
          }
        : null,
    altTextMax: told.description_limit ?? DEFAULT_MEDIA.altTextMax,
  };
}

/** A file as large as the limit is refused (`validates_attachment_size less_than:`). */
const fewerThan = (limit: number | null | undefined): number | null => (limit == null ? null : limit - 1);

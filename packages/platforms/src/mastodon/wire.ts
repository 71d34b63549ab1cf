import { z } from 'zod';
import { createPlatformClient, type ErrorMapping } from '@switchboard/platform-kit/platform-client';
import { manifest } from './manifest.js';

const errorBody = z.object({ error: z.string(), error_description: z.string().nullish() });

export const errorMapping: ErrorMapping = {
  name: manifest.name,
  parseError(response) {
    const parsed = errorBody.safeParse(response.json);
    // A proxy in front of the server (nginx) responds in HTML; it is certain nevertheless that nothing was
    // stored.
    if (!parsed.success) return response.status === 413 ? { message: 'Content Too Large' } : null;
    const { error, error_description: description } = parsed.data;
    return description ? { code: error, message: description } : { message: error };
  },
  classify(response, words) {
    // 403 also means a suspended login or a status that may not be accessed: a new consent would not help
    // then.
    const aboutScopes = response.status === 403 && /scope/i.test(`${words.code} ${words.message}`);
    return aboutScopes ? 'platform.permission_missing' : 'platform.refused';
  },
};

export const { exists, remove, requestJson } = createPlatformClient(errorMapping);

/** Opaque: other software than Mastodon issues UUIDs and other formats. */
const id = z.string().min(1);
const count = z.int().nonnegative().nullish();

export const ownAccount = z.object({
  id,
  username: z.string(),
  display_name: z.string().nullish(),
  avatar: z.string().nullish(),
  url: z.string().nullish(),
});

export const account = z.object({ followers_count: count });

export const status = z.object({
  id,
  uri: z.string().nullish(),
  url: z.string().nullish(),
  created_at: z.iso.datetime({ offset: true }),
  visibility: z.string().nullish(),
  in_reply_to_id: id.nullish(),
  media_attachments: z.array(z.unknown()).nullish(),
  favourites_count: count,
  replies_count: count,
  reblogs_count: count,
});
/** With the fields that distinguish statuses: a list without them proves nothing. */
export const statuses = z.array(
  status.extend({
    in_reply_to_id: id.nullable(),
    media_attachments: z.array(z.object({ id: z.string().nullish() })),
    sensitive: z.boolean().nullish(),
    language: z.string().nullish(),
  }),
);
/** What an edit has to repeat. */
export const keptWithEdit = z.object({
  sensitive: z.boolean(),
  media_attachments: z.array(z.object({ id })),
});

export type FoundStatus = z.infer<typeof status>;
export type ListedStatus = z.infer<typeof statuses>[number];

/** As shown in the list of an account. */
export const accountStatuses = z.array(
  status.extend({ in_reply_to_id: id.nullable(), content: z.string(), reblog: z.unknown().optional() }),
);

/** `GET /api/v1/statuses/:id/source`: the original text before its conversion to HTML. */
export const source = z.object({ text: z.string(), spoiler_text: z.string().nullish() });

const limit = z.int().positive().nullish();

export const instance = z.object({
  configuration: z.object({
    statuses: z.object({
      max_characters: z.int().positive(),
      characters_reserved_per_url: limit,
      max_media_attachments: limit,
    }),
    media_attachments: z
      .object({
        supported_mime_types: z.array(z.string()).nullish(),
        image_size_limit: limit,
        image_matrix_limit: limit,
        video_size_limit: limit,
        description_limit: limit,
      })
      .nullish(),
  }),
});
export type Instance = z.infer<typeof instance>;

/** Of media; `url` is null while it is being processed. */
export const attachment = z.object({ id, url: z.string().nullish() });

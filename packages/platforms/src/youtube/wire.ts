import { z } from 'zod';
import { createPlatformClient, type ErrorMapping } from '@switchboard/platform-kit/platform-client';
import { manifest } from './manifest.js';

const error = z.object({
  error: z.object({
    message: z.string(),
    errors: z.array(z.object({ reason: z.string().nullish(), message: z.string().nullish() })).nullish(),
    status: z.string().nullish(),
  }),
});

/** Errors that time resolves within a day or less. */
const LATER = [
  ...['quotaExceeded', 'dailyLimitExceeded', 'uploadLimitExceeded'],
  ...['rateLimitExceeded', 'userRateLimitExceeded', 'uploadRateLimitExceeded'],
];

export const errorMapping: ErrorMapping = {
  name: manifest.name,
  parseError(response) {
    const parsed = error.safeParse(response.json);
    if (!parsed.success) return null;
    const { message, errors, status } = parsed.data.error;
    const [first] = errors ?? [];
    // Some of Google's messages are HTML.
    const stated = (first?.message ?? message).replace(/<[^<>]*>/g, '');
    return { code: first?.reason ?? status ?? undefined, message: stated };
  },
  classify(_answer, { code = '' }) {
    if (LATER.includes(code)) return 'platform.rate_limited';
    return code === 'insufficientPermissions' ? 'platform.permission_missing' : 'platform.refused';
  },
};

export const { remove, requestJson, requestResponse } = createPlatformClient(errorMapping);

/** Google writes 64-bit integers as strings. */
const count = z
  .string()
  .regex(/^\d{1,15}$/)
  .transform(Number)
  .nullish();
const time = z.iso.datetime({ offset: true });
const next = z.string().nullish();

export const channels = z.object({
  items: z
    .array(
      z.object({
        id: z.string(),
        snippet: z
          .object({
            title: z.string(),
            customUrl: z.string().nullish(),
            thumbnails: z.object({ default: z.object({ url: z.string() }).nullish() }).nullish(),
          })
          .nullish(),
        contentDetails: z.object({ relatedPlaylists: z.object({ uploads: z.string() }) }).nullish(),
        statistics: z
          .object({ subscriberCount: count, hiddenSubscriberCount: z.boolean().nullish() })
          .nullish(),
      }),
    )
    // Omitted for a Google account without a channel.
    .nullish()
    .transform((items) => items ?? []),
  kind: z.string(),
});

/** Any value may be new: an unknown one does not count as success. */
export const video = z.object({
  id: z.string(),
  status: z
    .object({
      uploadStatus: z.string().nullish(),
      privacyStatus: z.string().nullish(),
      failureReason: z.string().nullish(),
      rejectionReason: z.string().nullish(),
    })
    .nullish(),
});
export type Video = z.infer<typeof video>;

export const videos = z.object({ kind: z.string(), items: z.array(video).nullish() });

/** With the list that a response without a video has as well. */
export const listedVideos = z.object({ items: z.array(video) });

/** What an update of the snippet has to repeat. */
const described = z.object({
  id: z.string(),
  snippet: z.object({
    title: z.string(),
    description: z.string().nullish(),
    categoryId: z.string(),
    tags: z.array(z.string()).optional(),
    defaultLanguage: z.string().optional(),
    defaultAudioLanguage: z.string().optional(),
  }),
});
export type DescribedVideo = z.infer<typeof described>;
export const describedVideos = z.object({ items: z.array(described) });
export const identified = z.object({ id: z.string() });

/** Those of the channel itself, with the time at which each became public. */
export const publishedUploads = z.object({
  items: z.array(
    z.object({
      snippet: z.object({ title: z.string(), resourceId: z.object({ videoId: z.string() }) }),
      contentDetails: z.object({ videoPublishedAt: time.nullish() }).nullish(),
      status: z.object({ privacyStatus: z.string().nullish() }).nullish(),
    }),
  ),
  nextPageToken: next,
});

export const uploads = z.object({
  items: z.array(
    z.object({
      snippet: z.object({
        title: z.string(),
        description: z.string().nullish(),
        publishedAt: time,
        resourceId: z.object({ videoId: z.string() }),
      }),
    }),
  ),
  nextPageToken: next,
});

const comment = z.object({
  id: z.string(),
  snippet: z.object({
    textOriginal: z.string().nullish(),
    textDisplay: z.string().nullish(),
    authorChannelId: z.object({ value: z.string() }).nullish(),
    publishedAt: time,
  }),
});

/** The text of comments, which a comment held for review is not among. */
export const writtenComments = z.object({
  items: z.array(z.object({ id: z.string(), snippet: z.object({ textOriginal: z.string().nullish() }) })),
});
export const identifiedComments = z.object({ items: z.array(z.object({ id: z.string() })) });

export const thread = z.object({
  id: z.string(),
  snippet: z
    .object({
      topLevelComment: z
        .object({ snippet: z.object({ moderationStatus: z.string().nullish() }).nullish() })
        .nullish(),
    })
    .nullish(),
});
export const threads = z.object({
  items: z.array(z.object({ snippet: z.object({ topLevelComment: comment }) })),
  nextPageToken: next,
});

export const counted = z.object({
  items: z.array(
    z.object({
      id: z.string(),
      statistics: z.object({ viewCount: count, likeCount: count, commentCount: count }).nullish(),
    }),
  ),
});
export type CountedVideo = z.infer<typeof counted>['items'][number];

/** Without rows if there is no data. */
export const report = z.object({
  columnHeaders: z.array(z.object({ name: z.string() })),
  rows: z.array(z.array(z.union([z.string(), z.number(), z.null()]))).nullish(),
});

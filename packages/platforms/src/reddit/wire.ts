import { z } from 'zod';
import {
  createPlatformClient,
  type ErrorMapping,
  type PlatformError,
} from '@switchboard/platform-kit/platform-client';
import { manifest } from './manifest.js';

/** A code, a message for users, and the field that they concern. */
const wireError = z.tuple([z.string()], z.unknown());
type WireError = z.infer<typeof wireError>;

/** Every submission has this response, also a refused one with a 200 (`api_type=json`). */
export const submitted = z.object({
  json: z.object({
    errors: z.array(wireError),
    /** Seconds. */
    ratelimit: z.number().nullish().catch(null),
    data: z.unknown().optional(),
  }),
});

export const toPlatformError = ([code, words]: WireError): PlatformError => ({
  code,
  message: typeof words === 'string' && words !== '' ? words : code,
});

/** Newer endpoints return a reason and an explanation, older ones the HTTP status text. */
const refusal = z.object({
  message: z.string(),
  reason: z.string().nullish().catch(null),
  explanation: z.string().nullish().catch(null),
});

export const errorMapping: ErrorMapping = {
  name: manifest.name,
  parseError({ json }) {
    const [error] = submitted.safeParse(json).data?.json.errors ?? [];
    if (error) return toPlatformError(error);
    const parsed = refusal.safeParse(json).data;
    return parsed
      ? { code: parsed.reason ?? undefined, message: parsed.explanation ?? parsed.message }
      : null;
  },
  classify: ({ status, headers }) =>
    status === 403 && /insufficient_scope/.test(headers['www-authenticate'] ?? '')
      ? 'platform.permission_missing'
      : 'platform.refused',
};

export const { requestJson } = createPlatformClient(errorMapping);

const count = z.int();
const fullname = (kind: string) => z.string().regex(new RegExp(`^${kind}_.`));

export const me = z.object({
  id: z.string().min(1),
  name: z.string(),
  icon_img: z.string().nullish(),
  subreddit: z.object({ title: z.string().nullish(), subscribers: count.nullish() }).nullish(),
});

const listingOf = <Data extends z.ZodType>(kind: string, data: Data) =>
  z.object({
    data: z.object({
      after: z.string().nullish(),
      children: z.array(z.object({ kind: z.literal(kind), data })),
    }),
  });

/**
 * For removed posts, which their author still sees: posts have a public `removed_by_category`; the other
 * fields are present only if the account moderates the subreddit. https://github.com/praw-dev/praw, recorded
 * responses of 2025-05.
 */
const removal = {
  removed_by_category: z.string().nullish(),
  removed: z.boolean().nullish(),
  spam: z.boolean().nullish(),
};
export type Removal = z.infer<z.ZodObject<typeof removal>>;

/** What a post is counted by. */
const counts = {
  score: count.nullish(),
  num_comments: count.nullish(),
  num_crossposts: count.nullish(),
};

const listedPost = z.object({
  ...removal,
  ...counts,
  name: fullname('t3'),
  subreddit: z.string(),
  title: z.string(),
  selftext: z.string(),
  permalink: z.string().startsWith('/'),
  created_utc: z.number(),
  is_self: z.boolean(),
  over_18: z.boolean().nullish(),
  link_flair_text: z.string().nullish(),
  link_flair_template_id: z.string().nullish(),
  spoiler: z.boolean().nullish(),
  send_replies: z.boolean().nullish(),
  /** The target of a link, or the URL of media that Reddit hosts. */
  url: z.string().nullish(),
  gallery_data: z.object({ items: z.array(z.object({ media_id: z.string() })) }).nullish(),
  crosspost_parent: z.string().nullish(),
});
export type ListedPost = z.infer<typeof listedPost>;
export const posts = listingOf('t3', listedPost);

const listedComment = z.object({
  ...removal,
  name: fullname('t1'),
  link_id: fullname('t3'),
  parent_id: z.string(),
  body: z.string(),
  created_utc: z.number(),
  permalink: z.string().startsWith('/').nullish(),
});
export type ListedComment = z.infer<typeof listedComment>;
export const comments = listingOf('t1', listedComment);

/** A deleted one is still returned, without an author. */
const countedPost = z.object({
  name: fullname('t3'),
  author: z.string(),
  ...counts,
});
export type CountedPost = z.infer<typeof countedPost>;
export const countedPosts = listingOf('t3', countedPost);

/** A post or a comment, with what reports that it was removed. */
export const authored = z.object({
  data: z.object({
    children: z.array(z.object({ data: z.object({ ...removal, name: z.string(), author: z.string() }) })),
  }),
});
/** The text of a post or of a comment. */
export const written = z.object({
  data: z.object({
    children: z.array(
      z.object({
        data: z.object({
          name: z.string(),
          author: z.string(),
          selftext: z.string().nullish(),
          body: z.string().nullish(),
        }),
      }),
    ),
  }),
});
export const editedThings = z.object({
  things: z.tuple([z.object({ data: z.object({ name: z.string() }) })]),
});
/** The author of what its author has deleted. */
export const DELETED_AUTHOR = '[deleted]';

/** A form's `id` is the short ID; a gallery's `id` is the fullname. */
export const createdPost = z.object({ url: z.url(), id: z.string(), name: fullname('t3').nullish() });
/** A websocket reports the outcome of media, asynchronously. */
export const acceptedMedia = z.object({ websocket_url: z.string().nullable() });
export const createdComment = z.object({ things: z.tuple([z.object({ data: listedComment })]) });

export const lease = z.object({
  args: z.object({
    action: z.string(),
    fields: z.array(z.object({ name: z.string(), value: z.string() })),
  }),
  asset: z.object({ asset_id: z.string().min(1) }),
});

const subreddit = z.object({
  display_name: z.string(),
  subreddit_type: z.string(),
  /** For a restricted subreddit: false if only comments are restricted. */
  restrict_posting: z.boolean().nullish(),
  submission_type: z.string().nullish(),
  allow_images: z.boolean().nullish(),
  allow_galleries: z.boolean().nullish(),
  allow_videos: z.boolean().nullish(),
  spoilers_enabled: z.boolean().nullish(),
  link_flair_enabled: z.boolean().nullish(),
  user_is_banned: z.boolean().nullish(),
  user_is_contributor: z.boolean().nullish(),
  user_is_moderator: z.boolean().nullish(),
});
export type Subreddit = z.infer<typeof subreddit>;
export const subreddits = listingOf('t5', subreddit);
export const about = z.object({ kind: z.literal('t5'), data: subreddit });

const words = z.array(z.string()).nullish();
export const requirements = z.object({
  is_flair_required: z.boolean().nullish(),
  title_text_min_length: count.nullish(),
  title_text_max_length: count.nullish(),
  title_required_strings: words,
  body_restriction_policy: z.string().nullish(),
  body_text_min_length: count.nullish(),
  body_text_max_length: count.nullish(),
  body_required_strings: words,
  link_restriction_policy: z.string().nullish(),
  domain_whitelist: words,
  domain_blacklist: words,
  gallery_min_items: count.nullish(),
  gallery_max_items: count.nullish(),
});
export type Requirements = z.infer<typeof requirements>;

export const flairs = z.array(z.object({ id: z.string().min(1), text: z.string() }));

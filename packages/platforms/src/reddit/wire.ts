import { z } from 'zod';
import type { ErrorMapping, PlatformError } from '../kit/platform-client.js';
import { manifest } from './manifest.js';

/** A code, words for people, and the field that they are about. */
const wireError = z.tuple([z.string()], z.unknown());
export type WireError = z.infer<typeof wireError>;

/** Everything that is submitted is answered so, with a 200 also where it was refused (`api_type=json`). */
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

/** Newer endpoints give a reason and explain it, older ones have the words of HTTP. */
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
 * Of what a filter or a moderator took away, which its author goes on seeing: posts by `removed_by_category`, to everybody; the
 * others only where the account moderates the subreddit. https://github.com/praw-dev/praw, recorded answers of 2025-05.
 */
const removal = {
  removed_by_category: z.string().nullish(),
  removed: z.boolean().nullish(),
  spam: z.boolean().nullish(),
};
export type Removal = z.infer<z.ZodObject<typeof removal>>;

const listedPost = z.object({
  ...removal,
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
  /** Where a link leads, or what Reddit hosts lies. */
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

/** One that was deleted is still told of, by nobody. */
const countedPost = z.object({
  name: fullname('t3'),
  author: z.string(),
  score: count.nullish(),
  num_comments: count.nullish(),
  num_crossposts: count.nullish(),
});
export type CountedPost = z.infer<typeof countedPost>;
export const countedPosts = listingOf('t3', countedPost);

/** A form calls an id what a gallery calls its fullname. */
export const createdPost = z.object({ url: z.url(), id: z.string(), name: fullname('t3').nullish() });
/** What becomes of media is told by a websocket, in a while. */
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
  /** Of a restricted subreddit: false where only who comments is restricted. */
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

/** Of a request whose answer says nothing that we need. */
export const anything = z.unknown();

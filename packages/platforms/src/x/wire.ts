import { quotePlatform, refuse } from '@switchboard/domain';
import { z } from 'zod';
import { speaking, type Dialect } from '../kit/answers.js';
import { manifest } from './manifest.js';

/** RFC 7807; what is wrong with a parameter stands in `errors`. */
const problem = z.object({
  title: z.string(),
  detail: z.string().nullish(),
  errors: z.array(z.object({ message: z.string().nullish() })).nullish(),
});

export const dialect: Dialect = {
  name: manifest.name,
  words(answer) {
    const parsed = problem.safeParse(answer.json);
    if (!parsed.success) return null;
    const { title, detail, errors } = parsed.data;
    return { code: title, message: errors?.[0]?.message ?? detail ?? title };
  },
  // A 403 in words of its own is about the post; one that only says so is about what the token may do.
  meaning: (answer, { message }) =>
    answer.status === 403 && message === 'Forbidden' ? 'platform.permission_missing' : 'platform.refused',
};

const NO_CREDITS_SECONDS = 3_600;

/**
 * Everything is paid for in advance. What is spent is no fault of what was asked, and mended by whoever runs this: it is asked
 * again until then.
 */
export const { ask } = speaking(dialect, {
  explained: ({ code, message }, { status }) =>
    status === 402 || code === 'SpendCapReached'
      ? refuse(
          'platform.unavailable',
          'The credits of the app at X are spent. Whoever runs this service buys more, or raises its limit, at console.x.com.',
          {
            platform: quotePlatform(dialect.name, message, code),
            retryAfterSeconds: NO_CREDITS_SECONDS,
          },
        )
      : undefined,
});

/** Sixty-four bits and more than JSON's numbers hold, so that X writes them as texts. */
const id = z.string().regex(/^\d{1,19}$/);
const count = z.int().nonnegative().nullish();

export const me = z.object({
  data: z.object({
    id,
    username: z.string(),
    name: z.string().nullish(),
    profile_image_url: z.string().nullish(),
    subscription_type: z.string().nullish(),
    public_metrics: z.object({ followers_count: count }).nullish(),
  }),
});

export const created = z.object({ data: z.object({ id }) });

export const removed = z.object({ data: z.object({ deleted: z.boolean() }) });

const attachments = z.object({ media_keys: z.array(z.string()).nullish() }).nullish();

const entities = z
  .object({
    urls: z
      .array(
        z.object({ url: z.string(), expanded_url: z.string().nullish(), media_key: z.string().nullish() }),
      )
      .nullish(),
  })
  .nullish();

const listed = z.object({
  id,
  text: z.string(),
  created_at: z.iso.datetime({ offset: true }),
  referenced_tweets: z.array(z.object({ type: z.string(), id })).nullish(),
  attachments,
  entities,
  /** All of a long text, of which `text` is the beginning. */
  note_tweet: z.object({ text: z.string(), entities }).nullish(),
});
export type ListedPost = z.infer<typeof listed>;

export const timeline = z.object({
  data: z.array(listed).nullish(),
  meta: z.object({ result_count: z.int().nonnegative(), next_token: z.string().nullish() }),
});

/** X began to say repost for retweet; either is read. */
const counted = z.object({
  id,
  public_metrics: z.object({
    impression_count: count,
    like_count: count,
    reply_count: count,
    retweet_count: count,
    repost_count: count,
    quote_count: count,
    bookmark_count: count,
  }),
  non_public_metrics: z.object({ url_link_clicks: count }).nullish(),
  attachments,
});
/** Without `data` when none of them is there any more, or may be seen with all that was asked for. */
export const countedPosts = z
  .object({
    data: z.array(counted).nullish(),
    includes: z
      .object({
        media: z
          .array(
            z.object({
              media_key: z.string(),
              public_metrics: z.object({ view_count: count }).nullish(),
            }),
          )
          .nullish(),
      })
      .nullish(),
    errors: z.array(z.object({ type: z.string().nullish() })).nullish(),
  })
  .refine(({ data, errors }) => data || errors);
export type CountedPost = z.infer<typeof counted>;

export const upload = z.object({
  data: z.object({
    id,
    processing_info: z
      .object({ state: z.string().nullish(), check_after_secs: z.number().nonnegative().nullish() })
      .nullish(),
  }),
});

/** Of a write whose answer says nothing that we need. */
export const anything = z.unknown();

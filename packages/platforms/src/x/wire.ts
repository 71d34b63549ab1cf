import { quotePlatform, refuse } from '@switchboard/platform-kit';
import { z } from 'zod';
import {
  createPlatformClient,
  type ErrorMapping,
  type PlatformError,
} from '@switchboard/platform-kit/platform-client';
import { manifest } from './manifest.js';

/**
 * RFC 7807, where invalid parameters are in `errors`; or `errors` alone, each with a code, as the gateway in
 * front of the API responds (code 453: github.com/tweepy/tweepy/issues/2137).
 */
const problem = z.object({
  title: z.string().nullish(),
  detail: z.string().nullish(),
  errors: z
    .array(
      z.object({
        code: z.union([z.int(), z.string()]).nullish(),
        message: z.string().nullish(),
        detail: z.string().nullish(),
      }),
    )
    .nullish(),
});

/** Null for a body without an error. */
function wordsOf({ title, detail, errors }: z.infer<typeof problem>): PlatformError | null {
  const [first] = errors ?? [];
  const message = first?.message ?? detail ?? first?.detail ?? title;
  const code = title ?? first?.code?.toString();
  return message == null ? null : { message, ...(code !== undefined && { code }) };
}

/** The app's access level does not include the endpoint. */
const WRONG_ACCESS_LEVEL = '453';

export const errorMapping: ErrorMapping = {
  name: manifest.name,
  parseError(response) {
    const parsed = problem.safeParse(response.json);
    return parsed.success ? wordsOf(parsed.data) : null;
  },
  // A 403 with its own message concerns the post; a generic one concerns the permissions of the token.
  classify: (response, { message }) =>
    response.status === 403 && message === 'Forbidden' ? 'platform.permission_missing' : 'platform.refused',
};

const NO_CREDITS_SECONDS = 3_600;

/**
 * Everything is prepaid. Spent credits are not an error of the request, and the operator has to resolve it:
 * the request is retried until then.
 */
export const { requestJson } = createPlatformClient(errorMapping, {
  explainError({ code, message }, { status }) {
    const platform = quotePlatform(errorMapping.name, message, code);
    if (code === WRONG_ACCESS_LEVEL) {
      return refuse(
        'platform.refused',
        'The access level of the app at X does not include this request. Change it at console.x.com.',
        { platform },
      );
    }
    return status === 402 || code === 'SpendCapReached'
      ? refuse(
          'platform.unavailable',
          'The app has no credits left at X. The operator must buy more, or raise the limit, at console.x.com.',
          { platform, retryAfterSeconds: NO_CREDITS_SECONDS },
        )
      : undefined;
  },
});

/** Beyond the range of JSON numbers, so X writes them as strings. */
const id = z.string().min(1);
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

const references = z.array(z.object({ type: z.string(), id })).nullish();
const note = z.object({ text: z.string(), entities }).nullish();

/**
 * X renamed tweets to posts in its description of 2026-08-07 (types of npm `@xdevplatform/xdk` 0.6.6): either
 * name is read.
 */
const listed = z
  .object({
    id,
    text: z.string(),
    created_at: z.iso.datetime({ offset: true }).nullish(),
    conversation_id: id.nullish(),
    referenced_tweets: references,
    referenced_posts: references,
    attachments,
    entities,
    note_tweet: note,
    note_post: note,
    reply_settings: z.string().nullish(),
    community_id: id.nullish(),
    paid_partnership: z.boolean().nullish(),
  })
  .transform(({ referenced_tweets, referenced_posts, note_tweet, note_post, ...post }) => ({
    ...post,
    /** What the post replies to and quotes; null if X does not report it. */
    references: referenced_tweets ?? referenced_posts ?? null,
    /** The complete long text, of which `text` is the beginning. */
    note: note_tweet ?? note_post ?? null,
  }));
export type ListedPost = z.infer<typeof listed>;

/** `errors` contains existing posts that X does not return. */
export const timeline = z.object({
  data: z.array(listed).nullish(),
  meta: z.object({ result_count: z.int().nonnegative().nullish(), next_token: z.string().nullish() }),
  errors: z.array(z.unknown()).nullish(),
});

const problems = z
  .array(
    z.object({
      type: z.string().nullish(),
      field: z.string().nullish(),
      resource_id: z.string().nullish(),
    }),
  )
  .nullish();

/** Posts by their ids; X states a problem for each that it does not return. */
export const namedPosts = z
  .object({ data: z.array(z.object({ id })).nullish(), errors: problems })
  .refine(({ data, errors }) => data || errors);

/** X started to use repost for retweet; either is read. */
const counted = z.object({
  id,
  public_metrics: z
    .object({
      impression_count: count,
      like_count: count,
      reply_count: count,
      retweet_count: count,
      repost_count: count,
      quote_count: count,
      bookmark_count: count,
    })
    .nullish(),
  non_public_metrics: z.object({ url_link_clicks: count }).nullish(),
  attachments,
});
/** Without `data` if none of them exists any longer, or may be read with all requested fields. */
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
    errors: problems,
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

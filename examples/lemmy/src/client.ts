import { ok, type PlatformResponse, type Session } from '@switchboard/platform-kit';
import { createPlatformClient, type AdapterResult } from '@switchboard/platform-kit/platform-client';
import { z } from 'zod';

export const id = z.int().positive();
const time = z.iso.datetime({ offset: true });
const error = z.object({ error: z.string(), message: z.string().optional() });

const postFields = z.object({
  id,
  name: z.string(),
  body: z.string().nullish(),
  url: z.string().nullish(),
  nsfw: z.boolean(),
  deleted: z.boolean(),
  removed: z.boolean(),
  published: time,
  ap_id: z.url(),
  community_id: id,
});
const postView = z.object({
  post: postFields,
  counts: z.object({ upvotes: z.int(), comments: z.int() }),
});
const commentView = z.object({
  comment: z.object({
    id,
    content: z.string(),
    post_id: id,
    path: z.string().regex(/^0(\.\d+)+$/),
    deleted: z.boolean(),
    removed: z.boolean(),
    published: time,
    ap_id: z.url(),
  }),
});
export type PostView = z.infer<typeof postView>;
export type CommentView = z.infer<typeof commentView>;

export const onePost = z.object({ post_view: postView });
export const oneComment = z.object({ comment_view: commentView });
export const activity = z.object({ posts: z.array(postView), comments: z.array(commentView) });
export type Activity = z.infer<typeof activity>;
export const communities = z.object({
  communities: z.array(
    z.object({
      community: z.object({ id, name: z.string(), title: z.string(), actor_id: z.url() }),
    }),
  ),
});
export const site = z.object({
  my_user: z.object({
    local_user_view: z.object({
      person: z.object({
        id,
        name: z.string(),
        display_name: z.string().nullish(),
        avatar: z.string().nullish(),
        actor_id: z.url(),
      }),
    }),
  }),
});

const errorMapping = {
  name: 'Lemmy',
  parseError(response: PlatformResponse) {
    const parsed = error.safeParse(response.json).data;
    return parsed ? { code: parsed.error, message: parsed.message ?? parsed.error } : null;
  },
  classify(_response: PlatformResponse, { code }: { readonly code?: string | undefined }) {
    if (code === 'rate_limit_error') return 'platform.rate_limited';
    return code === 'not_logged_in' || code === 'incorrect_login'
      ? 'connection.needs_reauth'
      : 'platform.refused';
  },
} as const;

export const { requestJson } = createPlatformClient(errorMapping);

/**
 * Reads as the account: a server ignores an invalid token and answers as to anyone, so that it is checked first.
 */
export async function readJson<Value, Own extends Awaited<AdapterResult<unknown>> = never>(
  session: Session,
  path: string,
  query: Readonly<Record<string, string | number>>,
  schema: z.ZodType<Value>,
  onRefusal?: (words: { readonly code?: string | undefined }) => Own | undefined,
) {
  const checked = await requestJson(
    session,
    '/api/v3/user/validate_auth',
    z.object({ success: z.literal(true) }),
  );
  return checked.ok ? requestJson(session, { path, query }, schema, onRefusal) : checked;
}

export const whenMissing =
  (...codes: readonly string[]) =>
  ({ code }: { readonly code?: string | undefined }) =>
    codes.includes(code ?? '') ? ok(null) : undefined;

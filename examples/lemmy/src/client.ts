import { ok, type Session } from '@switchboard/platform-kit';
import { createPlatformClient, type AdapterResult } from '@switchboard/platform-kit/platform-client';
import { z } from 'zod';

const refusal = z.object({ error: z.string(), message: z.string().optional() });

export const { requestJson } = createPlatformClient({
  name: 'Lemmy',
  parseError(response) {
    const parsed = refusal.safeParse(response.json).data;
    return parsed ? { code: parsed.error, message: parsed.message ?? parsed.error } : null;
  },
  classify(_response, { code }) {
    if (code === 'rate_limit_error') return 'platform.rate_limited';
    return code === 'not_logged_in' || code === 'incorrect_login'
      ? 'connection.needs_reauth'
      : 'platform.refused';
  },
});

export const id = z.int().positive();
const stored = z.object({
  id,
  deleted: z.boolean(),
  removed: z.boolean(),
  published: z.iso.datetime({ offset: true }),
  ap_id: z.url(),
});
const postView = z.object({
  post: stored.extend({
    name: z.string(),
    body: z.string().nullish(),
    url: z.string().nullish(),
    nsfw: z.boolean(),
    community_id: id,
  }),
  counts: z.object({ upvotes: z.int(), comments: z.int() }),
});
const commentView = z.object({
  comment: stored.extend({ content: z.string(), post_id: id, path: z.string().regex(/^0(\.\d+)+$/) }),
});
export type PostView = z.infer<typeof postView>;
export type CommentView = z.infer<typeof commentView>;
export const onePost = z.object({ post_view: postView });
export const oneComment = z.object({ comment_view: commentView });
export const activity = z.object({ posts: z.array(postView), comments: z.array(commentView) });

export const whenMissing = ({ code }: { readonly code?: string | undefined }) =>
  /^couldnt_(find|update)_/.test(code ?? '') ? ok(null) : undefined;

/** A server ignores an invalid token and answers as to anyone, so that it is checked first. */
export async function readJson<Value, Own extends Awaited<AdapterResult<unknown>> = never>(
  session: Session,
  path: string,
  query: Readonly<Record<string, string | number>>,
  schema: z.ZodType<Value>,
  onRefusal?: (words: { readonly code?: string | undefined }) => Own | undefined,
) {
  const valid = z.object({ success: z.literal(true) });
  const checked = await requestJson(session, '/api/v3/user/validate_auth', valid);
  return checked.ok ? requestJson(session, { path, query }, schema, onRefusal) : checked;
}

/** The newest posts and comments of the account: a page counts each of the lists. */
export const listActivity = (session: Session, page: number, limit: number) =>
  readJson(session, '/api/v3/user', { person_id: session.account.id, sort: 'New', page, limit }, activity);

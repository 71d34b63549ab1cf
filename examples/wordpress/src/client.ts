import { ok, type PlatformResponse, type Session } from '@switchboard/platform-kit';
import { createPlatformClient } from '@switchboard/platform-kit/platform-client';
import { z } from 'zod';

/** Pages of posts with their texts. */
const BYTES_MAX = 16 * 1024 * 1024;

const id = z.int().positive();
/** Without a zone: https://developer.wordpress.org/rest-api/reference/posts/#schema-date_gmt */
const time = z.string().regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/);
const raw = z.object({ raw: z.string() });

export const account = z.object({
  id,
  name: z.string().nullish(),
  username: z.string().min(1),
  link: z.url().nullish(),
  avatar_urls: z.record(z.string(), z.string()).nullish(),
});
const postStatus = z.enum([
  'publish',
  'future',
  'draft',
  'pending',
  'private',
  'trash',
  'auto-draft',
  'inherit',
]);
/** `post-trashed`: below a post in the trash. */
const commentStatus = z.enum(['approved', 'hold', 'spam', 'trash', 'post-trashed']);
export const post = z.object({
  id,
  link: z.url(),
  status: postStatus,
  date_gmt: time,
  title: raw,
  content: raw,
  excerpt: raw,
  categories: z.array(id),
});
export const comment = z.object({
  id,
  link: z.url(),
  status: commentStatus,
  post: id,
  parent: z.int().nonnegative(),
  date_gmt: time,
  content: z.object({ rendered: z.string() }),
});
export const attachment = z.object({ id, source_url: z.url() });
/** As only moderators may read it. */
export const rawComment = z.object({ id, status: commentStatus, content: raw });
export const state = z.object({ id, status: z.union([postStatus, commentStatus]) });
export const categories = z.array(z.object({ id, name: z.string() }));
const listedPost = post.extend({ status: z.literal('publish') });
export type Post = z.infer<typeof listedPost>;
export type Comment = z.infer<typeof comment>;

export const utc = (gmt: string): string => `${gmt}Z`;

const refusal = z.object({ code: z.string(), message: z.string() });

export const errorMapping = {
  name: 'WordPress',
  parseError: (response: PlatformResponse) => refusal.safeParse(response.json).data ?? null,
  classify({ status }: PlatformResponse, { code }: { readonly code?: string | undefined }) {
    // Who is no moderator waits 15 seconds between two comments:
    // https://developer.wordpress.org/reference/functions/wp_throttle_comment_flood/
    if (code === 'comment_flood') return 'platform.rate_limited';
    return status === 403 ? 'platform.permission_missing' : 'platform.refused';
  },
} as const;

export const { requestJson, requestResponse } = createPlatformClient(errorMapping, {
  prepareRequest: (request) => ({ maxBytes: BYTES_MAX, ...request, path: `/wp-json/wp/v2${request.path}` }),
});

export const when =
  (...codes: readonly string[]) =>
  ({ code }: { readonly code?: string | undefined }) =>
    codes.includes(code ?? '') ? ok(null) : undefined;

/** The published posts of the account, newest first; nothing beyond the last page. */
export async function listPosts(session: Session, page: number, perPage: number) {
  const query = { author: session.account.id, context: 'edit', status: 'publish', page, per_page: perPage };
  const beyond = when('rest_post_invalid_page_number');
  const listed = await requestJson(session, { path: '/posts', query }, z.array(listedPost), beyond);
  return listed.ok ? ok(listed.value ?? []) : listed;
}

import { ok, type PlatformResponse, type Session } from '@switchboard/platform-kit';
import { createPlatformClient } from '@switchboard/platform-kit/platform-client';
import { z } from 'zod';

const VERSION = 'application/vnd.forem.api-v1+json';
/** A page of articles with their texts. */
const BYTES_MAX = 16 * 1024 * 1024;

const count = z.int().nonnegative();
export const account = z.object({
  id: z.int().positive(),
  username: z.string().min(1),
  name: z.string().nullish(),
  profile_image: z.string().nullish(),
});
export const article = z.object({ id: z.int().positive(), url: z.url() });
const ownArticle = article.extend({
  title: z.string(),
  body_markdown: z.string(),
  tag_list: z.array(z.string()),
  canonical_url: z.string(),
  published_at: z.iso.datetime({ offset: true }),
  page_views_count: count,
  public_reactions_count: count,
  comments_count: count,
});
export type OwnArticle = z.infer<typeof ownArticle>;

const refusal = z.object({ error: z.string(), status: z.number() });

export const { requestJson } = createPlatformClient(
  {
    name: 'DEV Community',
    parseError(response: PlatformResponse) {
      const parsed = refusal.safeParse(response.json).data;
      return parsed ? { code: String(parsed.status), message: parsed.error } : null;
    },
    classify: () => 'platform.refused',
  },
  {
    prepareRequest: (request) => ({
      maxBytes: BYTES_MAX,
      ...request,
      headers: { ...request.headers, accept: VERSION },
    }),
  },
);

/** The published articles of the account, newest first. */
export const listArticles = (session: Session, page: number, perPage: number) =>
  requestJson(
    session,
    { path: '/api/articles/me/published', query: { page, per_page: perPage } },
    z.array(ownArticle),
  );

export const whenMissing = ({ code }: { readonly code?: string | undefined }) =>
  code === '404' ? ok(null) : undefined;

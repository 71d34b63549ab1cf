import type { Session } from '@switchboard/platform-kit';
import { createPlatformClient, type ErrorMapping } from '@switchboard/platform-kit/platform-client';
import { z } from 'zod';

const refusal = z.object({ error: z.string(), status: z.number() });

const errorMapping: ErrorMapping = {
  name: 'DEV Community',
  parseError: (response) => {
    const parsed = refusal.safeParse(response.json).data;
    return parsed ? { code: String(parsed.status), message: parsed.error } : null;
  },
  classify: () => 'platform.refused',
};

export const { requestJson } = createPlatformClient(errorMapping, {
  prepareRequest: (request) => ({
    // A page of articles with their texts.
    maxBytes: 16 * 1024 * 1024,
    ...request,
    headers: { ...request.headers, accept: 'application/vnd.forem.api-v1+json' },
  }),
});

const count = z.int().nonnegative();
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

/** The published articles of the account, newest first. */
export const listArticles = (session: Session, page: number, perPage: number) =>
  requestJson(
    session,
    { path: '/api/articles/me/published', query: { page, per_page: perPage } },
    z.array(ownArticle),
  );

import { noMetrics, ok, type Analytics } from '@switchboard/platform-kit';
import { readEach } from '@switchboard/platform-kit/read-metrics';
import { plainTextOf } from '@switchboard/platform-kit/plain-text-of';
import { unreadableResponse } from '@switchboard/platform-kit/platform-client';
import { errorMapping, listPosts, requestJson, requestResponse, state, utc, when } from './client.js';
import { postList } from './manifest.js';
import { postPart } from './publishing.js';

const CONCURRENCY = 4;

export const analytics: Analytics = {
  /** WordPress itself counts no views. */
  ofPosts: (session, externalIds) =>
    readEach(externalIds, CONCURRENCY, async (externalId) => {
      const path = `/posts/${encodeURIComponent(externalId)}`;
      const query = { context: 'edit' };
      const seen = await requestJson(session, { path, query }, state, when('rest_post_invalid_id'));
      if (!seen.ok) return seen;
      if (seen.value?.status !== 'publish') return ok(null);
      const comments = { post: externalId, per_page: 1 };
      const counted = await requestResponse(session, { path: '/comments', query: comments });
      if (!counted.ok) return counted;
      const total = counted.value.headers['x-wp-total'] ?? '';
      return /^\d+$/.test(total)
        ? ok({ ...noMetrics, comments: Number(total) })
        : unreadableResponse(errorMapping, 'read', 'X-WP-Total is missing');
    }),

  async listPosts(session, { cursor }) {
    const page = Number(cursor ?? 1);
    const listed = await listPosts(session, page, postList.postsPerPage);
    if (!listed.ok) return listed;
    return ok({
      posts: listed.value.map((one) => ({
        ...postPart(one),
        publishedAt: new Date(utc(one.date_gmt)),
        text: one.title.raw || plainTextOf(one.content.raw),
        metrics: null,
      })),
      next: listed.value.length < postList.postsPerPage ? null : String(page + 1),
    });
  },
};

import { noMetrics, ok, type Analytics, type Metrics } from '@switchboard/platform-kit';
import { listArticles, type OwnArticle } from './client.js';
import { PER_PAGE } from './manifest.js';
import { part } from './publishing.js';

const PAGES_MAX = 50;
const metricsOf = (one: OwnArticle): Metrics => ({
  ...noMetrics,
  views: one.page_views_count,
  likes: one.public_reactions_count,
  comments: one.comments_count,
});

export const analytics: Analytics = {
  async ofPosts(session, externalIds) {
    const found = new Map<string, Metrics>();
    for (let page = 1; page <= PAGES_MAX && found.size < externalIds.length; page++) {
      const listed = await listArticles(session, page, PER_PAGE);
      if (!listed.ok) return listed;
      for (const one of listed.value)
        if (externalIds.includes(String(one.id))) found.set(String(one.id), metricsOf(one));
      if (listed.value.length < PER_PAGE) break;
    }
    return ok(found);
  },

  async listPosts(session, { cursor }) {
    const page = Number(cursor ?? 1);
    const listed = await listArticles(session, page, PER_PAGE);
    if (!listed.ok) return listed;
    const posts = listed.value.map((one) => ({
      ...part(one),
      publishedAt: new Date(one.published_at),
      text: one.title,
      metrics: metricsOf(one),
    }));
    return ok({ posts, next: listed.value.length < PER_PAGE ? null : String(page + 1) });
  },
};

import { ok, noMetrics, type Metrics, type Analytics, type Session } from '@switchboard/platform-kit';
import type { AdapterResult } from '@switchboard/platform-kit/platform-client';
import { isMissing, graphPage } from '../graph/graph.js';
import { confirmDeleted } from '../graph/graph-objects.js';
import { readEach, sumIfComplete } from '@switchboard/platform-kit/read-metrics';
import { manifest, postList } from './manifest.js';
import { requestJson, insights, type Insights, posts } from './wire.js';

const fields = 'id,permalink,timestamp,text,media_type';
const REPOST = 'REPOST_FACADE';

const metric = 'views,likes,replies,reposts,quotes';
/** Threads has no batch request for several posts. */
const CONCURRENCY = 4;

export const analytics: Analytics = {
  /** Replies are a list of their own. */
  async listPosts(session, { cursor }) {
    const page = await requestJson(
      session,
      {
        path: `/${encodeURIComponent(session.account.id)}/threads`,
        query: { fields, limit: postList.postsPerPage, after: cursor ?? undefined },
      },
      posts,
    );
    if (!page.ok) return page;
    const { found, next } = graphPage(page.value);
    return ok({
      posts: found
        .filter(({ media_type: type }) => type !== REPOST)
        .map(({ id, timestamp, permalink, text }) => ({
          externalId: id,
          publishedAt: new Date(timestamp),
          url: permalink ?? null,
          text: text ?? '',
          metrics: null,
        })),
      next: next ?? null,
    });
  },

  ofPosts: (session, externalIds) => readEach(externalIds, CONCURRENCY, (id) => readPostMetrics(session, id)),

  async ofAccount(session) {
    const path = `/${encodeURIComponent(session.account.id)}/threads_insights`;
    const read = await requestJson(session, { path, query: { metric: 'followers_count' } }, insights);
    return read.ok ? ok({ ...noMetrics, followers: valueOf(read.value, 'followers_count') }) : read;
  },
};

async function readPostMetrics(session: Session, id: string): AdapterResult<Metrics | null> {
  const path = `/${encodeURIComponent(id)}/insights`;
  const read = await requestJson(session, { path, query: { metric } }, insights, (error) =>
    isMissing(error) ? ok(null) : undefined,
  );
  if (!read.ok) return read;
  return read.value === null ? confirmDeleted(session, manifest.name, id) : ok(metricsOf(read.value));
}

const metricsOf = (reported: Insights): Metrics => ({
  ...noMetrics,
  views: valueOf(reported, 'views'),
  likes: valueOf(reported, 'likes'),
  comments: valueOf(reported, 'replies'),
  shares: sumIfComplete(valueOf(reported, 'reposts'), valueOf(reported, 'quotes')),
});

function valueOf({ data }: Insights, name: string): number | null {
  const reported = data.find((one) => one.name === name);
  return reported?.total_value?.value ?? reported?.values?.[0]?.value ?? null;
}

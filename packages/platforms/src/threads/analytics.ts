import { ok, noMetrics, type Metrics, type Analytics, type Session } from '@switchboard/platform-kit';
import type { AdapterResult } from '@switchboard/platform-kit/platform-client';
import { isMissing } from '../graph/graph.js';
import { confirmDeleted } from '../graph/graph-objects.js';
import { readEach, sumIfComplete } from '@switchboard/platform-kit/read-metrics';
import { listPosts } from './list-posts.js';
import { manifest } from './manifest.js';
import { requestJson, insights, type Insights } from './wire.js';

const metric = 'views,likes,replies,reposts,quotes';
/** Threads has no batch request for several posts. */
const CONCURRENCY = 4;

export const analytics: Analytics = {
  listPosts,
  ofPosts: (session, externalIds) => readEach(externalIds, CONCURRENCY, (id) => readPostMetrics(session, id)),

  async ofAccount(session) {
    const path = `/${encodeURIComponent(session.account.id)}/threads_insights`;
    const read = await requestJson(session, { path, query: { metric: 'followers_count' } }, insights);
    return read.ok ? ok({ ...noMetrics, followers: valueOf(read.value, 'followers_count') }) : read;
  },
};

/** Null for a post that is gone. */
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

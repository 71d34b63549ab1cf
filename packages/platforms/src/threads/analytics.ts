import { ok } from '@switchboard/domain';
import { noMetrics, type Metrics } from '@switchboard/domain/analytics';
import type { Analytics, Session } from '@switchboard/domain/ports';
import type { AdapterResult } from '../kit/platform-client.js';
import { isMissing } from '../kit/graph.js';
import { confirmDeleted } from '../kit/graph-objects.js';
import { readEach, sumIfComplete } from '../kit/read-metrics.js';
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

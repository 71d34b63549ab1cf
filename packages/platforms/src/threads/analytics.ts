import { noMetrics, ok, type Analytics, type Metrics, type Session } from '@switchboard/domain';
import type { Answer } from '../kit/answers.js';
import { isMissing } from '../kit/graph.js';
import { goneForSure } from '../kit/graph-objects.js';
import { readEach, sumOf } from '../kit/read-metrics.js';
import { manifest } from './manifest.js';
import { ask, insights, type Insights } from './wire.js';

const metric = 'views,likes,replies,reposts,quotes';
/** Threads has no way to ask for several posts at once. */
const AT_ONCE = 4;

export const analytics: Analytics = {
  ofPosts: (session, externalIds) => readEach(externalIds, AT_ONCE, (id) => ofPost(session, id)),

  async ofAccount(session) {
    const path = `/${encodeURIComponent(session.account.id)}/threads_insights`;
    const request = { method: 'GET', path, query: { metric: 'followers_count' }, effect: 'read' } as const;
    const read = await ask(session, request, insights);
    return read.ok ? ok({ ...noMetrics, followers: valueOf(read.value, 'followers_count') }) : read;
  },
};

/** Null of a post that is gone. */
async function ofPost(session: Session, id: string): Answer<Metrics | null> {
  const path = `/${encodeURIComponent(id)}/insights`;
  const request = { method: 'GET', path, query: { metric }, effect: 'read' } as const;
  const read = await ask(session, request, insights, (error) => (isMissing(error) ? ok(null) : undefined));
  if (!read.ok) return read;
  return read.value === null ? goneForSure(session, manifest.name, id) : ok(metricsOf(read.value));
}

const metricsOf = (told: Insights): Metrics => ({
  ...noMetrics,
  views: valueOf(told, 'views'),
  likes: valueOf(told, 'likes'),
  comments: valueOf(told, 'replies'),
  shares: sumOf(valueOf(told, 'reposts'), valueOf(told, 'quotes')),
});

function valueOf({ data }: Insights, name: string): number | null {
  const told = data.find((one) => one.name === name);
  return told?.total_value?.value ?? told?.values?.[0]?.value ?? null;
}

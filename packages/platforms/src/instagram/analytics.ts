import { ok, noMetrics, type Metrics, type Analytics, type Session } from '@switchboard/platform-kit';
import type { AdapterResult } from '@switchboard/platform-kit/platform-client';
import { isMissing, type GraphError, graphPage } from '../graph/graph.js';
import { confirmDeleted } from '../graph/graph-objects.js';
import { readEach } from '@switchboard/platform-kit/read-metrics';
import { manifest, postList } from './manifest.js';
import { requestJson, followers, insights, type Insights, mediaList } from './wire.js';

const fields = 'id,permalink,timestamp,caption';

/** One metric that does not apply to a post fails the whole request: a story has fewer metrics. */
const METRIC_SETS = ['views,reach,likes,comments,shares,saved', 'views,reach,shares', 'views,reach'] as const;
const INVALID_PARAMETER = 100;
/** Instagram has no batch request for several posts. */
const CONCURRENCY = 4;

export const analytics: Analytics = {
  /** Stories are a list of their own, and last for a day. */
  async listPosts(session, { cursor }) {
    const path = `/${encodeURIComponent(session.account.id)}/media`;
    const query = { fields, limit: postList.postsPerPage, after: cursor ?? undefined };
    const page = await requestJson(session, { path, query }, mediaList);
    if (!page.ok) return page;
    const { found, next } = graphPage(page.value);
    return ok({
      posts: found.map(({ id, timestamp, permalink, caption }) => ({
        externalId: id,
        publishedAt: new Date(timestamp),
        url: permalink ?? null,
        text: caption ?? '',
        metrics: null,
      })),
      next: next ?? null,
    });
  },

  ofPosts: (session, externalIds) => readEach(externalIds, CONCURRENCY, (id) => readPostMetrics(session, id)),

  async ofAccount(session) {
    const path = `/${encodeURIComponent(session.account.id)}`;
    const query = { fields: 'followers_count' };
    const read = await requestJson(session, { path, query }, followers);
    return read.ok ? ok({ ...noMetrics, followers: read.value.followers_count ?? null }) : read;
  },
};

/**
 * Null for a post that is gone. A post without metrics, such as one from before the account was professional,
 * has none.
 */
async function readPostMetrics(session: Session, id: string): AdapterResult<Metrics | null> {
  for (const metric of METRIC_SETS) {
    const path = `/${encodeURIComponent(id)}/insights`;
    const read = await requestJson(session, { path, query: { metric } }, insights, (error) => {
      if (isMissing(error)) return ok('missing' as const);
      if (isTooFewViewers(error)) return ok('seen by few' as const);
      return error.code === INVALID_PARAMETER ? ok('unfitting' as const) : undefined;
    });
    if (!read.ok) return read;
    if (read.value === 'missing') return confirmDeleted(session, manifest.name, id);
    if (read.value === 'seen by few') break;
    if (read.value !== 'unfitting') return ok(metricsOf(read.value));
  }
  return ok(noMetrics);
}

/** For a story with fewer than five viewers; shares its code with missing permissions. */
const isTooFewViewers = ({ code, rawMessage }: GraphError): boolean =>
  code === 10 && /not enough viewers/i.test(rawMessage);

/** An empty list means missing metrics, not zeros. */
const metricsOf = (reported: Insights): Metrics => ({
  ...noMetrics,
  views: valueOf(reported, 'views'),
  reach: valueOf(reported, 'reach'),
  likes: valueOf(reported, 'likes'),
  comments: valueOf(reported, 'comments'),
  shares: valueOf(reported, 'shares'),
  saves: valueOf(reported, 'saved'),
});

const valueOf = ({ data }: Insights, name: string): number | null =>
  data.find((one) => one.name === name)?.values?.[0]?.value ?? null;

import { noMetrics, ok, type Analytics, type Metrics, type Session } from '@switchboard/domain';
import type { Answer } from '../kit/answers.js';
import { isMissing, type GraphError } from '../kit/graph.js';
import { goneForSure } from '../kit/graph-objects.js';
import { readEach } from '../kit/read-metrics.js';
import { ask } from './ask.js';
import { manifest } from './manifest.js';
import { followers, insights, type Insights } from './wire.js';

/** One name that does not fit a post fails the whole question: a story has fewer numbers. */
const NAMES = ['views,reach,likes,comments,shares,saved', 'views,reach,shares', 'views,reach'] as const;
const UNFITTING = 100;
/** Instagram has no way to ask for several posts at once. */
const AT_ONCE = 4;

export const analytics: Analytics = {
  ofPosts: (session, externalIds) => readEach(externalIds, AT_ONCE, (id) => ofPost(session, id)),

  async ofAccount(session) {
    const path = `/${encodeURIComponent(session.account.id)}`;
    const query = { fields: 'followers_count' };
    const request = { method: 'GET', path, query, effect: 'read' } as const;
    const read = await ask(session, request, followers);
    return read.ok ? ok({ ...noMetrics, followers: read.value.followers_count ?? null }) : read;
  },
};

/** Null of a post that is gone. What has no numbers at all, as from before the account was a professional one, has none. */
async function ofPost(session: Session, id: string): Answer<Metrics | null> {
  for (const metric of NAMES) {
    const path = `/${encodeURIComponent(id)}/insights`;
    const request = { method: 'GET', path, query: { metric }, effect: 'read' } as const;
    const read = await ask(session, request, insights, (error) => {
      if (isMissing(error)) return ok('missing' as const);
      if (isSeenByFew(error)) return ok('seen by few' as const);
      return error.code === UNFITTING ? ok('unfitting' as const) : undefined;
    });
    if (!read.ok) return read;
    if (read.value === 'missing') return goneForSure(session, manifest.name, id);
    if (read.value === 'seen by few') break;
    if (read.value !== 'unfitting') return ok(metricsOf(read.value));
  }
  return ok(noMetrics);
}

/** Of a story with fewer than five; with the code of a permission that is missing. */
const isSeenByFew = ({ code, rawMessage }: GraphError): boolean =>
  code === 10 && /not enough viewers/i.test(rawMessage);

/** An empty list stands for numbers that are not there, not for zeros. */
const metricsOf = (told: Insights): Metrics => ({
  ...noMetrics,
  views: valueOf(told, 'views'),
  reach: valueOf(told, 'reach'),
  likes: valueOf(told, 'likes'),
  comments: valueOf(told, 'comments'),
  shares: valueOf(told, 'shares'),
  saves: valueOf(told, 'saved'),
});

const valueOf = ({ data }: Insights, name: string): number | null =>
  data.find((one) => one.name === name)?.values?.[0]?.value ?? null;

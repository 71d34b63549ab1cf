import { noMetrics, ok, type Analytics, type Metrics, type Session } from '@switchboard/domain';
import type { Answer } from '../kit/answers.js';
import { readGroups, sumOf } from '../kit/read-metrics.js';
import { ask, countedPosts, me, type CountedPost } from './wire.js';

/** More of them at once are refused. */
const POSTS_PER_REQUEST = 100;

export const analytics: Analytics = {
  ofPosts: (session, externalIds) =>
    readGroups(externalIds, POSTS_PER_REQUEST, async (ids) => {
      const all = await ofGroup(session, ids, 'attachments,public_metrics,non_public_metrics');
      if (!all.ok || !all.value.withheld) return all.ok ? ok(all.value.counted) : all;
      // What has a field that is not told any more is not told of at all.
      const told = new Set(all.value.counted.map(([id]) => id));
      const rest = ids.filter((id) => !told.has(id));
      const older = await ofGroup(session, rest, 'attachments,public_metrics');
      return older.ok ? ok([...all.value.counted, ...older.value.counted]) : older;
    }),

  async ofAccount(session) {
    const query = { 'user.fields': 'public_metrics' };
    const read = await ask(session, { method: 'GET', path: '/2/users/me', query, effect: 'read' }, me);
    if (!read.ok) return read;
    return ok({ ...noMetrics, followers: read.value.data.public_metrics?.followers_count ?? null });
  },
};

async function ofGroup(session: Session, ids: readonly string[], fields: string): Answer<Group> {
  const query = {
    ...{ ids: ids.join(','), 'tweet.fields': fields },
    ...{ expansions: 'attachments.media_keys', 'media.fields': 'public_metrics' },
  };
  const read = await ask(session, { method: 'GET', path: '/2/tweets', query, effect: 'read' }, countedPosts);
  if (!read.ok) return read;
  const { data, includes, errors } = read.value;
  const views = new Map(
    (includes?.media ?? []).map(({ media_key: key, public_metrics: told }) => [
      key,
      told?.view_count ?? null,
    ]),
  );
  return ok({
    counted: (data ?? []).map((post) => [post.id, metricsOf(post, views)]),
    withheld: (errors ?? []).some(({ type }) => type?.endsWith('/not-authorized-for-field')),
  });
}

interface Group {
  readonly counted: readonly (readonly [externalId: string, told: Metrics])[];
  /** Whether something was not told because of a field that is told for thirty days only. */
  readonly withheld: boolean;
}

function metricsOf(
  { public_metrics: told, non_public_metrics: own, attachments }: CountedPost,
  views: ReadonlyMap<string, number | null>,
): Metrics {
  // A film stands alone, and of a picture nothing is told.
  const [key = ''] = attachments?.media_keys ?? [];
  return {
    ...noMetrics,
    impressions: told.impression_count ?? null,
    views: views.get(key) ?? null,
    likes: told.like_count ?? null,
    comments: told.reply_count ?? null,
    shares: sumOf(told.repost_count ?? told.retweet_count, told.quote_count),
    saves: told.bookmark_count ?? null,
    clicks: own?.url_link_clicks ?? null,
  };
}

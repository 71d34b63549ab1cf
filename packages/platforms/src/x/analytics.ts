import {
  noMetrics,
  ok,
  type Analytics,
  type Metrics,
  type PlatformRequest,
  type Session,
} from '@switchboard/domain';
import type { Answer } from '../kit/answers.js';
import { readGroups, sumOf } from '../kit/read-metrics.js';
import { ask, countedPosts, me, type CountedPost } from './wire.js';

/** More of them at once are refused. */
const POSTS_PER_REQUEST = 100;

export const analytics: Analytics = {
  ofPosts: (session, externalIds) =>
    readGroups(externalIds, POSTS_PER_REQUEST, async (ids) => {
      const posts = await countedIn(session, ids);
      if (!posts.ok) return posts;
      const views = await viewsOf(session, posts.value.filter(showsFilm));
      return views.ok ? ok(posts.value.map((post) => [post.id, metricsOf(post, views.value)])) : views;
    }),

  async ofAccount(session) {
    const query = { 'user.fields': 'public_metrics' };
    const read = await ask(session, { method: 'GET', path: '/2/users/me', query, effect: 'read' }, me);
    if (!read.ok) return read;
    return ok({ ...noMetrics, followers: read.value.data.public_metrics?.followers_count ?? null });
  },
};

/** What has a field that is told for thirty days only is, later, not told of at all: it is asked for again without. */
async function countedIn(session: Session, ids: readonly string[]): Answer<readonly CountedPost[]> {
  const all = await look(session, ids, 'attachments,public_metrics,non_public_metrics');
  if (!all.ok) return all;
  const { data: found, errors } = all.value;
  if (!errors?.some(({ type }) => type?.endsWith('/not-authorized-for-field'))) return ok(found ?? []);
  const told = new Set(found?.map(({ id }) => id));
  const rest = ids.filter((id) => !told.has(id));
  const older = await look(session, rest, 'attachments,public_metrics');
  return older.ok ? ok([...(found ?? []), ...(older.value.data ?? [])]) : older;
}

type Views = ReadonlyMap<string, number | null>;

/** By the key of the film. Asked of films alone: media that are told of have a price, too. */
async function viewsOf(session: Session, posts: readonly CountedPost[]): Answer<Views> {
  if (posts.length === 0) return ok(new Map());
  const ids = posts.map(({ id }) => id);
  const more = { expansions: 'attachments.media_keys', 'media.fields': 'public_metrics' };
  const read = await look(session, ids, 'attachments,public_metrics', more);
  if (!read.ok) return read;
  const media = read.value.includes?.media ?? [];
  return ok(new Map(media.map((one) => [one.media_key, one.public_metrics?.view_count ?? null])));
}

const look = (
  session: Session,
  ids: readonly string[],
  fields: string,
  more: PlatformRequest['query'] = {},
) =>
  ask(
    session,
    {
      method: 'GET',
      path: '/2/tweets',
      query: { ids: ids.join(','), 'tweet.fields': fields, ...more },
      effect: 'read',
    },
    countedPosts,
  );

/** A film stands alone. The key of a picture begins with a three. */
const filmOf = ({ attachments }: CountedPost): string | undefined =>
  attachments?.media_keys?.find((key) => !key.startsWith('3_'));
const showsFilm = (post: CountedPost): boolean => filmOf(post) !== undefined;

function metricsOf(post: CountedPost, views: Views): Metrics {
  const { public_metrics: told, non_public_metrics: own } = post;
  return {
    ...noMetrics,
    impressions: told.impression_count ?? null,
    views: views.get(filmOf(post) ?? '') ?? null,
    likes: told.like_count ?? null,
    comments: told.reply_count ?? null,
    shares: sumOf(told.repost_count ?? told.retweet_count, told.quote_count),
    saves: told.bookmark_count ?? null,
    clicks: own?.url_link_clicks ?? null,
  };
}

import {
  noMetrics,
  ok,
  type Analytics,
  type Metrics,
  type PlatformRequest,
  type Session,
} from '@switchboard/domain';
import type { z } from 'zod';
import type { Answer } from '../kit/answers.js';
import { readGroups, sumOf } from '../kit/read-metrics.js';
import { askForPosts } from './post-fields.js';
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
  const all = await look(session, ids, ['attachments', 'public_metrics', 'non_public_metrics']);
  if (!all.ok) return all;
  const { data: found } = all.value;
  const hidden = withHiddenField(all.value);
  if (hidden.size === 0) return ok(found ?? []);
  const told = new Set(found?.map(({ id }) => id));
  const rest = ids.filter((id) => !told.has(id));
  const older = await look(session, rest, ['attachments', 'public_metrics']);
  if (!older.ok) return older;
  // It is there, and has no figures that may be seen.
  const bare = [...withHiddenField(older.value)].map((id): CountedPost => ({ id }));
  return ok([...(found ?? []), ...(older.value.data ?? []), ...bare]);
}

/** Posts that X leaves out because one of their fields may not be seen; X has used both names for that problem. */
const withHiddenField = ({ data, errors }: z.infer<typeof countedPosts>): ReadonlySet<string> => {
  const told = new Set(data?.map(({ id }) => id));
  const hidden = (errors ?? []).filter(({ type }) =>
    /(?:not-authorized-for-field|field-unauthorized)$/.test(type ?? ''),
  );
  return new Set(hidden.flatMap(({ resource_id: id }) => (id == null || told.has(id) ? [] : [id])));
};

type Views = ReadonlyMap<string, number | null>;

/** By the key of the film. Asked of films alone: media that are told of have a price, too. */
async function viewsOf(session: Session, posts: readonly CountedPost[]): Answer<Views> {
  if (posts.length === 0) return ok(new Map());
  const ids = posts.map(({ id }) => id);
  const more = { expansions: 'attachments.media_keys', 'media.fields': 'public_metrics' };
  const read = await look(session, ids, ['attachments', 'public_metrics'], more);
  if (!read.ok) return read;
  const media = read.value.includes?.media ?? [];
  return ok(new Map(media.map((one) => [one.media_key, one.public_metrics?.view_count ?? null])));
}

const look = (
  session: Session,
  ids: readonly string[],
  fields: readonly string[],
  more: PlatformRequest['query'] = {},
) => askForPosts(session, '/2/tweets', { ids: ids.join(','), ...more }, fields, countedPosts);

/** A film stands alone. The key of a picture begins with a three. */
const filmOf = ({ attachments }: CountedPost): string | undefined =>
  attachments?.media_keys?.find((key) => !key.startsWith('3_'));
const showsFilm = (post: CountedPost): boolean => filmOf(post) !== undefined;

function metricsOf(post: CountedPost, views: Views): Metrics {
  const { public_metrics: told, non_public_metrics: own } = post;
  return {
    ...noMetrics,
    impressions: told?.impression_count ?? null,
    views: views.get(filmOf(post) ?? '') ?? null,
    likes: told?.like_count ?? null,
    comments: told?.reply_count ?? null,
    shares: sumOf(told?.repost_count ?? told?.retweet_count, told?.quote_count),
    saves: told?.bookmark_count ?? null,
    clicks: own?.url_link_clicks ?? null,
  };
}

import {
  noMetrics,
  ok,
  type Metrics,
  type Analytics,
  type PlatformRequest,
  type Session,
} from '@switchboard/platform-kit';
import type { z } from 'zod';
import { type AdapterResult, unreadableResponse } from '@switchboard/platform-kit/platform-client';
import { readInBatches, sumIfComplete } from '@switchboard/platform-kit/read-metrics';
import { requestPosts } from './post-fields.js';
import { requestJson, countedPosts, me, type CountedPost, errorMapping, timeline } from './wire.js';
import { postList } from './manifest.js';

/** More of them per request are refused. */
const POSTS_PER_REQUEST = 100;

export const analytics: Analytics = {
  /** Every returned post has a price, so that none is requested that would be left out. */
  async listPosts(session, { cursor, since }) {
    const page = await requestPosts(
      session,
      `/2/users/${encodeURIComponent(session.account.id)}/tweets`,
      {
        max_results: postList.postsPerPage,
        exclude: 'replies,retweets',
        // To the second: X does not accept fractions.
        start_time: since?.toISOString().replace(/\.\d+Z$/, 'Z'),
        pagination_token: cursor ?? undefined,
      },
      ['created_at'],
      timeline,
    );
    if (!page.ok) return page;
    const { data, meta } = page.value;
    const posts = data ?? [];
    if (posts.some(({ created_at: at }) => at == null)) return unreadableResponse(errorMapping, 'read');
    return ok({
      posts: posts.map(({ id, created_at: at, text }) => ({
        externalId: id,
        publishedAt: new Date(at ?? 0),
        url: `https://x.com/i/status/${id}`,
        text,
        // A list contains neither the clicks nor the views of a video.
        metrics: null,
      })),
      next: meta.next_token ?? null,
    });
  },

  ofPosts: (session, externalIds) =>
    readInBatches(externalIds, POSTS_PER_REQUEST, async (ids) => {
      const posts = await fetchCounted(session, ids);
      if (!posts.ok) return posts;
      const views = await fetchViews(session, posts.value.filter(hasVideo));
      return views.ok ? ok(posts.value.map((post) => [post.id, metricsOf(post, views.value)])) : views;
    }),

  async ofAccount(session) {
    const query = { 'user.fields': 'public_metrics' };
    const read = await requestJson(session, { path: '/2/users/me', query }, me);
    if (!read.ok) return read;
    return ok({ ...noMetrics, followers: read.value.data.public_metrics?.followers_count ?? null });
  },
};

/**
 * A post with a field that expires after thirty days is later omitted entirely: it is requested again without
 * that field.
 */
async function fetchCounted(session: Session, ids: readonly string[]): AdapterResult<readonly CountedPost[]> {
  const all = await fetchPosts(session, ids, ['attachments', 'public_metrics', 'non_public_metrics']);
  if (!all.ok) return all;
  const { data: found } = all.value;
  const hidden = idsWithHiddenField(all.value);
  if (hidden.size === 0) return ok(found ?? []);
  const reported = new Set(found?.map(({ id }) => id));
  const rest = ids.filter((id) => !reported.has(id));
  const older = await fetchPosts(session, rest, ['attachments', 'public_metrics']);
  if (!older.ok) return older;
  // It exists, and has no metrics that may be read.
  const bare = [...idsWithHiddenField(older.value)].map((id): CountedPost => ({ id }));
  return ok([...(found ?? []), ...(older.value.data ?? []), ...bare]);
}

/**
 * Posts that X omits because one of their fields may not be read; X has used both names for that problem.
 */
const idsWithHiddenField = ({ data, errors }: z.infer<typeof countedPosts>): ReadonlySet<string> => {
  const reported = new Set(data?.map(({ id }) => id));
  const hidden = (errors ?? []).filter(({ type }) =>
    /(?:not-authorized-for-field|field-unauthorized)$/.test(type ?? ''),
  );
  return new Set(hidden.flatMap(({ resource_id: id }) => (id == null || reported.has(id) ? [] : [id])));
};

type ViewsByKey = ReadonlyMap<string, number | null>;

/** By the media key of the video. Requested for videos alone: returned media has a price. */
async function fetchViews(session: Session, posts: readonly CountedPost[]): AdapterResult<ViewsByKey> {
  if (posts.length === 0) return ok(new Map());
  const ids = posts.map(({ id }) => id);
  const more = { expansions: 'attachments.media_keys', 'media.fields': 'public_metrics' };
  const read = await fetchPosts(session, ids, ['attachments', 'public_metrics'], more);
  if (!read.ok) return read;
  const media = read.value.includes?.media ?? [];
  return ok(new Map(media.map((one) => [one.media_key, one.public_metrics?.view_count ?? null])));
}

const fetchPosts = (
  session: Session,
  ids: readonly string[],
  fields: readonly string[],
  more: PlatformRequest['query'] = {},
) => requestPosts(session, '/2/tweets', { ids: ids.join(','), ...more }, fields, countedPosts);

/** A video is the only media. The media key of an image begins with a three. */
const videoKeyOf = ({ attachments }: CountedPost): string | undefined =>
  attachments?.media_keys?.find((key) => !key.startsWith('3_'));
const hasVideo = (post: CountedPost): boolean => videoKeyOf(post) !== undefined;

function metricsOf(post: CountedPost, views: ViewsByKey): Metrics {
  const { public_metrics: reported, non_public_metrics: own } = post;
  return {
    ...noMetrics,
    impressions: reported?.impression_count ?? null,
    views: views.get(videoKeyOf(post) ?? '') ?? null,
    likes: reported?.like_count ?? null,
    comments: reported?.reply_count ?? null,
    shares: sumIfComplete(reported?.repost_count ?? reported?.retweet_count, reported?.quote_count),
    saves: reported?.bookmark_count ?? null,
    clicks: own?.url_link_clicks ?? null,
  };
}

import { ok, noMetrics, type Metrics, type Analytics, type Session } from '@switchboard/platform-kit';
import type { AdapterResult } from '@switchboard/platform-kit/platform-client';
import { isMissing, type GraphError, graphPage } from '../graph/graph.js';
import { confirmDeleted } from '../graph/graph-objects.js';
import { readEach } from '@switchboard/platform-kit/read-metrics';
import { requestJson } from './client.js';
import { manifest, postList } from './manifest.js';
import { followers, insights, valueOf, type Insights, listedPosts, type ListedPost } from './wire.js';

const fields = 'id,created_time,message,permalink_url,attachments{type,target}';

/** A video is published, and has metrics, under its own ID. */
function externalIdOf({ id, attachments }: ListedPost): string {
  const [only, ...others] = attachments?.data ?? [];
  // A link to a video elsewhere is of the type `video_share_youtube`.
  const isVideo = others.length === 0 && /^(?:video(?!_share)|reel)/i.test(only?.type ?? '');
  return (isVideo ? only?.target?.id : undefined) ?? id;
}

/** One unknown name fails the whole request: it is then repeated with fewer names. */
const POST_METRICS = [
  'post_media_view,post_total_media_view_unique,post_clicks,post_reactions_by_type_total,post_activity_by_action_type',
  'post_total_media_view_unique,post_clicks,post_reactions_by_type_total',
  'post_reactions_by_type_total',
] as const;
/** For a video Facebook returns all metrics if none is named. */
const VIDEO_METRICS = [undefined] as const;
const INVALID_PARAMETER = 100;
const CONCURRENCY = 4;

export const analytics: Analytics = {
  async listPosts(session, { cursor }) {
    const path = `/${encodeURIComponent(session.account.id)}/published_posts`;
    const query = { fields, limit: postList.postsPerPage, after: cursor ?? undefined };
    const page = await requestJson(session, { path, query }, listedPosts);
    if (!page.ok) return page;
    const { found, next } = graphPage(page.value);
    return ok({
      posts: found.map((post) => ({
        externalId: externalIdOf(post),
        publishedAt: new Date(post.created_time),
        url: post.permalink_url ?? null,
        text: post.message ?? '',
        metrics: null,
      })),
      next: next ?? null,
    });
  },

  ofPosts: (session, externalIds) => readEach(externalIds, CONCURRENCY, (id) => readPostMetrics(session, id)),

  async ofAccount(session) {
    const query = { fields: 'followers_count' };
    const read = await requestJson(session, { path: '/me', query }, followers);
    return read.ok ? ok({ ...noMetrics, followers: read.value.followers_count ?? null }) : read;
  },
};

async function readPostMetrics(session: Session, id: string): AdapterResult<Metrics | null> {
  // The ID of a post begins with the ID of its page, that of a video does not.
  const isVideo = !id.includes('_');
  for (const metric of isVideo ? VIDEO_METRICS : POST_METRICS) {
    const path = `/${encodeURIComponent(id)}/${isVideo ? 'video_insights' : 'insights'}`;
    const read = await requestJson(session, { path, query: { metric } }, insights, (error) => {
      if (isMissing(error)) return ok('missing' as const);
      return isUnsupportedMetric(error) ? ok('unfitting' as const) : undefined;
    });
    if (!read.ok) return read;
    if (read.value === 'missing') return confirmDeleted(session, manifest.name, id);
    if (read.value !== 'unfitting')
      return ok(isVideo ? videoMetricsOf(read.value) : pagePostMetricsOf(read.value));
  }
  return ok(noMetrics);
}

/** The same code is used for a missing permission. */
const isUnsupportedMetric = ({ code, rawMessage }: GraphError): boolean =>
  code === INVALID_PARAMETER && /valid insights metric|nonexisting field/i.test(rawMessage);

const pagePostMetricsOf = (reported: Insights): Metrics => ({
  ...noMetrics,
  views: numberOf(reported, 'post_media_view'),
  reach: numberOf(reported, 'post_total_media_view_unique'),
  likes: sumOfKinds(reported, 'post_reactions_by_type_total'),
  comments: kindOf(reported, 'post_activity_by_action_type', 'comment'),
  shares: kindOf(reported, 'post_activity_by_action_type', 'share'),
  clicks: numberOf(reported, 'post_clicks'),
});

/** The first name is used for a reel, the others were used for videos before. */
const videoMetricsOf = (reported: Insights): Metrics => ({
  ...noMetrics,
  views:
    numberOf(reported, 'fb_reels_total_plays') ??
    numberOf(reported, 'blue_reels_play_count') ??
    numberOf(reported, 'total_video_views'),
  reach:
    numberOf(reported, 'post_impressions_unique') ?? numberOf(reported, 'total_video_impressions_unique'),
  likes:
    sumOfKinds(reported, 'post_video_likes_by_reaction_type') ??
    sumOfKinds(reported, 'total_video_reactions_by_type_total'),
  comments: kindOf(reported, 'post_video_social_actions', 'COMMENT'),
  shares: kindOf(reported, 'post_video_social_actions', 'SHARE'),
});

function numberOf(reported: Insights, name: string): number | null {
  const value = valueOf(reported, name);
  return typeof value === 'number' ? value : null;
}

/** A kind that a breakdown omits is zero; a missing breakdown is not. */
function kindOf(reported: Insights, name: string, kind: string): number | null {
  const value = valueOf(reported, name);
  return value === null || typeof value === 'number' ? null : (value[kind] ?? 0);
}

function sumOfKinds(reported: Insights, name: string): number | null {
  const value = valueOf(reported, name);
  if (value === null || typeof value === 'number') return value;
  return Object.values(value).reduce((sum, one) => sum + one, 0);
}

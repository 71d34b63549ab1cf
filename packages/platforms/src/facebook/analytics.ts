import { noMetrics, ok, type Analytics, type Metrics, type Session } from '@switchboard/domain';
import type { Answer } from '../kit/answers.js';
import { isMissing, type GraphError } from '../kit/graph.js';
import { goneForSure } from '../kit/graph-objects.js';
import { readEach } from '../kit/read-metrics.js';
import { ask } from './ask.js';
import { manifest } from './manifest.js';
import { followers, insights, valueOf, type Insights } from './wire.js';

/** One name that is none (any more) fails the whole question: then fewer are asked for. */
const OF_POSTS = [
  'post_media_view,post_total_media_view_unique,post_clicks,post_reactions_by_type_total,post_activity_by_action_type',
  'post_total_media_view_unique,post_clicks,post_reactions_by_type_total',
  'post_reactions_by_type_total',
] as const;
/** Of a film all that there is is told when nothing is named. */
const OF_FILMS = [undefined] as const;
const UNFITTING = 100;
const AT_ONCE = 4;

export const analytics: Analytics = {
  ofPosts: (session, externalIds) => readEach(externalIds, AT_ONCE, (id) => ofPost(session, id)),

  async ofAccount(session) {
    const query = { fields: 'followers_count' };
    const read = await ask(session, { method: 'GET', path: '/me', query, effect: 'read' }, followers);
    return read.ok ? ok({ ...noMetrics, followers: read.value.followers_count ?? null }) : read;
  },
};

/** Null of a post that is gone. */
async function ofPost(session: Session, id: string): Answer<Metrics | null> {
  // A post is called after its page, a film is not.
  const isFilm = !id.includes('_');
  for (const metric of isFilm ? OF_FILMS : OF_POSTS) {
    const path = `/${encodeURIComponent(id)}/${isFilm ? 'video_insights' : 'insights'}`;
    const request = { method: 'GET', path, query: { metric }, effect: 'read' } as const;
    const read = await ask(session, request, insights, (error) => {
      if (isMissing(error)) return ok('missing' as const);
      return isUnfitting(error) ? ok('unfitting' as const) : undefined;
    });
    if (!read.ok) return read;
    if (read.value === 'missing') return goneForSure(session, manifest.name, id);
    if (read.value !== 'unfitting') return ok(isFilm ? ofFilm(read.value) : ofPagePost(read.value));
  }
  return ok(noMetrics);
}

/** The same code is a permission's that is missing, too. */
const isUnfitting = ({ code, rawMessage }: GraphError): boolean =>
  code === UNFITTING && /valid insights metric|nonexisting field/i.test(rawMessage);

const ofPagePost = (told: Insights): Metrics => ({
  ...noMetrics,
  views: numberOf(told, 'post_media_view'),
  reach: numberOf(told, 'post_total_media_view_unique'),
  likes: sumOfKinds(told, 'post_reactions_by_type_total'),
  comments: kindOf(told, 'post_activity_by_action_type', 'comment'),
  shares: kindOf(told, 'post_activity_by_action_type', 'share'),
  clicks: numberOf(told, 'post_clicks'),
});

/** The first name is a reel's, the others were used for films before. */
const ofFilm = (told: Insights): Metrics => ({
  ...noMetrics,
  views:
    numberOf(told, 'fb_reels_total_plays') ??
    numberOf(told, 'blue_reels_play_count') ??
    numberOf(told, 'total_video_views'),
  reach: numberOf(told, 'post_impressions_unique') ?? numberOf(told, 'total_video_impressions_unique'),
  likes:
    sumOfKinds(told, 'post_video_likes_by_reaction_type') ??
    sumOfKinds(told, 'total_video_reactions_by_type_total'),
  comments: kindOf(told, 'post_video_social_actions', 'COMMENT'),
  shares: kindOf(told, 'post_video_social_actions', 'SHARE'),
});

function numberOf(told: Insights, name: string): number | null {
  const value = valueOf(told, name);
  return typeof value === 'number' ? value : null;
}

/** A kind that a breakdown leaves out is zero; a breakdown that is not there is not. */
function kindOf(told: Insights, name: string, kind: string): number | null {
  const value = valueOf(told, name);
  return value === null || typeof value === 'number' ? null : (value[kind] ?? 0);
}

function sumOfKinds(told: Insights, name: string): number | null {
  const value = valueOf(told, name);
  if (value === null || typeof value === 'number') return value;
  return Object.values(value).reduce((sum, one) => sum + one, 0);
}

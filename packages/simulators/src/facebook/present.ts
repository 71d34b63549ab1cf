import { presentInsight, presentTime } from '../meta/graph.js';
import type { SocialAccount } from '../wire/simulator.js';
import type { PageComment, PagePost } from './page-store.js';

export interface FacebookPage extends SocialAccount {
  /** The tasks of the logged-in user on the page. */
  readonly tasks: readonly string[];
  /** The page's Instagram account. */
  readonly instagram?: Readonly<Record<string, unknown>>;
}

/** https://developers.facebook.com/docs/graph-api/reference/page */
export const presentPage = ({ id, name, username, followers, instagram }: FacebookPage) => ({
  id,
  name,
  username,
  link: `https://www.facebook.com/${username}`,
  followers_count: followers,
  picture: {
    data: { height: 50, width: 50, is_silhouette: false, url: `https://scontent.xx.fbcdn.net/${id}.jpg` },
  },
  instagram_business_account: instagram,
  // Of a user.
  accounts: undefined,
});

/** https://developers.facebook.com/docs/graph-api/reference/page-post: omits fields without a value. */
export const presentPost = (post: PagePost) => ({
  id: post.id.includes('_') ? post.id : `${post.pageId}_${post.id}`,
  created_time: presentTime(post.createdAt),
  from: { id: post.pageId, name: 'A page' },
  message: post.message === '' ? undefined : post.message,
  permalink_url: `https://www.facebook.com/${post.pageId}/posts/${post.id.split('_').at(-1)}`,
  attachments: attachmentsOf(post),
});

/** https://developers.facebook.com/docs/graph-api/reference/story-attachment */
function attachmentsOf({ photos, video, link }: PagePost) {
  const media = photos.map(({ id }) => ({
    media_type: 'photo',
    type: 'photo',
    target: { id, url: `https://www.facebook.com/photo.php?fbid=${id}` },
  }));
  if (media.length > 1) {
    return { data: [{ media_type: 'album', type: 'album', subattachments: { data: media } }] };
  }
  if (media.length === 1) return { data: media };
  if (video) return { data: [{ media_type: 'video', type: 'video_inline', target: { id: video.id } }] };
  if (link === null) return undefined;
  const address = new URL(link).href;
  const shared = `https://l.facebook.com/l.php?u=${encodeURIComponent(address)}&h=AT1`;
  return { data: [{ ...kindOf(address), url: shared, unshimmed_url: address }] };
}

/** `StoryAttachmentStyle`: a shared video of another page counts as a video too. */
const kindOf = (address: string) =>
  /^https:\/\/(www\.youtube\.com|youtu\.be)\//.test(address)
    ? { media_type: 'video', type: 'video_share_youtube' }
    : { media_type: 'link', type: 'share' };

/** https://developers.facebook.com/docs/graph-api/reference/video */
export const presentVideo = (post: PagePost | null, id: string, status: unknown) => ({
  id,
  status,
  description: post === null || post.message === '' ? undefined : post.message,
  created_time: post ? presentTime(post.createdAt) : undefined,
  // Without the host, unlike a post's URL.
  permalink_url: `/reel/${id}/`,
  published: post !== null,
});

/** https://developers.facebook.com/docs/graph-api/reference/comment */
export const presentComment = ({ id, message, authorId, createdAt }: PageComment) => ({
  id,
  message,
  created_time: presentTime(createdAt),
  from: authorId === null ? undefined : { id: authorId, name: authorId },
});

const REACTIONS = { like: 7, love: 2 };
/** The metrics still returned in September 2026; breakdowns omit zero values. */
const POST_INSIGHTS: Readonly<Record<string, unknown>> = {
  post_media_view: 120,
  post_total_media_view_unique: 80,
  post_clicks: 6,
  post_reactions_by_type_total: REACTIONS,
  post_activity_by_action_type: { like: 9, comment: 3, share: 2 },
};
/** The default metrics of a video. */
const VIDEO_INSIGHTS: Readonly<Record<string, unknown>> = {
  fb_reels_total_plays: 150,
  blue_reels_play_count: 120,
  post_impressions_unique: 90,
  post_video_likes_by_reaction_type: { REACTION_LIKE: 4, REACTION_LOVE: 1 },
  post_video_social_actions: { COMMENT: 5 },
};

/** Metrics that are also available per day. */
const DAY_INSIGHTS: Readonly<Record<string, unknown>> = { post_media_view: 3 };

const rowOf = (id: string, name: string, value: unknown, period = 'lifetime') =>
  presentInsight(id, name, value, `${period}: ${name}`, period);

/**
 * https://developers.facebook.com/docs/graph-api/reference/insights; null for an unknown or removed metric.
 */
export function presentInsights(id: string, names: readonly string[]) {
  if (!names.every((name) => name in POST_INSIGHTS)) return null;
  const ofDay = (name: string) => (name in DAY_INSIGHTS ? [rowOf(id, name, DAY_INSIGHTS[name], 'day')] : []);
  return { data: names.flatMap((name) => [...ofDay(name), rowOf(id, name, POST_INSIGHTS[name])]) };
}

export const presentVideoInsights = (id: string) => ({
  data: Object.entries(VIDEO_INSIGHTS).map(([name, value]) => rowOf(id, name, value)),
});

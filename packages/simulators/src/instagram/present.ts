import type { SocialAccount } from '../wire/simulator.js';
import { presentFiles } from '../meta/container-store.js';
import { presentInsight, presentTime } from '../meta/graph.js';
import type { InstagramComment, InstagramMedia } from './media-store.js';

/**
 * https://developers.facebook.com/documentation/instagram-platform/instagram-api-with-instagram-login/get-started
 */
export const presentAccount = ({ id, username, name, followers }: SocialAccount) => ({
  // Scoped to the app, and different from the ID used in edges.
  id: String(BigInt(id) + 7n),
  user_id: id,
  username,
  name,
  profile_picture_url: `https://scontent.cdninstagram.com/${id}.jpg`,
  followers_count: followers,
});

/**
 * https://developers.facebook.com/documentation/instagram-platform/instagram-graph-api/reference/ig-user:
 * with a page token.
 */
export const presentAccountOfPage = ({ id, username, name, followers }: SocialAccount) => ({
  id,
  username,
  name,
  profile_picture_url: `https://scontent.cdninstagram.com/${id}.jpg`,
  followers_count: followers,
});

/**
 * https://developers.facebook.com/documentation/instagram-platform/reference/instagram-media: omits fields
 * without a value.
 */
export const presentMedia = (account: SocialAccount, one: InstagramMedia) => ({
  id: one.id,
  ...presentFiles(one.id, one.files),
  caption: one.caption === '' ? undefined : one.caption,
  owner: { id: account.id },
  permalink: `https://www.instagram.com/${one.product === 'REELS' ? 'reel' : 'p'}/${Buffer.from(one.id).toString('base64url')}/`,
  timestamp: presentTime(one.createdAt),
  username: account.username,
});

/**
 * https://developers.facebook.com/documentation/instagram-platform/instagram-graph-api/reference/ig-comment
 */
export const presentComment = ({ id, username }: SocialAccount, one: InstagramComment) => ({
  id: one.id,
  from: one.accountId === id ? { id, username } : { id: one.accountId, username: one.accountId },
  hidden: false,
  media: { id: one.mediaId },
  text: one.text,
  timestamp: presentTime(one.createdAt),
  // Only for comments of the caller.
  user: one.accountId === id ? { id } : undefined,
  username: one.accountId === id ? username : one.accountId,
});

const INSIGHTS: Readonly<Record<string, number>> = {
  views: 120,
  reach: 80,
  likes: 9,
  comments: 3,
  shares: 2,
  saved: 4,
};
const STORY_INSIGHTS = ['views', 'reach', 'shares', 'total_interactions'];

/**
 * https://developers.facebook.com/documentation/instagram-platform/reference/instagram-media/insights;
 * returns the unsupported name.
 */
export function presentInsights({ id, product }: InstagramMedia, names: readonly string[]) {
  const fitting = product === 'STORY' ? STORY_INSIGHTS : Object.keys(INSIGHTS);
  const unfitting = names.find((name) => !fitting.includes(name));
  if (unfitting !== undefined) return { unfitting };
  return {
    data: names.map((name) => presentInsight(id, name, INSIGHTS[name], `How often: ${name}.`)),
  };
}

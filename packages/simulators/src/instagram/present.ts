import { presentInsight } from '../meta/graph.js';
import type { InstagramComment, InstagramMedia } from './media-store.js';

export interface InstagramAccount {
  readonly id: string;
  readonly username: string;
  readonly name: string;
  readonly followers: number;
}

const timeOf = (at: Date) => at.toISOString().replace(/\.\d+Z$/, '+0000');

/**
 * https://developers.facebook.com/documentation/instagram-platform/instagram-api-with-instagram-login/get-started
 */
export const presentAccount = ({ id, username, name, followers }: InstagramAccount) => ({
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
export const presentAccountOfPage = ({ id, username, name, followers }: InstagramAccount) => ({
  id,
  username,
  name,
  profile_picture_url: `https://scontent.cdninstagram.com/${id}.jpg`,
  followers_count: followers,
});

function typeOf({ files }: InstagramMedia): string {
  if (files.length > 1) return 'CAROUSEL_ALBUM';
  return files[0]?.type.startsWith('image/') ? 'IMAGE' : 'VIDEO';
}

/**
 * https://developers.facebook.com/documentation/instagram-platform/reference/instagram-media: omits fields
 * without a value.
 */
export const presentMedia = (account: InstagramAccount, one: InstagramMedia) => ({
  id: one.id,
  alt_text: one.files.length === 1 ? (one.files[0]?.altText ?? undefined) : undefined,
  caption: one.caption === '' ? undefined : one.caption,
  children:
    one.files.length > 1
      ? { data: one.files.map((_, at) => ({ id: String(BigInt(one.id) * 100n + BigInt(at)) })) }
      : undefined,
  media_type: typeOf(one),
  owner: { id: account.id },
  permalink: `https://www.instagram.com/${one.product === 'REELS' ? 'reel' : 'p'}/${Buffer.from(one.id).toString('base64url')}/`,
  timestamp: timeOf(one.createdAt),
  username: account.username,
});

/**
 * https://developers.facebook.com/documentation/instagram-platform/instagram-graph-api/reference/ig-comment
 */
export const presentComment = ({ id, username }: InstagramAccount, one: InstagramComment) => ({
  id: one.id,
  from: one.accountId === id ? { id, username } : { id: one.accountId, username: one.accountId },
  hidden: false,
  media: { id: one.mediaId },
  text: one.text,
  timestamp: timeOf(one.createdAt),
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

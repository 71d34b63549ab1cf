import type { SocialAccount } from '../wire/simulator.js';
import { presentFiles } from '../meta/container-store.js';
import { presentInsight, presentTime } from '../meta/graph.js';
import type { ThreadsPost } from './post-store.js';

/** https://developers.facebook.com/documentation/threads/reference/user */
export const presentAccount = ({ id, username, name }: SocialAccount) => ({
  id,
  username,
  name,
  threads_profile_picture_url: `https://scontent.cdninstagram.com/${id}.jpg`,
});

/**
 * https://developers.facebook.com/documentation/threads/reference/media-retrieval: omits fields without a
 * value.
 */
export const presentPost = (account: SocialAccount, post: ThreadsPost) => ({
  id: post.id,
  ...presentFiles(post.id, post.files),
  permalink: `https://www.threads.com/@${account.username}/post/${Buffer.from(post.id).toString('base64url')}`,
  owner: post.repliedTo === null ? { id: account.id } : undefined,
  username: account.username,
  text: post.text === '' ? undefined : post.text,
  timestamp: presentTime(post.createdAt),
  replied_to: post.repliedTo === null ? undefined : { id: post.repliedTo },
  topic_tag: post.topic ?? undefined,
});

const INSIGHTS: Readonly<Record<string, number>> = {
  views: 120,
  likes: 9,
  replies: 3,
  reposts: 4,
  quotes: 1,
  shares: 2,
};

/** https://developers.facebook.com/documentation/threads/insights; null for an unknown name. */
export function presentInsights(id: string, names: readonly string[]) {
  if (names.length === 0 || names.some((name) => !(name in INSIGHTS))) return null;
  return {
    data: names.map((name) => presentInsight(id, name, INSIGHTS[name], `The number of ${name} on the post.`)),
  };
}

import { presentInsight } from '../meta/graph.js';
import type { ThreadsPost } from './post-store.js';

export interface ThreadsAccount {
  readonly id: string;
  readonly username: string;
  readonly name: string;
  readonly followers: number;
}

/** https://developers.facebook.com/documentation/threads/reference/user */
export const presentAccount = ({ id, username, name }: ThreadsAccount) => ({
  id,
  username,
  name,
  threads_profile_picture_url: `https://scontent.cdninstagram.com/${id}.jpg`,
});

const mediaTypeOf = ({ files }: ThreadsPost): string => {
  if (files.length > 1) return 'CAROUSEL_ALBUM';
  const [file] = files;
  if (!file) return 'TEXT_POST';
  return file.type.startsWith('image/') ? 'IMAGE' : 'VIDEO';
};

const permalinkOf = (username: string, id: string) =>
  `https://www.threads.com/@${username}/post/${Buffer.from(id).toString('base64url')}`;

/**
 * https://developers.facebook.com/documentation/threads/reference/media-retrieval: omits fields without a
 * value.
 */
export const presentPost = (account: ThreadsAccount, post: ThreadsPost) => ({
  id: post.id,
  media_type: mediaTypeOf(post),
  permalink: permalinkOf(account.username, post.id),
  owner: post.repliedTo === null ? { id: account.id } : undefined,
  username: account.username,
  text: post.text === '' ? undefined : post.text,
  // Graph's time format: without a colon in the offset.
  timestamp: post.createdAt.toISOString().replace(/\.\d+Z$/, '+0000'),
  children:
    post.files.length > 1
      ? { data: post.files.map((_, at) => ({ id: String(BigInt(post.id) * 100n + BigInt(at)) })) }
      : undefined,
  alt_text: post.files.length === 1 ? (post.files[0]?.altText ?? undefined) : undefined,
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

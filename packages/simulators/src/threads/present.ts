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
  threads_biography: 'Reads a lot.',
  is_verified: false,
  recently_searched_keywords: undefined,
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
  media_product_type: 'THREADS',
  media_type: mediaTypeOf(post),
  media_url: post.files.length === 1 ? post.files[0]?.url : undefined,
  permalink: permalinkOf(account.username, post.id),
  owner: post.repliedTo === null ? { id: account.id } : undefined,
  username: account.username,
  text: post.text === '' ? undefined : post.text,
  // Graph's time format: without a colon in the offset.
  timestamp: post.createdAt.toISOString().replace(/\.\d+Z$/, '+0000'),
  shortcode: Buffer.from(post.id).toString('base64url'),
  thumbnail_url: undefined,
  children:
    post.files.length > 1
      ? { data: post.files.map((_, at) => ({ id: String(BigInt(post.id) * 100n + BigInt(at)) })) }
      : undefined,
  is_quote_post: false,
  alt_text: post.files.length === 1 ? (post.files[0]?.altText ?? undefined) : undefined,
  link_attachment_url: post.link ?? undefined,
  has_replies: false,
  is_reply: post.repliedTo !== null,
  is_reply_owned_by_me: post.repliedTo !== null,
  root_post: post.root === null ? undefined : { id: post.root },
  replied_to: post.repliedTo === null ? undefined : { id: post.repliedTo },
  reply_audience: post.audience.toUpperCase(),
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

import { okResponse } from '../wire/exchange.js';
import type { PostStore, RedditComment, RedditPost } from './post-store.js';

const seconds = (date: Date) => Math.floor(date.getTime() / 1_000);
const slugOf = (title: string) =>
  title
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/^_|_$/g, '')
    .slice(0, 50) || '_';
const endings: Readonly<Record<string, string>> = {
  'image/jpeg': 'jpeg',
  'image/png': 'png',
  'image/gif': 'gif',
};

export const permalinkOf = ({ subreddit, id, title }: RedditPost): string =>
  `/r/${subreddit}/comments/${id}/${slugOf(title)}/`;

/** The URL of the content: media hosted by Reddit has a URL with its upload ID. */
function urlOf(post: RedditPost): string {
  const [first] = post.media;
  switch (post.kind) {
    case 'self':
      return `https://www.reddit.com${permalinkOf(post)}`;
    case 'link':
      return post.url ?? '';
    case 'gallery':
      return `https://www.reddit.com/gallery/${post.id}`;
    case 'video':
      return `https://v.redd.it/${first?.assetId}`;
    case 'image':
      return `https://i.redd.it/${first?.assetId}.${endings[first?.type ?? ''] ?? 'jpg'}`;
  }
}

export function presentPost(post: RedditPost, store: PostStore) {
  const isGone = !store.exists(`t3_${post.id}`);
  const { kind, subreddit } = post;
  const url = urlOf(post);
  return {
    kind: 't3',
    data: {
      id: post.id,
      name: `t3_${post.id}`,
      subreddit,
      title: post.title,
      selftext: isGone ? '[deleted]' : post.text,
      author: isGone ? '[deleted]' : post.author,
      removed_by_category: isGone ? 'deleted' : store.removalOf(`t3_${post.id}`),
      permalink: permalinkOf(post),
      url,
      is_self: kind === 'self',
      ...(kind !== 'self' && { url_overridden_by_dest: url }),
      ...(kind === 'gallery' && {
        gallery_data: {
          items: post.media.map(({ assetId }, at) => ({ media_id: assetId, id: 199_873 + at })),
        },
      }),
      created_utc: seconds(post.createdAt),
      edited: false,
      archived: false,
      score: 17,
      num_comments: store.commentsBelow(post.id).length,
      num_crossposts: 2,
      over_18: post.nsfw,
      spoiler: post.spoiler,
      send_replies: post.sendReplies,
      link_flair_text: post.flair?.text ?? null,
      ...(post.flair && { link_flair_template_id: post.flair.id }),
    },
  };
}

export function presentComment(comment: RedditComment, store: PostStore) {
  const post = store.findPost(`t3_${comment.postId}`);
  const isGone = !store.exists(`t1_${comment.id}`);
  return {
    kind: 't1',
    data: {
      id: comment.id,
      name: `t1_${comment.id}`,
      link_id: `t3_${comment.postId}`,
      parent_id: comment.parent,
      body: isGone ? '[deleted]' : comment.text,
      // Visible to moderators only, whose scope is not simulated.
      ...(store.removalOf(`t1_${comment.id}`) !== null && { removed: true, spam: false, approved: false }),
      author: isGone ? '[deleted]' : comment.author,
      created_utc: seconds(comment.createdAt),
      edited: false,
      score: 1,
      replies: '',
      subreddit: post?.subreddit ?? '',
      permalink: `${post ? permalinkOf(post) : '/'}${comment.id}/`,
    },
  };
}

/** A listing, Reddit's list format. */
export function listing<Item>(
  query: URLSearchParams,
  items: readonly Item[],
  present: (item: Item) => { readonly data: { readonly name: string } },
) {
  const things = items.map(present);
  const limit = Math.min(Number(query.get('limit') ?? 25) || 25, 100);
  const after = query.get('after');
  const start = after === null ? 0 : things.findIndex(({ data }) => data.name === after) + 1;
  const children = things.slice(start, start + limit);
  const isEnd = start + limit >= things.length;
  const last = isEnd ? null : (children.at(-1)?.data.name ?? null);
  return okResponse({ kind: 'Listing', data: { children, before: null, after: last } });
}

/** Without `raw_json=1`, these three characters are HTML-escaped in every text. */
export function withEscapes(json: unknown): unknown {
  if (typeof json === 'string') {
    return json.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  }
  if (Array.isArray(json)) return json.map(withEscapes);
  if (typeof json !== 'object' || json === null) return json;
  return Object.fromEntries(Object.entries(json).map(([name, value]) => [name, withEscapes(value)]));
}

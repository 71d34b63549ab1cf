import { objectStore, type NewObject, type StoredObject } from '../wire/object-store.js';

export interface HostedMedia {
  readonly assetId: string;
  readonly type: string;
  readonly sha256: string;
}

export interface RedditPost extends StoredObject {
  readonly author: string;
  readonly subreddit: string;
  readonly kind: 'self' | 'link' | 'image' | 'gallery' | 'video';
  readonly title: string;
  readonly text: string;
  readonly url: string | null;
  readonly media: readonly HostedMedia[];
  readonly flair: { readonly id: string; readonly text: string } | null;
  readonly nsfw: boolean;
  readonly spoiler: boolean;
  readonly sendReplies: boolean;
}

export interface RedditComment extends StoredObject {
  readonly author: string;
  readonly postId: string;
  readonly parent: string;
  readonly text: string;
}

const FIRST_ID = 1_900_000_000;

const idIn = (kind: 't1_' | 't3_', fullname: string) =>
  fullname.startsWith(kind) ? fullname.slice(kind.length) : '';

/** All posts ever created, including deleted ones. */
export function postStore(now: () => Date) {
  let created = 0;
  const nextId = () => (FIRST_ID + created++).toString(36);
  const posts = objectStore<RedditPost>(now, nextId);
  const comments = objectStore<RedditComment>(now, nextId);
  const gone = new Set<string>();
  /** The number of remaining reads of the account's own list before a media post appears. */
  const hidden = new Map<string, number>();
  /** The `removed_by_category` of posts removed by a filter or by moderators, which the author still sees. */
  const removals = new Map<string, string>();
  let filter: string | null = null;
  const exists = (fullname: string) => !gone.has(fullname);

  return {
    /** The number of posts and comments ever created. */
    createdCount: () => created,
    post(post: NewObject<RedditPost>, hiddenForPolls = 0): RedditPost {
      const made = posts.create(post);
      if (hiddenForPolls > 0) hidden.set(made.id, hiddenForPolls);
      if (filter !== null) removals.set(`t3_${made.id}`, filter);
      return made;
    },
    comment(comment: NewObject<RedditComment>): RedditComment {
      const made = comments.create(comment);
      if (filter !== null) removals.set(`t1_${made.id}`, filter);
      return made;
    },
    /** By its fullname, including deleted ones. */
    findPost: (fullname: string) => posts.find(idIn('t3_', fullname)),
    findComment: (fullname: string) => comments.find(idIn('t1_', fullname)),
    exists,
    /** Posts created from now on are removed immediately with this category; null: they are shown. */
    filters: (category: string | null) => void (filter = category),
    removalOf: (fullname: string): string | null => removals.get(fullname) ?? null,
    /** A removal by a moderator, visible to all readers. */
    approve: (fullname: string) => void removals.delete(fullname),
    /** Reddit removes its text. */
    rewrite: (fullname: string, words: string) =>
      void posts.change(idIn('t3_', fullname), { title: words, text: words }),
    /** By its author. */
    edit(fullname: string, text: string): void {
      posts.edit(idIn('t3_', fullname), { text });
      comments.edit(idIn('t1_', fullname), { text });
    },
    editCount: () => posts.edits().length + comments.edits().length,
    remove: (fullname: string) => void gone.add(fullname),
    commentsBelow: (post: string) =>
      comments.list(({ postId, id }) => postId === post && exists(`t1_${id}`)).reverse(),
    inSubreddit: (name: string) =>
      posts.list(({ subreddit, id }) => subreddit.toLowerCase() === name.toLowerCase() && exists(`t3_${id}`)),
    /** Newest first; each read advances hidden posts. */
    postsOf(name: string): readonly RedditPost[] {
      const own = posts.list(({ author, id }) => author === name && exists(`t3_${id}`));
      const shown = own.filter(({ id }) => (hidden.get(id) ?? 0) === 0);
      for (const [id, looks] of hidden) hidden.set(id, Math.max(0, looks - 1));
      return shown;
    },
    commentsOf: (name: string) => comments.list(({ author, id }) => author === name && exists(`t1_${id}`)),
  };
}

export type PostStore = ReturnType<typeof postStore>;

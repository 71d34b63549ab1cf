export interface HostedMedia {
  readonly assetId: string;
  readonly type: string;
  readonly sha256: string;
}

export interface RedditPost {
  readonly id: string;
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
  readonly createdAt: Date;
}

export interface RedditComment {
  readonly id: string;
  readonly author: string;
  readonly postId: string;
  readonly parent: string;
  readonly text: string;
  readonly createdAt: Date;
}

const FIRST_ID = 1_900_000_000;

/** All posts ever created, including deleted ones. */
export function postStore(now: () => Date) {
  const posts: RedditPost[] = [];
  const comments: RedditComment[] = [];
  const gone = new Set<string>();
  /** The number of remaining reads of the account's own list before a media post appears. */
  const hidden = new Map<string, number>();
  /** The `removed_by_category` of posts removed by a filter or by moderators, which the author still sees. */
  const removals = new Map<string, string>();
  let filter: string | null = null;
  const nextId = () => (FIRST_ID + posts.length + comments.length).toString(36);
  const exists = (fullname: string) => !gone.has(fullname);

  return {
    /** The number of posts and comments ever created. */
    createdCount: () => posts.length + comments.length,
    post(post: Omit<RedditPost, 'id' | 'createdAt'>, hiddenForPolls = 0): RedditPost {
      const created = { ...post, id: nextId(), createdAt: now() };
      posts.push(created);
      if (hiddenForPolls > 0) hidden.set(created.id, hiddenForPolls);
      if (filter !== null) removals.set(`t3_${created.id}`, filter);
      return created;
    },
    comment(comment: Omit<RedditComment, 'id' | 'createdAt'>): RedditComment {
      const created = { ...comment, id: nextId(), createdAt: now() };
      comments.push(created);
      if (filter !== null) removals.set(`t1_${created.id}`, filter);
      return created;
    },
    /** By its fullname, including deleted ones. */
    findPost: (fullname: string) => posts.find(({ id }) => `t3_${id}` === fullname) ?? null,
    findComment: (fullname: string) => comments.find(({ id }) => `t1_${id}` === fullname) ?? null,
    exists,
    /** Posts created from now on are removed immediately with this category; null: they are shown. */
    filters: (category: string | null) => void (filter = category),
    removalOf: (fullname: string): string | null => removals.get(fullname) ?? null,
    /** A removal by a moderator, visible to all readers. */
    approve: (fullname: string) => void removals.delete(fullname),
    /** Reddit removes its text. */
    rewrite(fullname: string, words: string): void {
      const at = posts.findIndex(({ id }) => `t3_${id}` === fullname);
      const post = posts[at];
      if (post) posts[at] = { ...post, title: words, text: words };
    },
    remove: (fullname: string) => void gone.add(fullname),
    commentsBelow: (postId: string) =>
      comments.filter((one) => one.postId === postId && exists(`t1_${one.id}`)),
    inSubreddit: (name: string) =>
      posts.filter(
        ({ subreddit, id }) => subreddit.toLowerCase() === name.toLowerCase() && exists(`t3_${id}`),
      ),
    /** Newest first; each read advances hidden posts. */
    postsOf(author: string): readonly RedditPost[] {
      const own = posts.filter((one) => one.author === author && exists(`t3_${one.id}`)).reverse();
      const shown = own.filter(({ id }) => (hidden.get(id) ?? 0) === 0);
      for (const [id, looks] of hidden) hidden.set(id, Math.max(0, looks - 1));
      return shown;
    },
    commentsOf: (author: string): readonly RedditComment[] =>
      comments.filter((one) => one.author === author && exists(`t1_${one.id}`)).reverse(),
  };
}

export type PostStore = ReturnType<typeof postStore>;

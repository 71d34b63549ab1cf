import type { PublishedFile } from '../meta/container-store.js';

export interface ThreadsPost {
  readonly id: string;
  readonly accountId: string;
  readonly text: string;
  readonly files: readonly PublishedFile[];
  readonly link: string | null;
  readonly topic: string | null;
  readonly audience: string;
  /** The post that it replies to, and the root of the thread. */
  readonly repliedTo: string | null;
  readonly root: string | null;
  readonly publishedAt: Date;
}

const DAY_MS = 86_400_000;
const FIRST_ID = 18_000_000_000_000_001n;

/** All posts ever published, with their deletion times. */
export function postStore(now: () => Date) {
  const all: ThreadsPost[] = [];
  const removedAt = new Map<string, Date>();
  const living = () => all.filter(({ id }) => !removedAt.has(id));
  const isRecent = (at: Date) => now().getTime() - at.getTime() < DAY_MS;

  return {
    /** The number of posts ever published. */
    createdCount: () => all.length,
    removed: (): readonly string[] => [...removedAt.keys()],
    find: (id: string) => living().find((post) => post.id === id) ?? null,
    publish(post: Omit<ThreadsPost, 'id' | 'publishedAt'>): ThreadsPost {
      const created = { ...post, id: String(FIRST_ID + BigInt(all.length)), publishedAt: now() };
      all.push(created);
      return created;
    },
    remove: (id: string) => void removedAt.set(id, now()),
    /** Newest first: root posts, or replies. */
    of: (accountId: string, kind: 'posts' | 'replies') =>
      living()
        .filter((post) => post.accountId === accountId && (post.repliedTo === null) === (kind === 'posts'))
        .reverse(),
    /** Within a day, including deleted ones. */
    usage(accountId: string) {
      const recent = all.filter((post) => post.accountId === accountId && isRecent(post.publishedAt));
      const own = all.filter((post) => post.accountId === accountId).map(({ id }) => removedAt.get(id));
      const posts = recent.filter(({ repliedTo }) => repliedTo === null).length;
      return {
        posts,
        replies: recent.length - posts,
        deletes: own.filter((at) => at !== undefined && isRecent(at)).length,
      };
    },
  };
}

export type PostStore = ReturnType<typeof postStore>;

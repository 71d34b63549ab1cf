import type { PublishedFile } from '../meta/container-store.js';
import { numbersFrom, objectStore, type StoredObject } from '../wire/object-store.js';

export interface ThreadsPost extends StoredObject {
  readonly accountId: string;
  readonly text: string;
  readonly files: readonly PublishedFile[];
  readonly link: string | null;
  readonly topic: string | null;
  readonly audience: string;
  /** The post that it replies to, and the root of the thread. */
  readonly repliedTo: string | null;
  readonly root: string | null;
}

const DAY_MS = 86_400_000;

/** All posts ever published, with their deletion times. */
export function postStore(now: () => Date) {
  const posts = objectStore<ThreadsPost>(now, numbersFrom(18_000_000_000_000_001n));
  const removedAt = new Map<string, Date>();
  const isRecent = (at: Date | undefined) => at !== undefined && now().getTime() - at.getTime() < DAY_MS;

  return {
    ...posts,
    remove(id: string): void {
      posts.remove(id);
      removedAt.set(id, now());
    },
    /** Newest first: root posts, or replies. */
    of: (accountId: string, kind: 'posts' | 'replies') =>
      posts.list((post) => post.accountId === accountId && (post.repliedTo === null) === (kind === 'posts')),
    /** Within a day, including deleted ones. */
    usage(accountId: string) {
      const own = posts.all.filter((post) => post.accountId === accountId);
      const recent = own.filter(({ createdAt }) => isRecent(createdAt));
      const roots = recent.filter(({ repliedTo }) => repliedTo === null).length;
      return {
        posts: roots,
        replies: recent.length - roots,
        deletes: own.filter(({ id }) => isRecent(removedAt.get(id))).length,
      };
    },
  };
}

export type PostStore = ReturnType<typeof postStore>;

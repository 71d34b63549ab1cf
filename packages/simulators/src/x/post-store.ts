import type { XMedia } from './media-routes.js';

export interface XPost {
  readonly id: string;
  readonly accountId: string;
  /** As received. */
  readonly text: string;
  readonly inReplyToId: string | null;
  readonly media: readonly XMedia[];
  readonly replySettings: string;
  readonly madeWithAi: boolean;
  readonly paidPartnership: boolean;
  readonly quotedId: string | null;
  readonly communityId: string | null;
  readonly sharedWithFollowers: boolean;
  readonly createdAt: Date;
}

/** X's epoch (2010-11-04T01:42:54.657Z): the upper bits of an ID are the milliseconds since then. */
const EPOCH_MS = 1_288_834_974_657n;

/** All posts ever created, including deleted ones. */
export function postStore(now: () => Date) {
  const all: XPost[] = [];
  const gone = new Set<string>();
  const living = () => all.filter(({ id }) => !gone.has(id));

  return {
    /** The number of posts ever created. */
    createdCount: () => all.length,
    find: (id: string) => living().find((post) => post.id === id) ?? null,
    post(post: Omit<XPost, 'id' | 'createdAt'>): XPost {
      const createdAt = now();
      const id = ((BigInt(createdAt.getTime()) - EPOCH_MS) << 22n) + BigInt(all.length % 4_096);
      const created = { ...post, id: String(id), createdAt };
      all.push(created);
      return created;
    },
    remove: (id: string) => void gone.add(id),
    /** Newest first. */
    of: (accountId: string) =>
      living()
        .filter((post) => post.accountId === accountId)
        .reverse(),
  };
}

export type PostStore = ReturnType<typeof postStore>;

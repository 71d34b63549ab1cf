import type { FetchedFile } from '../meta/fetched-file.js';

export type Privacy = 'PUBLIC_TO_EVERYONE' | 'MUTUAL_FOLLOW_FRIENDS' | 'FOLLOWER_OF_CREATOR' | 'SELF_ONLY';

/** The requested content of a post. */
export interface PostInfo {
  readonly title: string;
  /** For photos. */
  readonly description: string;
  readonly privacy: Privacy;
  readonly noComments: boolean;
  readonly noDuets: boolean;
  readonly noStitches: boolean;
  readonly paidPartnership: boolean;
  readonly ownBusiness: boolean;
  readonly madeWithAi: boolean;
  readonly addsMusic: boolean;
  readonly coverMs: number | null;
}

export interface TikTokPost extends PostInfo {
  readonly id: string;
  readonly accountId: string;
  readonly publishId: string;
  readonly kind: 'video' | 'photo';
  readonly files: readonly FetchedFile[];
  readonly createdAt: Date;
}

/** Nineteen digits, which exceed JavaScript's safe integers in JSON. */
const FIRST_ID = 7_678_907_398_077_074_696n;
const STEP = 1_000_003n;

/** All posts ever created. */
export function postStore(now: () => Date) {
  const posts: TikTokPost[] = [];
  let held = false;

  return {
    /** The number of posts ever created. */
    createdCount: () => posts.length,
    find: (id: string) => posts.find((one) => one.id === id || one.publishId === id) ?? null,
    add(post: Omit<TikTokPost, 'id' | 'createdAt'>): TikTokPost {
      const created = { ...post, id: String(FIRST_ID + BigInt(posts.length) * STEP), createdAt: now() };
      posts.push(created);
      return created;
    },
    /** The public posts, newest first. */
    publicOf: (accountId: string) =>
      posts
        .filter((one) => one.accountId === accountId && one.privacy === 'PUBLIC_TO_EVERYONE' && !held)
        .reverse(),
    /** Whether it is public already: only then its ID is returned. */
    isPublic: (post: TikTokPost) => post.privacy === 'PUBLIC_TO_EVERYONE' && !held,
    /** Posts of an account in the last 24 hours. */
    madeToday: (accountId: string) =>
      posts.filter((one) => one.accountId === accountId && one.createdAt.getTime() > now().getTime() - DAY_MS)
        .length,
    /** Whether moderation is delayed from now on. */
    setModerationPending: (does: boolean) => void (held = does),
  };
}

const DAY_MS = 86_400_000;

export type PostStore = ReturnType<typeof postStore>;

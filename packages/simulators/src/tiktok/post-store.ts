import type { FetchedFile } from '../meta/fetched-file.js';

export type Privacy = 'PUBLIC_TO_EVERYONE' | 'MUTUAL_FOLLOW_FRIENDS' | 'FOLLOWER_OF_CREATOR' | 'SELF_ONLY';

/** What a post is to be, as it was asked for. */
export interface PostInfo {
  readonly title: string;
  /** Of photos. */
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

/** Nineteen digits: more than a number of JSON's keeps in JavaScript. */
const FIRST_ID = 7_678_907_398_077_074_696n;
const STEP = 1_000_003n;

/** Everything that was ever posted. */
export function postStore(now: () => Date) {
  const posts: TikTokPost[] = [];
  let held = false;

  return {
    /** How many were ever made. */
    createdCount: () => posts.length,
    find: (id: string) => posts.find((one) => one.id === id || one.publishId === id) ?? null,
    add(post: Omit<TikTokPost, 'id' | 'createdAt'>): TikTokPost {
      const created = { ...post, id: String(FIRST_ID + BigInt(posts.length) * STEP), createdAt: now() };
      posts.push(created);
      return created;
    },
    /** Those that everybody sees, the newest first. */
    publicOf: (accountId: string) =>
      posts
        .filter((one) => one.accountId === accountId && one.privacy === 'PUBLIC_TO_EVERYONE' && !held)
        .reverse(),
    /** Whether everybody sees it by now: only then it has an id that is told. */
    isPublic: (post: TikTokPost) => post.privacy === 'PUBLIC_TO_EVERYONE' && !held,
    /** Posts of an account in the last 24 hours. */
    madeToday: (accountId: string) =>
      posts.filter((one) => one.accountId === accountId && one.createdAt.getTime() > now().getTime() - DAY_MS)
        .length,
    /** From now on, whether moderation takes its time. */
    setModerationPending: (does: boolean) => void (held = does),
  };
}

const DAY_MS = 86_400_000;

export type PostStore = ReturnType<typeof postStore>;

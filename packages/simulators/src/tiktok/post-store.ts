import type { FetchedFile } from '../meta/fetched-file.js';
import type { PostInfo } from './posting.js';
import { numbersFrom, objectStore, type StoredObject } from '../wire/object-store.js';

export type Privacy = 'PUBLIC_TO_EVERYONE' | 'MUTUAL_FOLLOW_FRIENDS' | 'FOLLOWER_OF_CREATOR' | 'SELF_ONLY';

export interface TikTokPost extends PostInfo, StoredObject {
  readonly accountId: string;
  readonly publishId: string;
  readonly kind: 'video' | 'photo';
  readonly files: readonly FetchedFile[];
}

/** Nineteen digits, which exceed JavaScript's safe integers in JSON. */
const FIRST_ID = 7_678_907_398_077_074_696n;
const STEP = 1_000_003n;
const DAY_MS = 86_400_000;

/** All posts ever created. */
export function postStore(now: () => Date) {
  const { all, createdCount, create, list, remove } = objectStore<TikTokPost>(
    now,
    numbersFrom(FIRST_ID, STEP),
  );
  let held = false;
  const isPublic = ({ privacy }: TikTokPost) => privacy === 'PUBLIC_TO_EVERYONE' && !held;

  return {
    createdCount,
    find: (id: string) => all.find((one) => one.id === id || one.publishId === id) ?? null,
    add: create,
    /** Deletes it, as its author does in the app. */
    remove,
    /** The public posts, newest first. */
    publicOf: (account: string) => list((one) => one.accountId === account && isPublic(one)),
    /** Whether it is public already: only then its ID is returned. */
    isPublic,
    /** Posts of an account in the last 24 hours. */
    madeToday: (account: string) =>
      all.filter(
        ({ accountId, createdAt }) => accountId === account && createdAt.getTime() > now().getTime() - DAY_MS,
      ).length,
    /** Whether moderation is delayed from now on. */
    setModerationPending: (does: boolean) => void (held = does),
  };
}

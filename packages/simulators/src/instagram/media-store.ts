import type { PublishedFile } from '../meta/container-store.js';
import { numbersFrom, objectStore, type StoredObject } from '../wire/object-store.js';

export interface InstagramMedia extends StoredObject {
  readonly accountId: string;
  readonly caption: string;
  readonly product: 'FEED' | 'REELS' | 'STORY';
  readonly files: readonly PublishedFile[];
  readonly sharedToFeed: boolean | null;
}

export interface InstagramComment extends StoredObject {
  readonly mediaId: string;
  readonly accountId: string;
  readonly text: string;
}

const DAY_MS = 86_400_000;

/** All media and comments ever published. */
export function mediaStore(now: () => Date) {
  const media = objectStore<InstagramMedia>(now, numbersFrom(18_100_000_000_000_001n));
  const comments = objectStore<InstagramComment>(now, numbersFrom(17_800_000_000_000_001n));
  const isRecent = (at: Date) => now().getTime() - at.getTime() < DAY_MS;

  return {
    /** The number of posts and comments ever created. */
    createdCount: () => media.createdCount() + comments.createdCount(),
    find: media.find,
    comment: comments.find,
    publish: media.create,
    write: comments.create,
    /** Removes it, or hides it from all lists for now. */
    hide(id: string): void {
      media.remove(id);
      comments.remove(id);
    },
    /** Newest first. Stories are listed for a day. */
    of: (account: string, edge: 'media' | 'stories') =>
      media
        .list(
          ({ accountId, product }) => accountId === account && (product === 'STORY') === (edge === 'stories'),
        )
        .filter(({ createdAt }) => edge === 'media' || isRecent(createdAt)),
    commentsOf: (id: string) => comments.list(({ mediaId }) => mediaId === id),
    usage: (account: string) =>
      media.all.filter(({ accountId, createdAt }) => accountId === account && isRecent(createdAt)).length,
  };
}

export type MediaStore = ReturnType<typeof mediaStore>;

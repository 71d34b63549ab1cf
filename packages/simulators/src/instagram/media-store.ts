import type { PublishedFile } from '../meta/container-store.js';

export interface InstagramMedia {
  readonly id: string;
  readonly accountId: string;
  readonly caption: string;
  readonly product: 'FEED' | 'REELS' | 'STORY';
  readonly files: readonly PublishedFile[];
  readonly sharedToFeed: boolean | null;
  readonly publishedAt: Date;
}

export interface InstagramComment {
  readonly id: string;
  readonly mediaId: string;
  readonly accountId: string;
  readonly text: string;
  readonly writtenAt: Date;
}

const DAY_MS = 86_400_000;
const FIRST_MEDIA = 18_100_000_000_000_001n;
const FIRST_COMMENT = 17_800_000_000_000_001n;

/** All media and comments ever published. */
export function mediaStore(now: () => Date) {
  const media: InstagramMedia[] = [];
  const comments: InstagramComment[] = [];
  const hidden = new Set<string>();
  const isRecent = (at: Date) => now().getTime() - at.getTime() < DAY_MS;
  const shown = () => media.filter(({ id }) => !hidden.has(id));

  return {
    /** The number of posts and comments ever created. */
    createdCount: () => media.length + comments.length,
    find: (id: string) => shown().find((one) => one.id === id) ?? null,
    comment: (id: string) => comments.find((one) => one.id === id && !hidden.has(id)) ?? null,
    publish(one: Omit<InstagramMedia, 'id' | 'publishedAt'>): InstagramMedia {
      const created = { ...one, id: String(FIRST_MEDIA + BigInt(media.length)), publishedAt: now() };
      media.push(created);
      return created;
    },
    write(one: Omit<InstagramComment, 'id' | 'writtenAt'>): InstagramComment {
      const created = { ...one, id: String(FIRST_COMMENT + BigInt(comments.length)), writtenAt: now() };
      comments.push(created);
      return created;
    },
    /** Removes it, or hides it from all lists for now. */
    hide: (id: string) => void hidden.add(id),
    /** Newest first. Stories are listed for a day. */
    of: (accountId: string, edge: 'media' | 'stories') =>
      shown()
        .filter((one) => one.accountId === accountId && (one.product === 'STORY') === (edge === 'stories'))
        .filter((one) => edge === 'media' || isRecent(one.publishedAt))
        .reverse(),
    commentsOf: (mediaId: string) =>
      comments.filter((one) => one.mediaId === mediaId && !hidden.has(one.id)).reverse(),
    usage: (accountId: string) =>
      media.filter((one) => one.accountId === accountId && isRecent(one.publishedAt)).length,
  };
}

export type MediaStore = ReturnType<typeof mediaStore>;

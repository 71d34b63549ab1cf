import type { FetchedFile } from '../meta/fetched-file.js';

/** An uploaded image or video. An image is not visible until a post uses it. */
export interface PageFile extends FetchedFile {
  readonly id: string;
  readonly pageId: string;
  readonly altText: string | null;
}

export interface PagePost {
  readonly id: string;
  readonly pageId: string;
  readonly message: string;
  readonly link: string | null;
  readonly photos: readonly PageFile[];
  /** A video is a post of its own with its own ID. */
  readonly video: PageFile | null;
  readonly isReel: boolean;
  readonly publishedAt: Date;
}

export interface PageComment {
  readonly id: string;
  readonly objectId: string;
  /** Null: the author is not disclosed. */
  readonly authorId: string | null;
  readonly message: string;
  readonly writtenAt: Date;
}

const FIRST_PHOTO = 122_100_000_000_000_001n;
const FIRST_POST = 122_200_000_000_000_001n;
const FIRST_COMMENT = 122_300_000_000_000_001n;

/** All posts and comments ever published on pages. */
export function pageStore(now: () => Date) {
  const photos: PageFile[] = [];
  const posts: PagePost[] = [];
  const comments: PageComment[] = [];
  const removed = new Set<string>();
  const isThere = ({ id }: { readonly id: string }) => !removed.has(id);

  return {
    /** The number of posts and comments ever created. */
    createdCount: () => posts.length + comments.length,
    keepPhoto(pageId: string, file: FetchedFile, altText: string | null): PageFile {
      const created = { ...file, altText, pageId, id: String(FIRST_PHOTO + BigInt(photos.length)) };
      photos.push(created);
      return created;
    },
    photo: (pageId: string, id: string) =>
      photos.find((one) => one.id === id && one.pageId === pageId && isThere(one)) ?? null,
    /** Images that no post used within a day are deleted. */
    forgetPhotos(): void {
      const shown = new Set(posts.flatMap((post) => post.photos.map(({ id }) => id)));
      for (const { id } of photos) if (!shown.has(id)) removed.add(id);
    },
    publish(post: Omit<PagePost, 'id' | 'publishedAt'>): PagePost {
      const own = `${post.pageId}_${FIRST_POST + BigInt(posts.length)}`;
      const created = { ...post, id: post.video?.id ?? own, publishedAt: now() };
      posts.push(created);
      return created;
    },
    write(comment: Omit<PageComment, 'id' | 'writtenAt'>): PageComment {
      const number = FIRST_COMMENT + BigInt(comments.length);
      const id = `${comment.objectId.split('_').at(-1)}_${number}`;
      const created = { ...comment, id, writtenAt: now() };
      comments.push(created);
      return created;
    },
    post: (id: string) => posts.find((one) => one.id === id && isThere(one)) ?? null,
    comment: (id: string) => comments.find((one) => one.id === id && isThere(one)) ?? null,
    remove: (id: string) => void removed.add(id),
    removed: (): readonly string[] => [...removed],
    /** Newest first. */
    postsOf: (pageId: string) => posts.filter((one) => one.pageId === pageId && isThere(one)).reverse(),
    commentsOf: (objectId: string) =>
      comments.filter((one) => one.objectId === objectId && isThere(one)).reverse(),
  };
}

export type PageStore = ReturnType<typeof pageStore>;

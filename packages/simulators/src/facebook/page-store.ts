import { numbersFrom, objectStore, type NewObject, type StoredObject } from '../wire/object-store.js';
import type { FetchedFile } from '../meta/fetched-file.js';

/** An uploaded image or video. An image is not visible until a post uses it. */
export interface PageFile extends FetchedFile, StoredObject {
  readonly pageId: string;
  readonly altText: string | null;
}

export interface PagePost extends StoredObject {
  readonly pageId: string;
  readonly message: string;
  readonly link: string | null;
  readonly photos: readonly PageFile[];
  /** A video is a post of its own with its own ID. */
  readonly video: PageFile | null;
  readonly isReel: boolean;
}

export interface PageComment extends StoredObject {
  readonly objectId: string;
  /** Null: the author is not disclosed. */
  readonly authorId: string | null;
  readonly message: string;
}

/** All posts and comments ever published on pages. */
export function pageStore(now: () => Date) {
  const photos = objectStore<PageFile>(now, numbersFrom(122_100_000_000_000_001n));
  const posts = objectStore<PagePost>(now, numbersFrom(122_200_000_000_000_001n));
  const comments = objectStore<PageComment>(now, numbersFrom(122_300_000_000_000_001n));

  return {
    /** The number of posts and comments ever created. */
    createdCount: () => posts.createdCount() + comments.createdCount(),
    keepPhoto: (pageId: string, file: FetchedFile, altText: string | null) =>
      photos.create({ ...file, altText, pageId }),
    photo(pageId: string, id: string): PageFile | null {
      const found = photos.find(id);
      return found?.pageId === pageId ? found : null;
    },
    /** Images that no post used within a day are deleted. */
    forgetPhotos(): void {
      const shown = new Set(posts.all.flatMap((post) => post.photos.map(({ id }) => id)));
      for (const { id } of photos.all) if (!shown.has(id)) photos.remove(id);
    },
    publish(post: NewObject<PagePost>): PagePost {
      const created = posts.create(post);
      const id = post.video?.id ?? `${post.pageId}_${created.id}`;
      return posts.change(created.id, { id }) ?? created;
    },
    write(comment: NewObject<PageComment>): PageComment {
      const created = comments.create(comment);
      const id = `${comment.objectId.split('_').at(-1)}_${created.id}`;
      return comments.change(created.id, { id }) ?? created;
    },
    post: posts.find,
    comment: comments.find,
    /** By the page: the text of a post or a comment, the description of a video. */
    edit(id: string, message: string): void {
      posts.edit(id, { message });
      comments.edit(id, { message });
    },
    editCount: () => posts.edits().length + comments.edits().length,
    remove(id: string): void {
      posts.remove(id);
      comments.remove(id);
    },
    /** Newest first. */
    postsOf: (page: string) => posts.list(({ pageId }) => pageId === page),
    commentsOf: (object: string) => comments.list(({ objectId }) => objectId === object),
  };
}

export type PageStore = ReturnType<typeof pageStore>;

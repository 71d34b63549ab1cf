import { numbersFrom, objectStore, type StoredObject } from '../wire/object-store.js';

export interface PinnedFile {
  readonly type: string;
  readonly sha256: string;
}

export interface Pin extends StoredObject {
  readonly accountId: string;
  readonly boardId: string;
  readonly sectionId: string | null;
  readonly title: string | null;
  readonly description: string | null;
  readonly link: string | null;
  readonly altText: string | null;
  readonly files: readonly PinnedFile[];
  /** The cover frame of a video, in seconds. */
  readonly coverSecond: number | null;
}

/** All pins ever created, including deleted ones. */
export const pinStore = (now: () => Date) => objectStore<Pin>(now, numbersFrom(813_744_226_420_795_884n));

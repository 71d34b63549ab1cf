import { objectStore, snowflakes, type StoredObject } from '../wire/object-store.js';
import type { XMedia } from './media-routes.js';

export interface XPost extends StoredObject {
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
}

/** X's epoch (2010-11-04T01:42:54.657Z): the upper bits of an ID are the milliseconds since then. */
const EPOCH_MS = 1_288_834_974_657n;

/** All posts ever created, including deleted ones. */
export const postStore = (now: () => Date) => objectStore<XPost>(now, snowflakes(EPOCH_MS));

export type PostStore = ReturnType<typeof postStore>;

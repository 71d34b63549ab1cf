/** One page of a list. `nextCursor` is opaque, authenticated and bound to workspace and filter; null at the end. */
export interface Page<Item> {
  readonly items: readonly Item[];
  readonly nextCursor: string | null;
}

/** What a repository is asked for: up to `limit` rows after the position that an earlier page ended at. */
export interface PageRequest {
  readonly limit: number;
  readonly after?: string | undefined;
}

/** A repository's answer: `next` is the position to continue after, absent at the end. */
export interface Rows<Item> {
  readonly items: readonly Item[];
  readonly next?: string | undefined;
}

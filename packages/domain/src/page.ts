/**
 * One page of a list. `nextCursor` is opaque, authenticated and bound to workspace and filter; null at the
 * end.
 */
export interface Page<Item> {
  readonly items: readonly Item[];
  readonly nextCursor: string | null;
}

/** A page request to a repository: up to `limit` rows after the position at which an earlier page ended. */
export interface PageRequest {
  readonly limit: number;
  readonly after?: string | undefined;
}

/** A repository's page: `next` is the position to continue after, absent at the end. */
export interface Rows<Item> {
  readonly items: readonly Item[];
  readonly next?: string | undefined;
}

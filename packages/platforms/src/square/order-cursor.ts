/**
 * The position of a list: the time of the last order, and the already listed orders of that time. Square's
 * own cursors expire after 15 minutes and cover at most ten locations; this one covers all of them and does
 * not expire.
 */
export interface OrderCursor {
  readonly atMs: number;
  readonly ids: readonly string[];
}

export const encodeCursor = ({ atMs, ids }: OrderCursor): string => [atMs.toString(36), ...ids].join(' ');

/** Always written by `writePosition`: cursors are authenticated. */
export function decodeCursor(token: string): OrderCursor {
  const [atMs = '', ...ids] = token.split(' ');
  return { atMs: parseInt(atMs, 36), ids };
}

/**
 * Where a list goes on: from the time of the last order, and which orders of that time have been given. Square's own cursors
 * live for 15 minutes and belong to ten locations at most; this holds for all of them, and for as long as anybody likes.
 */
export interface OrderCursor {
  readonly atMs: number;
  readonly ids: readonly string[];
}

export const encodeCursor = ({ atMs, ids }: OrderCursor): string => [atMs.toString(36), ...ids].join(' ');

/** Only ever what `writePosition` wrote: cursors are authenticated. */
export function decodeCursor(token: string): OrderCursor {
  const [atMs = '', ...ids] = token.split(' ');
  return { atMs: parseInt(atMs, 36), ids };
}

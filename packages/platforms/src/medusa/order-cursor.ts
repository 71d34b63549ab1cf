/**
 * The position of a list: an offset, and the newest order of the first page, so that new arrivals do not
 * shift it.
 */
export interface OrderCursor {
  readonly offset: number;
  readonly newest: Date | undefined;
}

export const encodeCursor = ({ offset, newest }: OrderCursor): string =>
  newest === undefined ? String(offset) : `${offset}.${newest.getTime()}`;

/** Always written by `writePosition`: cursors are authenticated. */
export function decodeCursor(token: string | undefined): OrderCursor {
  const [offset, newest] = (token ?? '0').split('.').map(Number);
  return { offset: offset ?? 0, newest: newest === undefined ? undefined : new Date(newest) };
}

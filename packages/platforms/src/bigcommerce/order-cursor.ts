import type { OrderSort } from '@switchboard/domain';

/**
 * Where a list goes on: at the last time that was given, since a new order or one that is archived shifts every count of
 * pages. Times have no fractions there, and a store that was moved has many orders of one day: those of that time that
 * were given already are named, and `page` counts through what has that time alone.
 */
export interface OrderCursor {
  readonly at: Date;
  readonly given: readonly string[];
  readonly page: number;
  readonly size: number;
}

export const encodeCursor = ({ at, given, page, size }: OrderCursor): string =>
  [at.getTime(), page, size, ...given].join('.');

/** Only ever what `writePosition` wrote: cursors are authenticated. */
export function decodeCursor(token: string | undefined): OrderCursor | null {
  if (token === undefined) return null;
  const [at = '0', page = '1', size = '1', ...given] = token.split('.');
  return { at: new Date(Number(at)), page: Number(page), size: Number(size), given };
}

interface OrderTimes {
  readonly externalId: string;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

const timeMs = (order: OrderTimes, sort: OrderSort): number =>
  (sort.endsWith('created_at') ? order.createdAt : order.updatedAt).getTime();

/** Whether the first time comes strictly later in the list. */
const isAfter = (oneMs: number, otherMs: number, sort: OrderSort): boolean =>
  sort.startsWith('-') ? oneMs < otherMs : oneMs > otherMs;

/** Whether an order was not given before. */
export function isNotSeen(order: OrderTimes, position: OrderCursor | null, sort: OrderSort): boolean {
  if (!position) return true;
  const ms = timeMs(order, sort);
  const atMs = position.at.getTime();
  return isAfter(ms, atMs, sort) || (ms === atMs && !position.given.includes(order.externalId));
}

/** The position after `last`, where `looked` were looked at up to it. */
export function cursorAfter(
  position: OrderCursor | null,
  looked: readonly OrderTimes[],
  last: OrderTimes,
  sort: OrderSort,
  page: { readonly size: number; readonly whole: boolean; readonly limit: number },
): OrderCursor {
  const lastMs = timeMs(last, sort);
  const sameTime = looked.filter((order) => timeMs(order, sort) === lastMs).map((order) => order.externalId);
  if (!position || isAfter(lastMs, position.at.getTime(), sort)) {
    return { at: new Date(lastMs), given: sameTime, page: 1, size: sizeOf(page.limit, sameTime.length) };
  }
  return {
    at: position.at,
    given: [...new Set([...position.given, ...sameTime])].slice(-SIZE_MAX),
    page: position.page + (page.whole ? 1 : 0),
    size: page.size,
  };
}

export const SIZE_MAX = 250;

/** Those that were given come again, and are no reason for a shorter page. */
const sizeOf = (limit: number, provided: number): number => Math.min(SIZE_MAX, limit + provided);

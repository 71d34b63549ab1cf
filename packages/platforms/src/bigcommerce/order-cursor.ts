import type { OrderSort } from '@switchboard/domain/ports';

/**
 * The position of a list: the last listed time, because a new or archived order shifts page numbers. Times
 * have no fractions, and a migrated store has many orders with one date: the orders of that time that were
 * already listed are named, and `page` counts the pages of that time alone.
 */
export interface OrderCursor {
  readonly at: Date;
  readonly given: readonly string[];
  readonly page: number;
  readonly size: number;
}

export const encodeCursor = ({ at, given, page, size }: OrderCursor): string =>
  [at.getTime(), page, size, ...given].join('.');

/** Always written by `writePosition`: cursors are authenticated. */
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

/** Whether an order has not been listed yet. */
export function isNotSeen(order: OrderTimes, position: OrderCursor | null, sort: OrderSort): boolean {
  if (!position) return true;
  const ms = timeMs(order, sort);
  const atMs = position.at.getTime();
  return isAfter(ms, atMs, sort) || (ms === atMs && !position.given.includes(order.externalId));
}

/** The position after `last`, with `looked` orders read up to it. */
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

/** Already listed orders are returned again; they must not shorten the page. */
const sizeOf = (limit: number, provided: number): number => Math.min(SIZE_MAX, limit + provided);

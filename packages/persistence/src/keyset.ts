import type { PageRequest, Rows } from '@switchboard/domain';
import { Prisma } from './generated/client.js';
import { pageLimit } from './query-runner.js';

/** Rows behind the cursor of an earlier page, newest first: IDs sort by creation time. */
export const afterCursor = ({ after }: PageRequest) => (after === undefined ? {} : { id: { lt: after } });

/** The order and size of such a page. One extra row shows whether there is a next page. */
export const newestFirst = ({ limit }: PageRequest) => ({
  orderBy: { id: 'desc' as const },
  take: limit + 1,
});

/** Both, at the end of the conditions of a raw statement. */
export const newestFirstSql = ({ after, limit }: PageRequest): Prisma.Sql =>
  Prisma.sql`${after === undefined ? Prisma.empty : Prisma.sql`AND id < ${after}`} ORDER BY id DESC LIMIT ${pageLimit(limit + 1)}`;

/** Drops the extra row and returns the cursor of the last remaining one. */
export function toPage<Row extends { readonly id: string }, Item>(
  rows: readonly Row[],
  { limit }: PageRequest,
  item: (row: Row) => Item,
  position: (row: Row) => string = (row) => row.id,
): Rows<Item> {
  const kept = rows.slice(0, limit);
  const last = kept.at(-1);
  const items = kept.map(item);
  return rows.length > limit && last !== undefined ? { items, next: position(last) } : { items };
}

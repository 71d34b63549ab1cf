import type { PageRequest, Rows } from '@switchboard/domain';

/** Rows behind the position of an earlier page, newest first: ids sort by the time they were made. */
export const afterCursor = ({ after }: PageRequest) => (after === undefined ? {} : { id: { lt: after } });

/** How such a page is read. One row more than asked tells whether there is a next page. */
export const newestFirst = ({ limit }: PageRequest) => ({
  orderBy: { id: 'desc' as const },
  take: limit + 1,
});

/** Cuts the row that was one too many and names the position of the last that stays. */
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

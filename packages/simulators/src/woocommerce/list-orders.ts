import type { WooOrder } from './seeded-orders.js';
import type { WireResponse } from '../wire/exchange.js';
import { comparable, invalidParameter, isDate, listOf, pageOf, readPaging } from './parameters.js';
import { presentOrder, SITE_OFFSET_MINUTES, wallClock } from './present.js';

const ORDER_BY = ['date', 'id', 'include', 'title', 'slug', 'modified'];
const DATES = ['after', 'before', 'modified_after', 'modified_before'] as const;

/** Unknown parameters are ignored: `email`, `payment_method`, any. */
export function listOrders(
  orders: readonly WooOrder[],
  query: URLSearchParams,
  statuses: readonly string[],
  dp: number | null,
  unreadable: ReadonlySet<number>,
): WireResponse {
  const paging = readPaging(query);
  if ('status' in paging) return paging;
  const orderBy = query.get('orderby') ?? 'date';
  if (!ORDER_BY.includes(orderBy))
    return invalidParameter('orderby', `orderby is not one of ${ORDER_BY.join(', ')}.`);
  const order = query.get('order') ?? 'desc';
  if (!['asc', 'desc'].includes(order)) return invalidParameter('order', 'order is not one of asc and desc.');
  const requested = listOf(query, 'status');
  if (requested.some((status) => !['any', 'trash', ...statuses].includes(status)))
    return invalidParameter('status', 'status[0] is not one of any, trash, pending …');
  const wrong = DATES.find((name) => !isDate(query.get(name) ?? '2026-01-01T00:00:00'));
  if (wrong) return invalidParameter(wrong, 'Invalid date.');

  const gmt = ['1', 'true'].includes(query.get('dates_are_gmt') ?? '');
  const column = (at: Date) => wallClock(at, gmt ? 0 : SITE_OFFSET_MINUTES);
  const bound = (name: (typeof DATES)[number]) => {
    const text = query.get(name);
    return text === null ? null : comparable(text);
  };
  const [after, before, modifiedAfter, modifiedBefore] = DATES.map(bound);
  const [include, exclude] = [listOf(query, 'include'), listOf(query, 'exclude')];
  // Both bounds are exclusive.
  const within = (at: Date, from: string | null | undefined, until: string | null | undefined) =>
    (!from || column(at) > from) && (!until || column(at) < until);
  const found = orders.filter(
    ({ id, status, createdAt, modifiedAt }) =>
      (requested.length === 0 || requested.includes('any')
        ? status !== 'trash'
        : requested.includes(status)) &&
      within(createdAt, after, before) &&
      within(modifiedAt, modifiedAfter, modifiedBefore) &&
      (include.length === 0 || include.includes(String(id))) &&
      !exclude.includes(String(id)),
  );
  const field = orderBy === 'modified' ? 'modifiedAt' : 'createdAt';
  found.sort(
    (one, other) =>
      (order === 'asc' ? 1 : -1) *
      ((orderBy === 'id' ? 0 : one[field].getTime() - other[field].getTime()) || one.id - other.id),
  );
  const response = pageOf(found, paging, query, (row) => presentOrder(row, dp));
  // Counted in the total and the page, and only then omitted.
  const rows = found.slice(paging.offset, paging.offset + paging.perPage);
  const json = (response.json as readonly unknown[]).filter((_, at) => !unreadable.has(rows[at]?.id ?? 0));
  return { ...response, json };
}

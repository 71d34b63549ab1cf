import { ok } from '@switchboard/domain';
import type { PlatformRequest, Session } from '@switchboard/domain/ports';
import { refusal, unreadableResponse, type AdapterResult } from '../kit/platform-client.js';
import { readableRows } from '../kit/readable-rows.js';
import type { z } from 'zod';
import { API } from './read-refunds.js';
import { errorMapping, order, placedOrder, rowList, type WireOrder } from './wire.js';

/** A page of orders with all their related objects stays below this size. */
const ORDERS_BYTES_MAX = 16 * 1024 * 1024;
const EMPTY_PAGES_MAX = 10;

export interface OrderListPage {
  readonly orders: readonly WireOrder[];
  /** The positions of the orders in the list, including unreadable ones. */
  readonly places: readonly z.infer<typeof placedOrder>[];
  readonly notes: readonly string[];
  /** Whether there are more: a page with fewer orders than requested need not be the last. */
  readonly more: boolean;
}

/**
 * A page of orders. The store selects a page first and omits what it cannot show afterwards, so that a page
 * may be short, or empty, with others behind it: the total is in a header, which a proxy may have removed.
 */
export async function listPage(
  session: Session,
  query: NonNullable<PlatformRequest['query']>,
  perPage: number,
): AdapterResult<OrderListPage> {
  for (let page = 1; ; page++) {
    const sent = await session.request({
      method: 'GET',
      path: `${API}/orders`,
      query: { ...query, per_page: perPage, ...(page > 1 && { page }) },
      effect: 'read',
      maxBytes: ORDERS_BYTES_MAX,
    });
    if (!sent.ok) return sent;
    if (!sent.value.ok) return refusal(errorMapping, sent.value, 'read');
    const rows = rowList.safeParse(sent.value.json).data;
    if (!rows) return unreadableResponse(errorMapping, 'read');
    const pages = sent.value.headers['x-wp-totalpages'];
    const more = pages === undefined ? rows.length === perPage : Number(pages) > page;
    const places = readableRows(rows, placedOrder).rows;
    // The cursor is an order's position, so that an empty page has no next one.
    if (places.length === 0 && rows.length > 0) return unreadableResponse(errorMapping, 'read');
    const { rows: orders, notes } = readableRows(rows, order);
    if (rows.length > 0 || !more || page === EMPTY_PAGES_MAX) return ok({ orders, places, notes, more });
  }
}

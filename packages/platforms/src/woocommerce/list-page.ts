import { ok, type PlatformRequest, type Session } from '@switchboard/domain';
import { refusal, unreadableResponse, type AdapterResult } from '../kit/platform-client.js';
import { readableRows } from '../kit/readable-rows.js';
import type { z } from 'zod';
import { API } from './read-refunds.js';
import { errorMapping, order, placedOrder, rowList, type WireOrder } from './wire.js';

/** A hundred orders with everything that belongs to them stay below this. */
const ORDERS_BYTES_MAX = 16 * 1024 * 1024;
const EMPTY_PAGES_MAX = 10;

export interface OrderListPage {
  readonly orders: readonly WireOrder[];
  /** Where the orders stand in the list, those that cannot be read too. */
  readonly places: readonly z.infer<typeof placedOrder>[];
  readonly notes: readonly string[];
  /** Whether there is more: a page with fewer orders than asked for need not be the last. */
  readonly more: boolean;
}

/**
 * A page of orders. The store counts off a page first and leaves out afterwards what it cannot show, so that one may be short,
 * or empty, with others behind it: how many there are stands in a header, which some proxy may have taken away.
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
    // The list goes on after the place of an order, so that a page without any has no next one.
    if (places.length === 0 && rows.length > 0) return unreadableResponse(errorMapping, 'read');
    const { rows: orders, notes } = readableRows(rows, order);
    if (rows.length > 0 || !more || page === EMPTY_PAGES_MAX) return ok({ orders, places, notes, more });
  }
}

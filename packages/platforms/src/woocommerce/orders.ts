import {
  ok,
  type OrderNoteCode,
  type OrderQuery,
  type Orders,
  type PlatformRequest,
  type Session,
} from '@switchboard/platform-kit';
import { unreadableResponse, refusal, type AdapterResult } from '@switchboard/platform-kit/platform-client';
import { unreadableNotes, readableRows } from '@switchboard/platform-kit/readable-rows';
import { readOrder } from './read-order.js';
import { API, hasAllRefunds, onlineGateways, refundsOfAll } from './read-refunds.js';
import {
  errorMapping,
  order,
  ORDER_FIELDS,
  PLACES,
  requestJson,
  placedOrder,
  rowList,
  type WireOrder,
} from './wire.js';
import { webhooks } from './webhooks.js';
import type { z } from 'zod';

const PAGE_MAX = 100;

export const orders: Orders = {
  // By status only if no custom status of a shop may have the same meaning (`statusesOf`); by email and
  // number not at all.
  filters: ['sort', 'createdAfter', 'createdBefore', 'updatedAfter', 'updatedBefore'],

  async list(session, query, { limit, token }) {
    const before = decodeCursor(token);
    const [listed, online] = await Promise.all([
      listPage(session, listQuery(query, before), Math.min(limit, PAGE_MAX)),
      onlineGateways(session),
    ]);
    if (!listed.ok) return listed;
    if (!online.ok) return online;
    const refunds = await refundsOfAll(session, listed.value.orders);
    if (!refunds.ok) return refunds;
    const byCreation = query.sort.endsWith('created_at');
    const after = cursorAfter(
      listed.value.places.map((one) => ({
        id: one.id,
        at: byCreation ? one.date_created_gmt : one.date_modified_gmt,
      })),
      before,
    );
    // If a named refund counted as zero, more might be refunded than remains.
    const whole = listed.value.orders.filter((one) => hasAllRefunds(one, refunds.value.get(one.id) ?? []));
    const isAnyMissing = whole.length < listed.value.orders.length || listed.value.notes.length > 0;
    return ok({
      orders: whole.map((one) =>
        readOrder(one, refunds.value.get(one.id) ?? [], online.value, session.baseUrl),
      ),
      notes: unreadableNotes(isAnyMissing),
      ...(after && listed.value.more && { next: encodeCursor(after) }),
    });
  },

  async get(session, externalId) {
    const [found, online] = await Promise.all([findOrder(session, externalId), onlineGateways(session)]);
    if (!found.ok) return found;
    if (!online.ok) return online;
    if (found.value === null) return ok(null);
    const refunds = await refundsOfAll(session, [found.value]);
    if (!refunds.ok) return refunds;
    const made = refunds.value.get(found.value.id) ?? [];
    // If a named refund counted as zero, more might be refunded than remains.
    if (!hasAllRefunds(found.value, made)) return unreadableResponse(errorMapping, 'read');
    return ok(readOrder(found.value, made, online.value, session.baseUrl));
  },

  webhooks,
};

/** Null: the store has none. An ID that is not a number is never an order either. */
export const findOrder = (session: Session, externalId: string) =>
  requestJson(
    session,
    { path: `${API}/orders/${encodeURIComponent(externalId)}`, query: { _fields: ORDER_FIELDS, dp: PLACES } },
    order,
    ({ code }) =>
      code === 'woocommerce_rest_shop_order_invalid_id' ||
      (code === 'rest_no_route' && !/^\d+$/.test(externalId))
        ? ok(null)
        : undefined,
  );

const SECOND_MS = 1_000;
/**
 * Without an offset: with `dates_are_gmt` it is then compared with GMT, and one with an offset would be
 * converted to the site's own time first (NOTES.md). Both bounds are exclusive there, and times are whole
 * seconds.
 */
const gmt = (ms: number): string => new Date(ms).toISOString().slice(0, 19);
const wholeSecond = (at: Date): number => Math.ceil(at.getTime() / SECOND_MS) * SECOND_MS;

function listQuery(query: OrderQuery, before: OrderCursor | null): NonNullable<PlatformRequest['query']> {
  const [downwards, byCreation] = [query.sort.startsWith('-'), query.sort.endsWith('created_at')];
  const place = before?.second.getTime();
  /** The intersection of the filter and the position. */
  const bounds = (after: Date | undefined, until: Date | undefined, sorts: boolean) => {
    const from = after && wholeSecond(after) - SECOND_MS;
    const to = until && wholeSecond(until);
    const goesOn = sorts && place !== undefined;
    return {
      after: goesOn && !downwards ? Math.max(from ?? -Infinity, place - SECOND_MS) : from,
      before: goesOn && downwards ? Math.min(to ?? Infinity, place + SECOND_MS) : to,
    };
  };
  const created = bounds(query.createdAfter, query.createdBefore, byCreation);
  const updated = bounds(query.updatedAfter, query.updatedBefore, !byCreation);
  const written = (ms: number | undefined) => (ms === undefined ? undefined : gmt(ms));
  return {
    _fields: ORDER_FIELDS,
    after: written(created.after),
    before: written(created.before),
    dates_are_gmt: true,
    dp: PLACES,
    // Lists with commas: names with brackets are signed differently there than RFC 5849 defines.
    exclude: before?.given.join(','),
    modified_after: written(updated.after),
    modified_before: written(updated.before),
    order: downwards ? 'desc' : 'asc',
    orderby: byCreation ? 'date' : 'modified',
    status: statusesOf(query)?.join(','),
  };
}

/**
 * A shop may have custom statuses for open orders: then all statuses are requested, and the adapter filters.
 */
function statusesOf({ statuses }: OrderQuery): readonly string[] | undefined {
  if (!statuses || statuses.includes('open')) return undefined;
  return [
    ...(statuses.includes('completed') ? ['completed', 'refunded'] : []),
    ...(statuses.includes('cancelled') ? ['cancelled'] : []),
  ];
}

/**
 * The position of a list: after the second of the last order, except for the listed orders of that second. It
 * stays correct when orders are added, trashed or changed meanwhile.
 */
interface OrderCursor {
  readonly second: Date;
  /** External IDs of the orders already listed for that second. */
  readonly given: readonly string[];
}

const encodeCursor = ({ second, given }: OrderCursor): string =>
  `${second.getTime() / 1_000}.${given.join(',')}`;

/** Always written by `writePosition`: cursors are authenticated. */
function decodeCursor(token: string | undefined): OrderCursor | null {
  if (token === undefined) return null;
  const [second = '', given = ''] = token.split('.');
  return { second: new Date(Number(second) * 1_000), given: given.split(',') };
}

/** The position after a page; null if the page is empty. */
function cursorAfter(
  page: readonly { readonly id: string; readonly at: Date }[],
  before: OrderCursor | null,
): OrderCursor | null {
  const last = page.at(-1);
  if (!last) return null;
  const same = page.filter(({ at }) => at.getTime() === last.at.getTime()).map(({ id }) => id);
  const earlier = before?.second.getTime() === last.at.getTime() ? before.given : [];
  return { second: last.at, given: [...earlier, ...same] };
}

/** A page of orders with all their related objects stays below this size. */
const ORDERS_BYTES_MAX = 16 * 1024 * 1024;
const EMPTY_PAGES_MAX = 10;

interface OrderListPage {
  readonly orders: readonly WireOrder[];
  /** The positions of the orders in the list, including unreadable ones. */
  readonly places: readonly z.infer<typeof placedOrder>[];
  readonly notes: readonly OrderNoteCode[];
  /** Whether there are more: a page with fewer orders than requested need not be the last. */
  readonly more: boolean;
}

/**
 * A page of orders. The store selects a page first and omits what it cannot show afterwards, so that a page
 * may be short, or empty, with others behind it: the total is in a header, which a proxy may have removed.
 */
async function listPage(
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

import { ok } from '@switchboard/domain';
import type { OrderQuery, Orders, PlatformRequest, Session } from '@switchboard/domain/ports';
import { requestJson, unreadableResponse } from '../kit/platform-client.js';
import { unreadableNotes } from '../kit/readable-rows.js';
import { listPage } from './list-page.js';
import { cursorAfter, decodeCursor, encodeCursor, type OrderCursor } from './order-cursor.js';
import { readOrder } from './read-order.js';
import { API, hasAllRefunds, onlineGateways, refundsOfAll } from './read-refunds.js';
import { errorMapping, order, ORDER_FIELDS, PLACES } from './wire.js';

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
};

/** Null: the store has none. An ID that is not a number is never an order either. */
export const findOrder = (session: Session, externalId: string) =>
  requestJson(
    session,
    errorMapping,
    {
      method: 'GET',
      path: `${API}/orders/${encodeURIComponent(externalId)}`,
      query: { _fields: ORDER_FIELDS, dp: PLACES },
      effect: 'read',
    },
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

import {
  ok,
  type OrderQuery,
  type Orders,
  type PlatformRequest,
  type OrderSort,
  type RemoteOrder,
} from '@switchboard/platform-kit';
import { parseResponse } from '@switchboard/platform-kit/parse-response';
import { unreadableResponse } from '@switchboard/platform-kit/platform-client';
import { unreadableNotes } from '@switchboard/platform-kit/readable-rows';
import { readOrder, readShipment } from './read-order.js';
import { findOrder, listRefunds, orderPath } from './stored-order.js';
import { webhooks } from './webhooks.js';
import {
  errorMapping,
  order,
  ORDER_PARTS,
  orderList,
  placedOrder,
  requestJson,
  shipmentList,
  withEmptyBodyAs,
} from './wire.js';

/** A page of orders with all their related objects stays below this size. */
const ORDERS_BYTES_MAX = 16 * 1024 * 1024;
const SHIPMENTS_MAX = 250;

export const orders: Orders = {
  // BigCommerce filters by the customer's email, one status, and totals in any currency, which differs
  // from our filters (NOTES.md).
  filters: ['sort', 'createdAfter', 'createdBefore', 'updatedAfter', 'updatedBefore', 'number'],

  async list(session, query, { limit, token }) {
    const number = query.number?.trim().replace(/^#/, '');
    if (number !== undefined && !/^\d{1,12}$/.test(number)) return ok({ orders: [] });
    const position = decodeCursor(token);
    const size = position?.size ?? Math.min(limit, SIZE_MAX);
    const listed = await requestJson(
      withEmptyBodyAs(session, []),
      {
        path: '/v2/orders',
        query: {
          ...ORDER_PARTS,
          ...boundsOf(query, position, number),
          limit: size,
          page: position?.page ?? 1,
        },
        maxBytes: ORDERS_BYTES_MAX,
      },
      orderList,
    );
    if (!listed.ok) return listed;
    const placed = listed.value.flatMap((row) => {
      const place = parseResponse(placedOrder, row).data;
      return place
        ? [
            {
              externalId: place.id,
              createdAt: place.date_created,
              updatedAt: place.date_modified,
              wire: parseResponse(order, row).data,
            },
          ]
        : [];
    });
    // The cursor is an order's position, so that an empty page has no next one.
    if (placed.length === 0 && listed.value.length > 0) return unreadableResponse(errorMapping, 'read');
    const fitting = placed.filter(
      (one) => isNotSeen(one, position, query.sort) && isWithin(one, query, number),
    );
    const stored = fitting.slice(0, limit);
    const refunds = await listRefunds(
      session,
      stored.map(({ externalId }) => externalId),
    );
    if (!refunds.ok) return refunds;

    const cut = fitting.length > stored.length;
    const last = cut ? stored.at(-1) : placed.at(-1);
    const whole = listed.value.length >= size;
    const looked = cut && last ? placed.slice(0, placed.indexOf(last) + 1) : placed;
    const next =
      last && (cut || whole) && cursorAfter(position, looked, last, query.sort, { size, whole: !cut, limit });
    const read = stored.flatMap(({ wire, externalId }) => {
      const own = refunds.value.filter(({ orderId }) => orderId === externalId);
      if (!wire || own.some((refund) => refund.wire === null)) return [];
      return [
        readOrder({ order: wire, refunds: own.flatMap((refund) => refund.wire ?? []) }, session.baseUrl),
      ];
    });
    return ok({
      orders: read,
      notes: unreadableNotes(read.length < stored.length || placed.length < listed.value.length),
      ...(next && { next: encodeCursor(next) }),
    });
  },

  async get(session, externalId) {
    const found = await findOrder(session, externalId);
    if (!found.ok) return found;
    return ok(found.value && readOrder(found.value, session.baseUrl));
  },

  async listShipments(session, externalId) {
    const path = `${orderPath(externalId)}/shipments`;
    const query = { limit: SHIPMENTS_MAX };
    const listed = await requestJson(withEmptyBodyAs(session, []), { path, query }, shipmentList);
    return listed.ok ? ok(listed.value.map(readShipment)) : listed;
  },

  webhooks,
};

/**
 * Wider by a second on each side than requested: times have no fractions, and whether bounds are inclusive is
 * undocumented. The adapter removes the excess.
 */
function boundsOf(
  { sort, createdAfter, createdBefore, updatedAfter, updatedBefore }: OrderQuery,
  position: OrderCursor | null,
  number: string | undefined,
): NonNullable<PlatformRequest['query']> {
  const [field, down] = [sort.endsWith('created_at') ? 'created' : 'modified', sort.startsWith('-')];
  const reached = (of: 'created' | 'modified', when: 'down' | 'up') =>
    of === field && (when === 'down') === down ? position?.at : undefined;
  return {
    sort: `date_${field}:${down ? 'desc' : 'asc'}`,
    min_date_created: formatTime(latest(createdAfter, reached('created', 'up')), -1),
    max_date_created: formatTime(earliest(createdBefore, reached('created', 'down')), 1),
    min_date_modified: formatTime(latest(updatedAfter, reached('modified', 'up')), -1),
    max_date_modified: formatTime(earliest(updatedBefore, reached('modified', 'down')), 1),
    ...(number !== undefined && { min_id: Number(number) - 1, max_id: Number(number) + 1 }),
  };
}

const earliest = (...times: readonly (Date | undefined)[]): Date | undefined =>
  times.filter((time) => time !== undefined).sort((one, other) => one.getTime() - other.getTime())[0];
const latest = (...times: readonly (Date | undefined)[]): Date | undefined =>
  times.filter((time) => time !== undefined).sort((one, other) => other.getTime() - one.getTime())[0];

function formatTime(time: Date | undefined, moreSeconds: number): string | undefined {
  if (!time) return undefined;
  const seconds = moreSeconds < 0 ? Math.floor(time.getTime() / 1_000) : Math.ceil(time.getTime() / 1_000);
  return new Date((seconds + moreSeconds) * 1_000).toUTCString().replace('GMT', '+0000');
}

function isWithin(
  order: OrderTimes,
  { createdAfter, createdBefore, updatedAfter, updatedBefore }: OrderQuery,
  number: string | undefined,
): boolean {
  const within = (time: Date, after: Date | undefined, before: Date | undefined) =>
    (after === undefined || time >= after) && (before === undefined || time < before);
  return (
    within(order.createdAt, createdAfter, createdBefore) &&
    within(order.updatedAt, updatedAfter, updatedBefore) &&
    (number === undefined || order.externalId === String(Number(number)))
  );
}

/**
 * The position of a list: the last listed time, because a new or archived order shifts page numbers. Times
 * have no fractions, and a migrated store has many orders with one date: the orders of that time that were
 * already listed are named, and `page` counts the pages of that time alone.
 */
interface OrderCursor {
  readonly at: Date;
  readonly given: readonly string[];
  readonly page: number;
  readonly size: number;
}

const encodeCursor = ({ at, given, page, size }: OrderCursor): string =>
  [at.getTime(), page, size, ...given].join('.');

/** Always written by `writePosition`: cursors are authenticated. */
function decodeCursor(token: string | undefined): OrderCursor | null {
  if (token === undefined) return null;
  const [at = '0', page = '1', size = '1', ...given] = token.split('.');
  return { at: new Date(Number(at)), page: Number(page), size: Number(size), given };
}

type OrderTimes = Pick<RemoteOrder, 'externalId' | 'createdAt' | 'updatedAt'>;

const timeMs = (order: OrderTimes, sort: OrderSort): number =>
  (sort.endsWith('created_at') ? order.createdAt : order.updatedAt).getTime();

const isAfter = (oneMs: number, otherMs: number, sort: OrderSort): boolean =>
  sort.startsWith('-') ? oneMs < otherMs : oneMs > otherMs;

function isNotSeen(order: OrderTimes, position: OrderCursor | null, sort: OrderSort): boolean {
  if (!position) return true;
  const ms = timeMs(order, sort);
  const atMs = position.at.getTime();
  return isAfter(ms, atMs, sort) || (ms === atMs && !position.given.includes(order.externalId));
}

/** The position after `last`, with `looked` orders read up to it. */
function cursorAfter(
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

const SIZE_MAX = 250;

/** Already listed orders are returned again; they must not shorten the page. */
const sizeOf = (limit: number, provided: number): number => Math.min(SIZE_MAX, limit + provided);

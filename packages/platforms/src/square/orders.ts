import { ok, type Orders, type Session } from '@switchboard/platform-kit';
import {
  nullIfCode,
  unreadableResponse,
  type AdapterResult,
} from '@switchboard/platform-kit/platform-client';
import { unreadableNotes } from '@switchboard/platform-kit/readable-rows';
import { allValues } from './all-values.js';
import { mergeSearches } from './merge-searches.js';
import { decodeCursor, encodeCursor } from './order-cursor.js';
import { isReadable, readRelated } from './read-related.js';
import { findPayments, listPayments } from './read-payments.js';
import { isSale, readOrder } from './read-order.js';
import { LOCATIONS_MAX, search } from './search.js';
import { webhooks } from './webhooks.js';
import { requestJson, errorMapping, locationList, orderAnswer } from './wire.js';

/** The maximum number of customers in one request. */
const PAGE_MAX = 100;

export const orders: Orders = {
  // Square filters by one time only, the one that is sorted by, usually that of creation.
  filters: ['sort', 'statuses', 'createdAfter', 'createdBefore'],

  async list(session, query, page) {
    const locations = await listLocations(session);
    if (!locations.ok) return locations;
    const position = page.token === undefined ? null : decodeCursor(page.token);
    const limit = Math.min(page.limit, PAGE_MAX);
    const searched = allValues(
      await Promise.all(
        tens(locations.value).map((locationIds) => search(session, query, { locationIds, position, limit })),
      ),
    );
    if (!searched.ok) return searched;
    const { orders: found, next } = mergeSearches(searched.value, { sort: query.sort, position, limit });
    const sales = found.filter(isSale);
    const belongings = await readRelated(session, sales, listPayments);
    if (!belongings.ok) return belongings;
    const readable = sales.filter((order) => isReadable(order, belongings.value));
    const isAnyMissing = readable.length < sales.length || searched.value.some((one) => one.isAnyUnreadable);
    return ok({
      orders: readable.map((order) => readOrder(order, belongings.value)),
      notes: unreadableNotes(isAnyMissing),
      ...(next && { next: encodeCursor(next) }),
    });
  },

  async get(session, externalId) {
    const path = `/v2/orders/${encodeURIComponent(externalId)}`;
    const found = await requestJson(session, path, orderAnswer, nullIfCode('NOT_FOUND'));
    if (!found.ok) return found;
    if (found.value === null || !isSale(found.value.order)) return ok(null);
    const { order } = found.value;
    const belongings = await readRelated(session, [order], findPayments);
    if (!belongings.ok) return belongings;
    return isReadable(order, belongings.value)
      ? ok(readOrder(order, belongings.value))
      : unreadableResponse(errorMapping, 'read');
  },

  webhooks,
};

/** All locations: closed ones kept their orders. */
async function listLocations(session: Session): AdapterResult<readonly string[]> {
  const listed = await requestJson(session, '/v2/locations', locationList);
  return listed.ok ? ok((listed.value.locations ?? []).map(({ id }) => id)) : listed;
}

const tens = (ids: readonly string[]): readonly (readonly string[])[] =>
  Array.from({ length: Math.ceil(ids.length / LOCATIONS_MAX) }, (_, at) =>
    ids.slice(at * LOCATIONS_MAX, (at + 1) * LOCATIONS_MAX),
  );

import { okResponse, fieldsOf, textOf, type Read, type WireResponse } from '../wire/exchange.js';
import { badRequest, isErrorResponse, missingField } from './errors.js';
import type { MerchantData, Order } from './model.js';

const CURSOR_LIVES_MS = 15 * 60_000;
const LOCATIONS_MAX = 10;
const LIMIT = { usual: 500, max: 1000 };
const TIMES = { CREATED_AT: 'created_at', UPDATED_AT: 'updated_at', CLOSED_AT: 'closed_at' } as const;
const STATES = ['OPEN', 'COMPLETED', 'CANCELED', 'DRAFT'];
const RFC_3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/;

type TimeField = (typeof TIMES)[keyof typeof TIMES];

type OrderSearchQuery = Read<typeof readQuery>;

/**
 * `SearchOrders` according to its published description. Its cursors contain their query and are valid for
 * fifteen minutes.
 */
export function createOrderSearch({ orders, locations }: MerchantData, now: () => Date) {
  const cursors = new Map<
    string,
    { readonly query: string; readonly given: number; until: number; readonly at: number }
  >();

  function search(body: unknown): WireResponse {
    const { cursor, ...query } = fieldsOf(body);
    const { location_ids: ids, limit = LIMIT.usual } = query;
    if (!Array.isArray(ids) || ids.length === 0) return missingField('location_ids');
    if (ids.length > LOCATIONS_MAX) return badRequest('ARRAY_LENGTH_TOO_LONG', 'location_ids');
    if (!ids.every((id) => locations.some((location) => location.id === id))) {
      return badRequest('INVALID_VALUE', 'location_ids', 'The locations must belong to the merchant.');
    }
    if (typeof limit !== 'number' || !Number.isInteger(limit)) return badRequest('EXPECTED_INTEGER', 'limit');
    if (limit < 1) return badRequest('VALUE_TOO_LOW', 'limit');
    if (limit > LIMIT.max) return badRequest('VALUE_TOO_HIGH', 'limit');
    const requested = readQuery(query['query']);
    if (isErrorResponse(requested)) return requested;

    const from = cursor === undefined ? { given: 0, at: now().getTime() } : goOn(cursor, query);
    if (isErrorResponse(from)) return from;
    const found = orders
      .filter((order) => ids.includes(order.location_id) && matchesQuery(order, requested, from.at))
      .sort(
        (one, other) =>
          (timeOf(one, requested.by) - timeOf(other, requested.by)) * (requested.newestFirst ? -1 : 1),
      );
    const provided = from.given + limit;
    return okResponse({
      ...(found.length > 0 && { orders: found.slice(from.given, provided) }),
      ...(found.length > provided && { cursor: written(query, provided, from.at) }),
    });
  }

  function goOn(cursor: unknown, query: unknown) {
    const stored = cursors.get(textOf(cursor));
    if (!stored || stored.until < now().getTime() || stored.query !== JSON.stringify(query)) {
      return badRequest('INVALID_CURSOR', 'cursor');
    }
    return stored;
  }

  function written(query: unknown, provided: number, at: number): string {
    const cursor = `cursor${cursors.size}`;
    cursors.set(cursor, {
      query: JSON.stringify(query),
      given: provided,
      at,
      until: now().getTime() + CURSOR_LIVES_MS,
    });
    return cursor;
  }

  return { search };
}

function readQuery(query: unknown) {
  const { filter, sort } = fieldsOf(query);
  const {
    sort_field: sortField = sort === undefined ? 'CREATED_AT' : undefined,
    sort_order: order = 'DESC',
  } = fieldsOf(sort);
  if (sortField === undefined) return missingField('query.sort.sort_field');
  if (!isOneOf(Object.keys(TIMES), sortField))
    return badRequest('INVALID_ENUM_VALUE', 'query.sort.sort_field');
  if (!isOneOf(['ASC', 'DESC'], order)) return badRequest('INVALID_SORT_ORDER', 'query.sort.sort_order');
  const by = TIMES[sortField as keyof typeof TIMES];
  const { state_filter: stateFilter, date_time_filter: timeFilter } = fieldsOf(filter);
  const states = stateFilter === undefined ? null : fieldsOf(stateFilter)['states'];
  if (states === undefined) return missingField('query.filter.state_filter.states');
  if (states !== null && !(Array.isArray(states) && states.every((state) => isOneOf(STATES, state)))) {
    return badRequest('INVALID_ENUM_VALUE', 'query.filter.state_filter.states');
  }
  const range = timeFilter === undefined ? null : readRange(timeFilter, by);
  if (isErrorResponse(range)) return range;
  return { by, newestFirst: order === 'DESC', states, range };
}

function readRange(filter: unknown, by: TimeField) {
  const provided = Object.entries(fieldsOf(filter));
  const [name, range] = provided[0] ?? [];
  if (name === undefined) return null;
  if (provided.length > 1 || name !== by) return badRequest('BAD_REQUEST', 'query.sort.sort_field');
  const { start_at: start, end_at: end } = fieldsOf(range);
  for (const time of [start, end]) {
    if (time !== undefined && !RFC_3339.test(textOf(time))) return badRequest('INVALID_TIME', name);
  }
  const from = start === undefined ? -Infinity : Date.parse(textOf(start));
  const to = end === undefined ? Infinity : Date.parse(textOf(end));
  if (from > to) return badRequest('INVALID_TIME_RANGE', name);
  return { from, to };
}

const isOneOf = (names: readonly string[], value: unknown): boolean => names.includes(textOf(value));

const timeOf = (order: Order, by: TimeField): number => Date.parse(order[by] ?? order.created_at);

/** Both ends of a range are included; without an end it ends at the first request of the cursor. */
function matchesQuery(order: Order, { by, states, range }: OrderSearchQuery, askedAt: number): boolean {
  const at = timeOf(order, by);
  if (states !== null && !states.includes(order.state)) return false;
  if (by === 'closed_at' && order.closed_at === undefined) return false;
  return range === null ? at <= askedAt : at >= range.from && at <= Math.min(range.to, askedAt);
}

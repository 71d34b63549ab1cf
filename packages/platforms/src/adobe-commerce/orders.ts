import { decimalsOf, ok, type OrderStatus, type OrderQuery, type Orders } from '@switchboard/platform-kit';
import { unreadableResponse } from '@switchboard/platform-kit/platform-client';
import { readableRows, unreadableNotes } from '@switchboard/platform-kit/readable-rows';
import { requestStore } from './client.js';
import { readDocuments, fetchDocuments } from './documents.js';
import { readOrder, STATUSES } from './read-order.js';
import { searchCriteria, toSecondCeiling, type SearchFilter } from './search.js';
import { errorMapping, order, orderList, placedOrder, type WireOrder } from './wire.js';

const PAGE_MAX = 100;
/**
 * Magento signs with parameters sorted naturally (the tenth after the ninth), OAuth 1.0a sorts bytewise: with
 * more than ten filter groups the signature would differ. The remaining filters are applied by the adapter.
 */
const GROUPS_MAX = 10;

export const orders: Orders = {
  filters: [
    'sort',
    'statuses',
    'createdAfter',
    'createdBefore',
    'updatedAfter',
    'updatedBefore',
    'number',
    'currency',
    'minTotalMinor',
    'maxTotalMinor',
  ],

  async list(session, query, { limit, token }) {
    const field = query.sort.endsWith('created_at') ? 'created_at' : 'updated_at';
    const direction = query.sort.startsWith('-') ? 'DESC' : 'ASC';
    const pageSize = Math.min(limit, PAGE_MAX);
    const place = token === undefined ? [] : after(token, field, direction);
    const groups = [...place, ...filtersOf(query)].slice(0, GROUPS_MAX);
    // Orders with the same second are ordered by their IDs.
    const sort = [
      [field, direction],
      ['entity_id', direction],
    ] as const;
    const listed = await requestStore(
      session,
      { path: '/orders', query: searchCriteria(groups, sort, pageSize) },
      orderList,
    );
    if (!listed.ok) return listed;
    const { items, total_count: total } = listed.value;
    const read = readableRows(items, order).rows;
    const found = await fetchDocuments(session, read);
    if (!found.ok) return found;
    const whole = found.value.flatMap((documents) => documents ?? []);
    const last = readableRows(items, placedOrder).rows.at(-1);
    // The cursor is an order's position, so that an empty page has no next one.
    if (!last && items.length > 0) return unreadableResponse(errorMapping, 'read');
    return ok({
      orders: whole.map((documents) => readOrder(documents)),
      notes: unreadableNotes(whole.length < items.length),
      ...(last && items.length < total && { next: positionOf(last, field) }),
    });
  },

  async get(session, externalId) {
    const found = await readDocuments(session, externalId);
    if (!found.ok) return found;
    return ok(found.value && readOrder(found.value));
  },
};

type TimeField = 'created_at' | 'updated_at';

/** The position of the cursor: after this order, even when orders arrive meanwhile. */
const positionOf = (
  place: Pick<WireOrder, 'entity_id' | 'created_at' | 'updated_at'>,
  field: TimeField,
): string => `${toSecondCeiling(place[field])}|${place.entity_id}`;

function after(token: string, field: TimeField, direction: 'ASC' | 'DESC'): SearchFilter[][] {
  const [time = '', id = ''] = token.split('|');
  const [strictly, loosely] = direction === 'ASC' ? (['gt', 'gteq'] as const) : (['lt', 'lteq'] as const);
  return [
    [{ field, condition: loosely, value: time }],
    [
      { field, condition: strictly, value: time },
      { field: 'entity_id', condition: strictly, value: id },
    ],
  ];
}

function filtersOf(query: OrderQuery): SearchFilter[][] {
  const { number, currency, statuses } = query;
  const time = (field: TimeField, condition: 'gteq' | 'lt', at: Date | undefined): SearchFilter[] =>
    at ? [{ field, condition, value: toSecondCeiling(at) }] : [];
  const equal = (field: string, value: string | undefined): SearchFilter[] =>
    value === undefined ? [] : [{ field, condition: 'eq', value }];
  /**
   * Magento keeps four decimals and the adapter rounds, so the filter has a tolerance of half the smallest
   * unit.
   */
  const total = (condition: 'gteq' | 'lteq', minor: number | undefined, tenths: number): SearchFilter[] => {
    if (minor === undefined || currency === undefined) return [];
    const decimals = decimalsOf(currency) + 1;
    const value = ((minor * 10 + tenths) / 10 ** decimals).toFixed(decimals);
    return [{ field: 'base_grand_total', condition, value }];
  };
  return [
    statuses ? [ofStatus(statuses)] : [],
    time('created_at', 'gteq', query.createdAfter),
    time('created_at', 'lt', query.createdBefore),
    time('updated_at', 'gteq', query.updatedAfter),
    time('updated_at', 'lt', query.updatedBefore),
    equal('increment_id', number?.trim().replace(/^#/, '')),
    equal('base_currency_code', currency),
    total('gteq', query.minTotalMinor, -5),
    total('lteq', query.maxTotalMinor, 5),
  ].filter((filters) => filters.length > 0);
}

/** An unknown state maps to an open order, so the filter for open orders excludes the other states. */
function ofStatus(statuses: readonly OrderStatus[]): SearchFilter {
  const states = Object.keys(STATUSES);
  const requested = states.filter((state) => statuses.includes(STATUSES[state] as OrderStatus));
  return statuses.includes('open')
    ? {
        field: 'state',
        condition: 'nin',
        value: states.filter((state) => !requested.includes(state)).join(','),
      }
    : { field: 'state', condition: 'in', value: requested.join(',') };
}

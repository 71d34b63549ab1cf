import type { Request } from 'express';
import type { HttpResponse } from '../wire/response.js';
import { refusal } from '../wire/response.js';
import { queryText } from '../wire/parameters.js';
import { ORDER_STATUSES, PAYMENT_STATUSES, type Order } from './order.js';
import { stateOf } from './order-state.js';
import type { Refund } from './refund.js';

export const SORTS = ['-created_at', 'created_at', '-updated_at', 'updated_at'] as const;
export type OrderSort = (typeof SORTS)[number];

/** The filterable fields of an order; unknown filters are ignored, as in real stores. */
interface Filterable {
  readonly number: string;
  readonly status: string;
  readonly payment_status: string;
  readonly created_at: string;
  readonly updated_at: string;
}

/** An order as lists match it: with the effect of its refunds, without detail fields. */
export function toFilterable(
  order: Order,
  refunds: readonly Refund[],
  now: Date,
): Filterable & { readonly order: Order } {
  const { number, status, payment_status, created_at, updated_at } = order;
  const plain = { order, number, status, payment_status, created_at, updated_at };
  if (refunds.length === 0) return plain;
  const state = stateOf(order, refunds, now);
  return { ...plain, payment_status: state.paymentStatus, updated_at: state.updatedAt };
}

export interface OrderQuery {
  readonly sort: OrderSort;
  readonly fits: (order: Filterable) => boolean;
}

export function readOrderQuery(request: Request): OrderQuery | HttpResponse {
  const sort = SORTS.find((known) => known === (queryText(request, 'sort') ?? '-created_at'));
  if (sort === undefined) return invalidParameter('sort', `sort must be one of ${SORTS.join(', ')}.`);

  const conditions: ((order: Filterable) => boolean)[] = [];
  for (const field of ['created', 'updated'] as const) {
    for (const side of ['after', 'before'] as const) {
      const provided = queryText(request, `${field}_${side}`);
      if (provided === undefined) continue;
      const moment = /^\d{4}-\d\d-\d\d/.test(provided) ? Date.parse(provided) : NaN;
      if (Number.isNaN(moment))
        return invalidParameter(`${field}_${side}`, 'A time must be in RFC 3339 format.');
      conditions.push((order) => Date.parse(order[`${field}_at`]) >= moment === (side === 'after'));
    }
  }
  for (const [field, known] of [
    ['status', ORDER_STATUSES],
    ['payment_status', PAYMENT_STATUSES],
  ] as const) {
    const requested = queryText(request, field)?.split(',');
    if (requested === undefined) continue;
    if (!requested.every((value) => (known as readonly string[]).includes(value)))
      return invalidParameter(field, `${field} must be one of ${known.join(', ')}.`);
    conditions.push((order) => requested.includes(order[field]));
  }
  const number = queryText(request, 'number');
  if (number !== undefined) conditions.push((order) => order.number === number);
  return { sort, fits: (order) => conditions.every((holds) => holds(order)) };
}

function invalidParameter(field: string, message: string): HttpResponse {
  return refusal(422, 'filter_invalid', message, { field });
}

import type { OrderQuery, OrderSort } from '../ports/orders.js';
import type { RemoteOrder } from './order.js';

/** The time by which an order is sorted, in milliseconds since 1970. */
export const sortTimeMs = (order: Pick<RemoteOrder, 'createdAt' | 'updatedAt'>, sort: OrderSort): number =>
  (sort.endsWith('created_at') ? order.createdAt : order.updatedAt).getTime();

export const comesBefore = (timeMs: number, otherMs: number, sort: OrderSort): boolean =>
  sort.startsWith('-') ? timeMs > otherMs : timeMs < otherMs;

/**
 * Whether an order matches the query. Applied to all results of a store, because stores ignore filters that
 * they do not know.
 */
export function matchesQuery(order: RemoteOrder, query: OrderQuery): boolean {
  const { totals } = order;
  return (
    isAmong(order.status, query.statuses) &&
    isAmong(order.paymentStatus, query.paymentStatuses) &&
    isAmong(order.fulfillmentStatus, query.fulfillmentStatuses) &&
    isWithin(order.createdAt, query.createdAfter, query.createdBefore) &&
    isWithin(order.updatedAt, query.updatedAfter, query.updatedBefore) &&
    (query.number === undefined || normalizeNumber(order.number) === normalizeNumber(query.number)) &&
    (query.email === undefined || hasEmail(order, query.email)) &&
    (query.currency === undefined || order.currency === query.currency) &&
    (query.minTotalMinor === undefined || totals.total.amountMinor >= query.minTotalMinor) &&
    (query.maxTotalMinor === undefined || totals.total.amountMinor <= query.maxTotalMinor)
  );
}

/** Whether no later order in the requested order can match, so that the search can stop. */
export function isPastEnd(order: RemoteOrder, query: OrderQuery): boolean {
  switch (query.sort) {
    case '-created_at':
      return query.createdAfter !== undefined && order.createdAt < query.createdAfter;
    case 'created_at':
      return query.createdBefore !== undefined && order.createdAt >= query.createdBefore;
    case '-updated_at':
      return query.updatedAfter !== undefined && order.updatedAt < query.updatedAfter;
    case 'updated_at':
      return query.updatedBefore !== undefined && order.updatedAt >= query.updatedBefore;
  }
}

const isAmong = <Value>(value: Value, allowed: readonly Value[] | undefined): boolean =>
  allowed === undefined || allowed.includes(value);

const isWithin = (at: Date, after: Date | undefined, before: Date | undefined): boolean =>
  (after === undefined || at >= after) && (before === undefined || at < before);

/** Users write `#1042` for the number that the store calls `1042`. */
const normalizeNumber = (number: string): string => number.trim().replace(/^#/, '').toLowerCase();

const normalizeEmail = (email: string): string => email.trim().toLowerCase();

const hasEmail = (order: RemoteOrder, email: string): boolean =>
  [...order.emails, order.customer.email ?? ''].some(
    (known) => normalizeEmail(known) === normalizeEmail(email),
  );

import type { OrderStatus, PaymentStatus, OrderQuery } from '@switchboard/platform-kit';
import { FINANCIAL_STATUSES } from './statuses.js';

const STATUSES: Readonly<Record<OrderStatus, string>> = {
  open: 'open',
  completed: 'closed',
  cancelled: 'cancelled',
};

/** Quoted, so that nothing in it is syntax: https://shopify.dev/docs/api/usage/search-syntax. */
const quoted = (value: string): string => `'${value.replace(/[\\']/g, '\\$&')}'`;

/** Shopify stores whole seconds: the bound is rounded up to the next one. */
const second = (at: Date): string =>
  quoted(new Date(Math.ceil(at.getTime() / 1_000) * 1_000).toISOString().replace('.000Z', 'Z'));

const oneOf = (field: string, values: readonly string[]): string[] =>
  values.length === 0 ? [] : [`(${values.map((value) => `${field}:${value}`).join(' OR ')})`];

const paymentWords = (status: PaymentStatus): string[] =>
  Object.entries(FINANCIAL_STATUSES).flatMap(([theirs, ours]) =>
    ours === status ? [theirs.toLowerCase()] : [],
  );

/** Those of our filters that Shopify documents with the same meaning, in its search syntax. */
export function buildSearch(query: OrderQuery, more: readonly string[] = []): string | undefined {
  const { createdAfter, createdBefore, updatedAfter, updatedBefore, number, email } = query;
  const terms = [
    ...oneOf(
      'status',
      (query.statuses ?? []).map((status) => STATUSES[status]),
    ),
    ...oneOf('financial_status', (query.paymentStatuses ?? []).flatMap(paymentWords)),
    ...(createdAfter ? [`created_at:>=${second(createdAfter)}`] : []),
    ...(createdBefore ? [`created_at:<${second(createdBefore)}`] : []),
    ...(updatedAfter ? [`updated_at:>=${second(updatedAfter)}`] : []),
    ...(updatedBefore ? [`updated_at:<${second(updatedBefore)}`] : []),
    ...(number === undefined ? [] : [`name:${quoted(number.trim().replace(/^#/, ''))}`]),
    ...(email === undefined ? [] : [`email:${quoted(email.trim())}`]),
    ...more,
  ];
  return terms.length === 0 ? undefined : terms.join(' AND ');
}

/** The filter of a list that exceeds the reach of its cursor: all orders up to the time of the last one. */
export function upTo({ sort }: OrderQuery, at: Date): string {
  const field = sort.endsWith('created_at') ? 'created_at' : 'updated_at';
  return `${field}:${sort.startsWith('-') ? '<=' : '>='}${second(at)}`;
}

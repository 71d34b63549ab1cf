import { ok, type Session } from '@switchboard/domain';
import type { Answer } from '../kit/answers.js';
import { everyOne } from './every-one.js';
import { findRefund, paymentsNamedBy, type listPayments } from './read-payments.js';
import {
  ask,
  customerMap,
  type WireCustomer,
  type WireOrder,
  type WirePayment,
  type WireRefund,
} from './wire.js';

/** What an order only names: its payments, their refunds, and who bought. By id. */
export interface Belongings {
  readonly payments: ReadonlyMap<string, WirePayment>;
  readonly refunds: ReadonlyMap<string, WireRefund>;
  readonly customers: ReadonlyMap<string, WireCustomer>;
}

export async function readBelongings(
  session: Session,
  orders: readonly WireOrder[],
  readPayments: typeof listPayments,
): Answer<Belongings> {
  const payments = await readPayments(session, orders);
  if (!payments.ok) return payments;
  const paid = [...payments.value.values()];
  const customerIds = orders.flatMap((order) => customerOf(order, payments.value) ?? []);
  const [refunds, customers] = await Promise.all([
    readRefunds(
      session,
      paid.flatMap(({ refund_ids: ids }) => ids ?? []),
    ),
    readCustomers(session, [...new Set(customerIds)]),
  ]);
  if (!refunds.ok) return refunds;
  if (!customers.ok) return customers;
  return ok({ payments: payments.value, refunds: refunds.value, customers: customers.value });
}

/** Square links a payment to a customer also where the order names none. */
export const customerOf = (order: WireOrder, payments: Belongings['payments']): string | null =>
  order.customer_id ??
  paymentsNamedBy(order)
    .map(({ id }) => payments.get(id)?.customer_id)
    .find((id) => typeof id === 'string') ??
  null;

async function readRefunds(session: Session, ids: readonly string[]): Answer<Belongings['refunds']> {
  const read = everyOne(await Promise.all(ids.map((id) => findRefund(session, id))));
  if (!read.ok) return read;
  return ok(new Map(read.value.flatMap((refund) => (refund ? [[refund.id, refund] as const] : []))));
}

async function readCustomers(session: Session, ids: readonly string[]): Answer<Belongings['customers']> {
  if (ids.length === 0) return ok(new Map());
  const read = await ask(
    session,
    { method: 'POST', path: '/v2/customers/bulk-retrieve', json: { customer_ids: ids }, effect: 'read' },
    customerMap,
  );
  if (!read.ok) return read;
  const found = Object.entries(read.value.responses ?? {});
  return ok(new Map(found.flatMap(([id, { customer }]) => (customer ? [[id, customer] as const] : []))));
}

import { ok, type Session } from '@switchboard/platform-kit';
import type { AdapterResult } from '@switchboard/platform-kit/platform-client';
import { findAllById, findRefund, paymentReferencesOf, type listPayments } from './read-payments.js';
import {
  requestJson,
  customerMap,
  type WireCustomer,
  type WireOrder,
  type WirePayment,
  type WireRefund,
} from './wire.js';

/** The objects that an order only references: its payments, their refunds, and the customer. By ID. */
export interface RelatedRecords {
  readonly payments: ReadonlyMap<string, WirePayment>;
  readonly refunds: ReadonlyMap<string, WireRefund>;
  readonly customers: ReadonlyMap<string, WireCustomer>;
  /** The IDs of payments and refunds that cannot be read: the remainder of their orders is unknown. */
  readonly unreadable: ReadonlySet<string>;
}

/** Whether all that an order references is readable, and in its single currency. */
export function isReadable(order: WireOrder, { payments, refunds, unreadable }: RelatedRecords): boolean {
  const currency = order.total_money?.currency;
  return paymentReferencesOf(order).every(({ id }) => {
    const payment = payments.get(id);
    const refundIds = payment?.refund_ids ?? [];
    const amounts = [
      payment?.total_money,
      payment?.refunded_money,
      ...refundIds.map((refundId) => refunds.get(refundId)?.amount_money),
    ];
    return (
      ![id, ...refundIds].some((one) => unreadable.has(one)) &&
      amounts.every((amount) => !amount || amount.currency === currency)
    );
  });
}

export async function readRelated(
  session: Session,
  orders: readonly WireOrder[],
  readPayments: typeof listPayments,
): AdapterResult<RelatedRecords> {
  const payments = await readPayments(session, orders);
  if (!payments.ok) return payments;
  const paid = [...payments.value.found.values()];
  const customerIds = orders.flatMap((order) => customerOf(order, payments.value.found) ?? []);
  const [refunds, customers] = await Promise.all([
    findAllById(session, [...new Set(paid.flatMap(({ refund_ids: ids }) => ids ?? []))], findRefund),
    readCustomers(session, [...new Set(customerIds)]),
  ]);
  if (!refunds.ok) return refunds;
  if (!customers.ok) return customers;
  return ok({
    payments: payments.value.found,
    refunds: refunds.value.found,
    customers: customers.value,
    unreadable: new Set([...payments.value.unreadable, ...refunds.value.unreadable]),
  });
}

/** Square links a payment to a customer also if the order names none. */
export const customerOf = (order: WireOrder, payments: RelatedRecords['payments']): string | null =>
  order.customer_id ??
  paymentReferencesOf(order)
    .map(({ id }) => payments.get(id)?.customer_id)
    .find((id) => typeof id === 'string') ??
  null;

async function readCustomers(
  session: Session,
  ids: readonly string[],
): AdapterResult<RelatedRecords['customers']> {
  if (ids.length === 0) return ok(new Map());
  const read = await requestJson(
    session,
    { method: 'POST', path: '/v2/customers/bulk-retrieve', json: { customer_ids: ids }, effect: 'read' },
    customerMap,
  );
  if (!read.ok) return read;
  const found = Object.entries(read.value.responses ?? {});
  return ok(new Map(found.flatMap(([id, { customer }]) => (customer ? [[id, customer] as const] : []))));
}

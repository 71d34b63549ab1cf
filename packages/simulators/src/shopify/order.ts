import type { MinorUnits } from './money.js';
import type { Order, OrderLine } from './seed-orders.js';

export type TransactionKind = 'AUTHORIZATION' | 'CAPTURE' | 'SALE' | 'REFUND' | 'VOID' | 'CHANGE';
type TransactionStatus = 'SUCCESS' | 'PENDING' | 'FAILURE' | 'ERROR';

export interface Transaction {
  readonly id: number;
  readonly kind: TransactionKind;
  status: TransactionStatus;
  readonly gateway: string;
  readonly amount: MinorUnits;
  readonly parentId: number | null;
  readonly createdAt: Date;
}

export interface RefundedLine {
  readonly lineId: number;
  readonly quantity: number;
  readonly restockType: string;
  readonly locationId: number | null;
}

export interface Refund {
  readonly id: number;
  readonly note: string | null;
  /** Null for a refund imported from another system: the schema allows it. */
  readonly createdAt: Date | null;
  readonly processedAt: Date;
  readonly lines: readonly RefundedLine[];
  readonly shipping: MinorUnits;
  readonly transactions: readonly Transaction[];
  /** Whether the customer was notified; null: not specified. */
  readonly notified: boolean | null;
}

/** Gateways whose money does not pass through the store. */
export const isManual = (gateway: string): boolean => ['manual', 'Bank Deposit', 'cash'].includes(gateway);

const sum = (transactions: readonly Transaction[]) =>
  transactions.reduce((total, { amount }) => total + amount, 0);

export const netOf = (line: OrderLine): MinorUnits => line.unit * line.quantity - line.discount;

export function totalOf(order: Order): MinorUnits {
  const added = order.taxesIncluded ? 0 : 1;
  const lines = order.lines.reduce((total, line) => total + netOf(line) + added * line.tax, 0);
  return order.shippingLines.reduce((total, { price, tax }) => total + price + added * tax, lines);
}

const isPaid = ({ kind, status }: Transaction) =>
  (kind === 'SALE' || kind === 'CAPTURE') && status === 'SUCCESS';
/** After an error the store allows another refund, regardless of what the gateway did. */
const hasFailed = ({ status }: Transaction) => status === 'FAILURE' || status === 'ERROR';

export const receivedOf = (order: Order): MinorUnits =>
  sum(order.transactions.filter(isPaid)) -
  sum(order.transactions.filter(({ kind, status }) => kind === 'CHANGE' && status === 'SUCCESS'));

/** `settled`: only completed refunds; otherwise also those in progress. */
export const refundedOf = (order: Order, settled: boolean): MinorUnits =>
  sum(
    order.transactions.filter(
      (one) => one.kind === 'REFUND' && (settled ? one.status === 'SUCCESS' : !hasFailed(one)),
    ),
  );

/** The refundable remainder of a payment; null when it cannot be refunded. */
export function remainingOf(order: Order, paymentId: number | null): MinorUnits | null {
  const payment = order.transactions.find(({ id }) => id === paymentId);
  if (!payment || !isPaid(payment)) return null;
  const gone = order.transactions.filter(
    (one) => ['REFUND', 'CHANGE'].includes(one.kind) && one.parentId === paymentId && !hasFailed(one),
  );
  return payment.amount - sum(gone);
}

export const paymentsOf = (order: Order): readonly Transaction[] => order.transactions.filter(isPaid);

/** For display, as Shopify documents: it follows the settled amounts. */
export function financialStatusOf(order: Order): string {
  const [received, refunded] = [receivedOf(order), refundedOf(order, true)];
  if (received > 0) {
    if (refunded >= received) return 'REFUNDED';
    if (refunded > 0) return 'PARTIALLY_REFUNDED';
    return received >= totalOf(order) ? 'PAID' : 'PARTIALLY_PAID';
  }
  const has = (kind: TransactionKind) =>
    order.transactions.some((one) => one.kind === kind && one.status === 'SUCCESS');
  if (has('VOID')) return 'VOIDED';
  if (has('AUTHORIZATION')) return 'AUTHORIZED';
  return order.transactions.length > 0 && order.transactions.every(hasFailed) ? 'EXPIRED' : 'PENDING';
}

export function fulfillmentStatusOf({ lines }: Order): string {
  const open = lines.reduce((total, { unfulfilled }) => total + unfulfilled, 0);
  const all = lines.reduce((total, { quantity }) => total + quantity, 0);
  if (open === 0) return 'FULFILLED';
  return open < all ? 'PARTIALLY_FULFILLED' : 'UNFULFILLED';
}

import type { Order } from './seed-orders.js';
import { numberOf } from './access.js';
import { parseDecimal, type MinorUnits } from './money.js';
import {
  remainingOf,
  receivedOf,
  refundedOf,
  type Refund,
  type RefundedLine,
  type Transaction,
} from './order.js';
import { remainingShippingOf, type LineInput } from './suggested-refund.js';

export interface RefundInput {
  readonly orderId: string;
  readonly note?: string | null;
  readonly notify?: boolean | null;
  readonly currency?: string | null;
  readonly allowOverRefunding?: boolean | null;
  readonly shipping?: { readonly amount?: string | null; readonly fullRefund?: boolean | null } | null;
  readonly refundLineItems?: readonly LineInput[] | null;
  readonly transactions?:
    | readonly {
        readonly orderId: string;
        readonly gateway: string;
        readonly kind: string;
        readonly amount: string;
        readonly parentId?: string | null;
      }[]
    | null;
}

export interface StoreConfiguration {
  readonly shopCurrency: string;
  /** The first one is the default location for restocked goods. */
  readonly locations: readonly [number, ...number[]];
  /** Gateways that report the outcome of a refund later. */
  readonly slowGateways: readonly string[];
  readonly now: () => Date;
  readonly nextId: () => number;
}

type RefundError = { readonly refused: string };
const refundError = (words: string): RefundError => ({ refused: words });
const isRefused = (one: object): one is RefundError => 'refused' in one;

/**
 * Makes a refund, or returns user errors in Shopify's format. Everything is validated before anything
 * changes.
 */
export function createRefund(
  order: Order,
  input: RefundInput,
  facts: StoreConfiguration,
): Refund | RefundError {
  if ((input.currency ?? facts.shopCurrency) !== order.currency) {
    return refundError('Currency must be the presentment currency of the order.');
  }
  const lines = linesOf(order, input.refundLineItems ?? [], facts);
  if (isRefused(lines)) return lines;
  const shipping = shippingOf(order, input);
  if (shipping === null) return refundError('Shipping cannot be refunded beyond what is left of it.');
  const transactions = transactionsOf(order, input, facts);
  if (isRefused(transactions)) return transactions;
  return recordRefund(order, input, { lines, shipping, transactions }, facts);
}

function linesOf(
  order: Order,
  inputs: readonly LineInput[],
  { locations }: StoreConfiguration,
): readonly RefundedLine[] | RefundError {
  const lines: RefundedLine[] = [];
  const sumOf = (lineId: number, restockType?: string) =>
    lines
      .filter((one) => one.lineId === lineId && (restockType ?? one.restockType) === one.restockType)
      .reduce((sum, { quantity }) => sum + quantity, 0);
  for (const { lineItemId, quantity, restockType, locationId } of inputs) {
    const line = order.lines.find(({ id }) => id === numberOf('LineItem', lineItemId));
    if (!line) return refundError('Line item does not belong to the order.');
    const type = restockType ?? 'NO_RESTOCK';
    if (type === 'LEGACY_RESTOCK') return refundError('Restock type is not accepted.');
    const provided = locationId ? numberOf('Location', locationId) : null;
    if (type === 'NO_RESTOCK' && provided !== null)
      return refundError('Location must be empty without restocking.');
    if (provided !== null && !locations.includes(provided)) return refundError('Location does not exist.');
    const location = type === 'NO_RESTOCK' ? null : (provided ?? locations[0]);
    lines.push({ lineId: line.id, quantity, restockType: type, locationId: location });
    if (quantity < 1 || sumOf(line.id) > line.quantity - line.refunded) {
      return refundError('Quantity cannot refund more items than were purchased.');
    }
    if (sumOf(line.id, 'CANCEL') > line.unfulfilled) {
      return refundError('Only items that were not fulfilled can be cancelled.');
    }
  }
  return lines;
}

function shippingOf(order: Order, { shipping }: RefundInput): MinorUnits | null {
  const remaining = remainingShippingOf(order);
  if (shipping?.fullRefund) return remaining;
  const amount = shipping?.amount ? parseDecimal(shipping.amount, order.currency) : 0;
  return amount === null || amount > remaining ? null : amount;
}

function transactionsOf(
  order: Order,
  input: RefundInput,
  { slowGateways, now, nextId }: StoreConfiguration,
): readonly Transaction[] | RefundError {
  const created: Transaction[] = [];
  for (const one of input.transactions ?? []) {
    const amount = parseDecimal(one.amount, order.currency);
    const parentId = one.parentId ? numberOf('OrderTransaction', one.parentId) : null;
    const parent = order.transactions.find(({ id }) => id === parentId);
    const remaining = remainingOf(order, parentId);
    if (one.kind !== 'REFUND' || one.orderId !== input.orderId)
      return refundError('Transaction is not valid.');
    if (amount === null || amount < 1) return refundError('Amount is not valid.');
    if (!parent || remaining === null || parent.gateway !== one.gateway) {
      return refundError('Parent transaction is not one that can be refunded.');
    }
    const before = created
      .filter((other) => other.parentId === parentId)
      .reduce((sum, t) => sum + t.amount, 0);
    if (amount + before > remaining && !input.allowOverRefunding) {
      return refundError('Refund amount exceeds what is left of the transaction.');
    }
    created.push({
      id: nextId(),
      kind: 'REFUND',
      status: slowGateways.includes(one.gateway) ? 'PENDING' : 'SUCCESS',
      gateway: one.gateway,
      amount,
      parentId,
      createdAt: now(),
    });
  }
  const total = created.reduce((sum, { amount }) => sum + amount, 0);
  return total + refundedOf(order, false) > receivedOf(order) && !input.allowOverRefunding
    ? refundError('Refund amount exceeds what was received.')
    : created;
}

function recordRefund(
  order: Order,
  input: RefundInput,
  parts: Pick<Refund, 'lines' | 'shipping' | 'transactions'>,
  { now, nextId }: StoreConfiguration,
): Refund {
  for (const { lineId, quantity, restockType } of parts.lines) {
    const line = order.lines.find(({ id }) => id === lineId);
    if (!line) continue;
    line.refunded += quantity;
    if (restockType === 'CANCEL') line.unfulfilled -= quantity;
  }
  let shipping = parts.shipping;
  for (const line of order.shippingLines) {
    const part = Math.min(shipping, line.price - line.refunded);
    line.refunded += part;
    shipping -= part;
  }
  const createdAt = now();
  const refund: Refund = {
    id: nextId(),
    note: input.note ?? null,
    notified: input.notify ?? null,
    createdAt,
    processedAt: createdAt,
    ...parts,
  };
  order.transactions.push(...parts.transactions);
  order.refunds.push(refund);
  order.updatedAt = createdAt;
  return refund;
}

import type { WooOrder } from './seeded-orders.js';
import { setTimeout as wait } from 'node:timers/promises';
import { fieldsOf, textOf, type WireResponse } from '../wire/exchange.js';
import {
  GATEWAYS,
  PLACES,
  refundedOf,
  totalOf,
  withTaxes,
  type WooRefund,
  type WooRefundItem,
} from './order.js';
import { invalidParameter, wooError, wpError } from './parameters.js';
import type { WooState } from './woo-store.js';

const CODE = 'woocommerce_rest_cannot_create_order_refund';
const refused = (message: string) => wooError(500, CODE, message);

/**
 * Makes a refund without locking: the remainder is read first, and other requests are served while the
 * gateway is called. Neither the order's payment nor the line totals are checked.
 */
export async function createRefund(
  shop: WooState,
  order: WooOrder | undefined,
  body: unknown,
): Promise<WooRefund | WireResponse> {
  const requested = fieldsOf(body);
  const types = [
    ['amount', 'string'],
    ['reason', 'string'],
    ['api_refund', 'boolean'],
    ['api_restock', 'boolean'],
  ] as const;
  for (const [name, type] of types) {
    if (requested[name] !== undefined && requested[name] !== null && typeof requested[name] !== type)
      return invalidParameter(name, `${name} is not of type ${type}.`);
  }
  if (!order) return wooError(404, 'woocommerce_rest_invalid_order_id', 'Invalid order ID.');
  const items = itemsOf(order, requested['line_items']);
  const amount = amountOf(requested['amount'], items);
  if (amount !== null && amount < 0)
    return wooError(400, 'woocommerce_rest_invalid_order_refund', 'Refund amount must be greater than zero.');
  if (Number.isNaN(amount) || (amount ?? 0) > totalOf(order) - refundedOf(order))
    return refused('Invalid refund amount.');
  const id = (shop.newest += 10);
  const throughGateway = requested['api_refund'] !== false;
  await wait(shop.gatewayMs);
  if (throughGateway) {
    if (!GATEWAYS.some(({ id, supports }) => id === order.method && supports.includes('refunds')))
      return refused('The payment gateway for this order does not support automatic refunds.');
    if (shop.declined !== null) return refused(shop.declined);
    shop.paidOut += amount ?? 0;
  }
  // Any exception from here on, including those of stock or accounting plugins, deletes the refund but does
  // not return the money.
  const failed = shop.failure;
  shop.failure = null;
  if (failed !== null) return refused(failed);
  const meta = Array.isArray(requested['meta_data']) ? requested['meta_data'].map(fieldsOf) : [];
  const refund: WooRefund = {
    id,
    orderId: order.id,
    amount,
    items,
    refundedPayment: throughGateway,
    createdAt: shop.now(),
    reason: textOf(requested['reason']),
    meta: meta.map(({ key, value }) => ({ key: textOf(key), value })),
  };
  order.refunds.push(refund);
  order.modifiedAt = shop.now();
  if (refundedOf(order) >= totalOf(order)) order.status = 'refunded';
  if (requested['api_restock'] !== false) {
    for (const { of, quantity } of items)
      if (quantity > 0) shop.restocked.set(of.id, (shop.restocked.get(of.id) ?? 0) + quantity);
  }
  shop.refunds.push(refund);
  return refund;
}

/** "1.999" is accepted, and so are "0" and an empty value. NaN: not a number. */
function amountOf(requested: unknown, items: readonly WooRefundItem[]): number | null {
  if (typeof requested === 'string') return /^-?\d+(\.\d+)?$/.test(requested) ? unitsOf(requested) : NaN;
  if (items.length === 0) return null;
  return items.reduce((sum, item) => sum + withTaxes(item), 0);
}

/** Unknown order lines are ignored. */
function itemsOf(order: WooOrder, requested: unknown): readonly WooRefundItem[] {
  const lines = (Array.isArray(requested) ? requested : []).map(fieldsOf);
  return order.items.flatMap((of) => {
    const line = lines.find(({ id }) => Number(id) === of.id);
    if (!line) return [];
    const taxes = (Array.isArray(line['refund_tax']) ? line['refund_tax'] : []).map(fieldsOf);
    return [
      {
        of,
        quantity: Number(line['quantity'] ?? 0),
        total: unitsOf(line['refund_total'] ?? 0),
        taxes: taxes.map((tax) => ({ rateId: Number(tax['id']), total: unitsOf(tax['refund_total']) })),
      },
    ];
  });
}

const unitsOf = (amount: unknown): number => Math.round(Number(amount) * 10 ** PLACES);

export const notCreated = (status: 400 | 500): WireResponse =>
  wpError(status, 'woocommerce_rest_shop_order_refund_not_created', 'The refund was not created.');

import type { Answer } from '../wire/answer.js';
import { refusal } from '../wire/answer.js';
import { fieldsOf, isGiven } from '../wire/parameters.js';
import type { Order } from './order.js';
import type { OrderState } from './order-state.js';
import type { Refund, RefundedLine } from './refund.js';

export type WantedRefund = Omit<Refund, 'id' | 'created_at' | 'settles_at' | 'outcome'>;

/** The refund a body asks for, or why the store refuses it in the order's present state. */
export function readRefund(
  order: Order,
  state: OrderState,
  body: Readonly<Record<string, unknown>>,
): WantedRefund | Answer {
  const malformed = findMalformed(body);
  if (malformed) return malformed;

  const payment = order.payments.find((known) => known.id === body['payment_id']);
  if (!payment) return wrong('payment_id', 'payment_not_found', 'The order has no such payment.');
  if (payment.captured === 0)
    return wrong('payment_id', 'payment_not_captured', 'Nothing of this payment was captured.');
  const amount = body['amount'] as number;
  if (body['currency'] !== order.currency) {
    return wrong('currency', 'currency_mismatch', `The order is in ${order.currency}.`, {
      currency: order.currency,
    });
  }
  const refundable = state.refundableOf(payment.id);
  if (amount > refundable)
    return wrong('amount', 'amount_exceeds_refundable', 'More than what is left of this payment.', {
      refundable,
    });

  const lines = ((body['line_items'] ?? []) as unknown[])
    .map(fieldsOf)
    .map(({ id, quantity }) => ({ id, quantity }) as RefundedLine);
  for (const { id } of lines) {
    const line = order.line_items.find((known) => known.id === id);
    if (!line) return wrong('line_items', 'line_item_not_found', 'The order has no such line item.');
    const left = line.quantity - state.refundedQuantity(id);
    const asked = lines.filter((other) => other.id === id).reduce((sum, other) => sum + other.quantity, 0);
    if (asked > left)
      return wrong('line_items', 'quantity_exceeds_refundable', 'More than what is left of this line item.', {
        id,
        refundable: left,
      });
  }
  const shipping = (body['shipping'] ?? 0) as number;
  if (shipping > state.shippingRefundable) {
    const message = 'More than what is left of the shipping.';
    return wrong('shipping', 'shipping_exceeds_refundable', message, {
      refundable: state.shippingRefundable,
    });
  }

  const offline = body['offline'] === true;
  if (!payment.online && !offline)
    return wrong(
      'offline',
      'offline_required',
      'This payment was made outside; pay it back yourself and send offline: true.',
    );
  if (payment.online && offline)
    return wrong('offline', 'offline_not_possible', 'This payment can only be refunded through its gateway.');

  const text = (field: string) => (isGiven(body[field]) ? (body[field] as string) : null);
  return {
    order_id: order.id,
    payment_id: payment.id,
    amount,
    currency: order.currency,
    offline,
    line_items: lines,
    shipping,
    reason: text('reason'),
    note: text('note'),
    reference: text('reference'),
    restock: body['restock'] === true,
    customer_notified: body['notify'] !== false,
  };
}

const LONGEST = { reason: 255, note: 1000, reference: 100 } as const;

function findMalformed(body: Readonly<Record<string, unknown>>): Answer | undefined {
  const { amount, line_items: lines, shipping } = body;
  if (!Number.isSafeInteger(amount) || (amount as number) <= 0) {
    return wrong('amount', 'amount_invalid', 'amount is a positive whole number of minor units.');
  }
  if (isGiven(shipping) && (!Number.isSafeInteger(shipping) || (shipping as number) < 0)) {
    return wrong('shipping', 'field_invalid', 'shipping is a whole number of minor units.');
  }
  const isLine = (line: unknown) => {
    const { id, quantity } = fieldsOf(line);
    return typeof id === 'string' && Number.isSafeInteger(quantity) && (quantity as number) > 0;
  };
  if (isGiven(lines) && !(Array.isArray(lines) && lines.every(isLine))) {
    return wrong('line_items', 'field_invalid', 'line_items is a list of {id, quantity}.');
  }
  for (const [field, longest] of Object.entries(LONGEST)) {
    const value = body[field];
    if (isGiven(value) && (typeof value !== 'string' || value.length > longest)) {
      return wrong(
        field,
        field === 'reference' ? 'reference_invalid' : 'field_invalid',
        `${field} has at most ${longest} characters.`,
      );
    }
  }
  for (const field of ['restock', 'notify', 'offline']) {
    if (isGiven(body[field]) && typeof body[field] !== 'boolean')
      return wrong(field, 'field_invalid', `${field} is true or false.`);
  }
  return undefined;
}

function wrong(
  field: string,
  code: string,
  message: string,
  details: Readonly<Record<string, unknown>> = {},
): Answer {
  return refusal(422, code, message, { field, ...details });
}

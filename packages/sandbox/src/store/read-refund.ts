import type { HttpResponse } from '../wire/response.js';
import { refusal } from '../wire/response.js';
import { fieldsOf, isProvided } from '../wire/parameters.js';
import type { Order } from './order.js';
import type { OrderState } from './order-state.js';
import type { Refund, RefundedLine } from './refund.js';

export type RefundRequest = Omit<Refund, 'id' | 'created_at' | 'settles_at' | 'outcome'>;

/** The refund of a request body, or the error in the order's current state. */
export function readRefund(
  order: Order,
  state: OrderState,
  body: Readonly<Record<string, unknown>>,
): RefundRequest | HttpResponse {
  const malformed = findMalformed(body);
  if (malformed) return malformed;

  const payment = order.payments.find((known) => known.id === body['payment_id']);
  if (!payment) return invalidField('payment_id', 'payment_not_found', 'The order has no such payment.');
  if (payment.captured === 0)
    return invalidField('payment_id', 'payment_not_captured', 'Nothing of this payment was captured.');
  const amount = body['amount'] as number;
  if (body['currency'] !== order.currency) {
    return invalidField('currency', 'currency_mismatch', `The order is in ${order.currency}.`, {
      currency: order.currency,
    });
  }
  const refundable = state.refundableOf(payment.id);
  if (amount > refundable)
    return invalidField(
      'amount',
      'amount_exceeds_refundable',
      'The amount exceeds the refundable remainder of this payment.',
      {
        refundable,
      },
    );

  const lines = ((body['line_items'] ?? []) as unknown[])
    .map(fieldsOf)
    .map(({ id, quantity }) => ({ id, quantity }) as RefundedLine);
  for (const { id } of lines) {
    const line = order.line_items.find((known) => known.id === id);
    if (!line) return invalidField('line_items', 'line_item_not_found', 'The order has no such line item.');
    const remaining = line.quantity - state.refundedQuantity(id);
    const requested = lines
      .filter((other) => other.id === id)
      .reduce((sum, other) => sum + other.quantity, 0);
    if (requested > remaining)
      return invalidField(
        'line_items',
        'quantity_exceeds_refundable',
        'The quantity exceeds the remainder of this line item.',
        {
          id,
          refundable: remaining,
        },
      );
  }
  const shipping = (body['shipping'] ?? 0) as number;
  if (shipping > state.shippingRefundable) {
    const message = 'The amount exceeds the remainder of the shipping.';
    return invalidField('shipping', 'shipping_exceeds_refundable', message, {
      refundable: state.shippingRefundable,
    });
  }

  const offline = body['offline'] === true;
  if (!payment.online && !offline)
    return invalidField(
      'offline',
      'offline_required',
      'This payment is offline. Refund it manually and pass `offline: true`.',
    );
  if (payment.online && offline)
    return invalidField(
      'offline',
      'offline_not_possible',
      'This payment can only be refunded through its gateway.',
    );

  const text = (field: string) => (isProvided(body[field]) ? (body[field] as string) : null);
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

const LENGTH_LIMITS = { reason: 255, note: 1000, reference: 100 } as const;

function findMalformed(body: Readonly<Record<string, unknown>>): HttpResponse | undefined {
  const { amount, line_items: lines, shipping } = body;
  if (!Number.isSafeInteger(amount) || (amount as number) <= 0) {
    return invalidField('amount', 'amount_invalid', 'amount must be a positive whole number of minor units.');
  }
  if (isProvided(shipping) && (!Number.isSafeInteger(shipping) || (shipping as number) < 0)) {
    return invalidField('shipping', 'field_invalid', 'shipping must be a whole number of minor units.');
  }
  const isLine = (line: unknown) => {
    const { id, quantity } = fieldsOf(line);
    return typeof id === 'string' && Number.isSafeInteger(quantity) && (quantity as number) > 0;
  };
  if (isProvided(lines) && !(Array.isArray(lines) && lines.every(isLine))) {
    return invalidField('line_items', 'field_invalid', 'line_items must be a list of {id, quantity}.');
  }
  for (const [field, longest] of Object.entries(LENGTH_LIMITS)) {
    const value = body[field];
    if (isProvided(value) && (typeof value !== 'string' || value.length > longest)) {
      return invalidField(
        field,
        field === 'reference' ? 'reference_invalid' : 'field_invalid',
        `${field} may have at most ${longest} characters.`,
      );
    }
  }
  for (const field of ['restock', 'notify', 'offline']) {
    if (isProvided(body[field]) && typeof body[field] !== 'boolean')
      return invalidField(field, 'field_invalid', `${field} must be true or false.`);
  }
  return undefined;
}

function invalidField(
  field: string,
  code: string,
  message: string,
  details: Readonly<Record<string, unknown>> = {},
): HttpResponse {
  return refusal(422, code, message, { field, ...details });
}

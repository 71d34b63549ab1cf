import { NOT_WITH_THIS_KEY, quoteRefund } from '@switchboard/domain/refunds';
import { z } from 'zod';
import { redactPlatformQuotes } from '../pipeline/redact-platform-quotes.js';
import { defineOperation } from '../define.js';
import { ceilingRemainingShape, presentCeilingRemaining } from '../keys/key-shape.js';
import { platformFailures } from '../platform-failures.js';
import { components, id, isoTime, moneyShape, presentMoney, time } from '../shapes.js';
import { exampleRefund, refundFailures, refundFields } from './refund-shape.js';

const input = z.strictObject({ order_id: id(exampleRefund.order_id), ...refundFields });

export default defineOperation({
  name: 'quoteRefund',
  summary: 'Preview a refund without moving money.',
  guidance:
    'Without an extent everything that remains is refunded. Show the amount and consequences to the person who decides, then call refund_order with its id. A quote is valid for 30 minutes, once, and only while the order is unchanged. Rejected while another refund of the order is in progress or unknown.',
  scope: 'orders:read',
  effect: 'create',
  boundary: 'staged',
  toolset: 'commerce',
  http: { method: 'post', path: '/ecommerce/orders/:order_id/refund/quote', status: 201 },
  input,
  output: z
    .object({
      id: z.string(),
      order_id: z.string(),
      expires_at: time,
      amount: moneyShape,
      breakdown: z.object({ line_items: moneyShape, shipping: moneyShape, other: moneyShape }),
      payments: z.array(z.object({ id: z.string(), amount: moneyShape, money_moved: z.boolean() })),
      restock: z.boolean(),
      customer_notified: z.enum(['yes', 'no', 'store_decides']),
      refundable_after: moneyShape,
      ceiling_remaining: ceilingRemainingShape,
      consequences: z.array(z.string()),
    })
    .register(components, { id: 'Quote' }),
  failures: ['order.not_found', ...refundFailures, ...platformFailures],
  example: {
    input: { order_id: exampleRefund.order_id, amount: '12.34', reason: 'damaged' },
    output: {
      id: 'quo_01kah3v5w8e2m6r9t0x4y7z1ab',
      order_id: exampleRefund.order_id,
      expires_at: '2026-11-21T09:30:00.000Z',
      amount: { amount: '12.34', currency: 'EUR' },
      breakdown: {
        line_items: { amount: '0.00', currency: 'EUR' },
        shipping: { amount: '0.00', currency: 'EUR' },
        other: { amount: '12.34', currency: 'EUR' },
      },
      payments: [{ id: 'pay_1', amount: { amount: '12.34', currency: 'EUR' }, money_moved: true }],
      restock: false,
      customer_notified: 'store_decides',
      refundable_after: { amount: '47.04', currency: 'EUR' },
      ceiling_remaining: null,
      consequences: ['12.34 EUR is refunded to the customer through Sandbox Store.'],
    },
  },
  // The quote contains the expected remaining amount and is valid only while that holds, so an agent need not
  // send it.
  mcp: {
    input: input.omit({ expected_refundable: true }),
    example: {
      order_id: 'ord_…',
      line_items: [{ id: 'li_1', quantity: 1, restock: true }],
      shipping: 'full',
    },
  },
  sentence: ({ id, amount, refundable_after, expires_at, consequences }) => {
    const next = consequences.includes(NOT_WITH_THIS_KEY)
      ? NOT_WITH_THIS_KEY
      : `To execute it, call refund_order with ${id} before ${expires_at}.`;
    return `A refund of ${amount.amount} ${amount.currency} would leave ${refundable_after.amount} refundable. ${next}`;
  },
  object: ({ quote }) => quote.id,
  redact: redactPlatformQuotes,
  useCase: quoteRefund,
  present: ({ quote, orderId, breakdown, restock, customerNotified, ceilingRemaining, consequences }) => {
    const { currency } = quote.amount;
    const sum = (amountMinor: number) => presentMoney({ amountMinor, currency });
    return {
      id: quote.id,
      order_id: orderId,
      expires_at: isoTime(quote.expiresAt),
      amount: presentMoney(quote.amount),
      breakdown: {
        line_items: sum(breakdown.linesMinor),
        shipping: sum(breakdown.shippingMinor),
        other: sum(breakdown.otherMinor),
      },
      payments: quote.payments.map(({ id, amountMinor, moneyMoved }) => ({
        id,
        amount: sum(amountMinor),
        money_moved: moneyMoved,
      })),
      restock,
      customer_notified: customerNotified,
      refundable_after: presentMoney(quote.refundableAfter),
      ceiling_remaining: presentCeilingRemaining(ceilingRemaining),
      consequences: [...consequences],
    };
  },
});

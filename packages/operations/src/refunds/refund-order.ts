import { ok } from '@switchboard/domain';
import { refundOrder } from '@switchboard/domain/refunds';
import { z } from 'zod';
import { redactPlatformQuotes } from '../pipeline/redact-platform-quotes.js';
import { defineOperation, type Confirmation } from '../define.js';
import { platformFailures } from '../platform-failures.js';
import { id } from '../shapes.js';
import {
  exampleRefund,
  presentRefund,
  refundFailures,
  refundFields,
  refundSentence,
  refundSettling,
  refundShape,
} from './refund-shape.js';

/** The details of `refund.not_confirmed`: our own numbers and sentences, with the names of the items. */
interface RefundToConfirm {
  readonly orderId: string;
  readonly orderNumber: string | null;
  readonly amount: { readonly amount: string; readonly currency: string };
  readonly expiresAt: Date;
  readonly items: readonly string[];
  readonly consequences: readonly string[];
}

const confirmRefund = {
  code: 'refund.not_confirmed',
  question(details) {
    const { orderId, orderNumber, amount, items, consequences } = details as unknown as RefundToConfirm;
    const sum = `${amount.amount} ${amount.currency}`;
    const message = [
      `Refund ${sum} of order ${orderNumber ?? orderId}?`,
      ...items,
      ...consequences,
      'An agent requests this refund. Approve it only if you want it.',
    ].join('\n');
    return { message, label: `Yes, refund ${sum}` };
  },
  refusal(decision, details) {
    const { expiresAt } = details as unknown as RefundToConfirm;
    return decision === 'declined'
      ? 'The person declined. Nothing was refunded. Do not request the refund again unless they instruct you to.'
      : `The person could not be asked or did not respond. Nothing was refunded; the quote stays valid until ${expiresAt.toISOString()}. Ask them before you call refund_order again.`;
  },
} as const satisfies Confirmation;

const exampleQuoteId = 'quo_01kah3v5w8e2m6r9t0x4y7z1ab';

export default defineOperation({
  name: 'refundOrder',
  summary: 'Refund an order: moves real money.',
  guidance:
    'Executes exactly the quote, once: repeating the call returns the same refund. Unless the status is succeeded or failed, do not refund again.',
  scope: 'refunds:write',
  effect: 'irreversible',
  boundary: 'staged',
  toolset: 'commerce',
  http: { method: 'post', path: '/ecommerce/orders/:order_id/refund', status: 201 },
  input: z.strictObject({
    order_id: id(exampleRefund.order_id),
    quote_id: id(exampleQuoteId).optional(),
    ...refundFields,
    allow_duplicate: z.boolean().optional(),
  }),
  output: refundShape,
  failures: [
    'order.not_found',
    'connection.not_found',
    'quote.not_found',
    'quote.expired',
    'quote.changed',
    'key.policy_exceeded',
    'key.refund_ceiling_exceeded',
    'refund.not_confirmed',
    'refund.possible_duplicate',
    'refund.refused',
    ...refundFailures,
    ...platformFailures,
  ],
  example: {
    input: { order_id: exampleRefund.order_id, amount: '12.34', reason: 'damaged' },
    output: exampleRefund,
  },
  mcp: { input: z.strictObject({ quote_id: id(exampleQuoteId, 'returned by quote_refund') }) },
  waitSeconds: 20,
  replaySettling: {
    ...refundSettling,
    async readAgain(ports, call, refund) {
      const current = await refundSettling.readAgain(ports, call, refund);
      return current.ok ? ok({ ...current.value, replayed: true }) : current;
    },
  },
  sentence: refundSentence,
  confirm: confirmRefund,
  replayed: (refund) => refund.replayed,
  redact: redactPlatformQuotes,
  useCase: refundOrder,
  present: presentRefund,
});

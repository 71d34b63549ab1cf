import type { Confirmation } from '../define.js';

/** The details of `refund.not_confirmed`: only our own numbers and sentences. */
interface RefundToConfirm {
  readonly orderId: string;
  readonly orderNumber: string | null;
  readonly amount: { readonly amount: string; readonly currency: string };
  readonly expiresAt: Date;
  readonly consequences: readonly string[];
}

export const confirmRefund = {
  code: 'refund.not_confirmed',
  question(details) {
    const { orderId, orderNumber, amount, consequences } = details as unknown as RefundToConfirm;
    const sum = `${amount.amount} ${amount.currency}`;
    const message = [
      `Refund ${sum} of order ${orderNumber ?? orderId}?`,
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

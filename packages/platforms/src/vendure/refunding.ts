import {
  decimalsOf,
  ok,
  quotePlatform,
  refuse,
  type RefundInstruction,
  type RefundPayment,
  type Refunding,
  type RemoteRefund,
  type Session,
} from '@switchboard/domain';
import { unreadable, type Answer } from '../kit/answers.js';
import { marked } from '../kit/mark.js';
import { foundAsOne, refundEach } from '../kit/refund-each.js';
import { ask } from './ask.js';
import { manifest } from './manifest.js';
import { readRefund } from './read-order.js';
import { asked } from './wire.js';

export const refunding: Refunding = {
  async refund(session, instruction) {
    const settings = await ask(session, asked.settings);
    if (!settings.ok) return settings;
    const { moneyStrategyPrecision: precision } = settings.value.globalSettings.serverConfig;
    return refundEach(instruction, (payment) => refundPayment(session, instruction, payment, precision));
  },

  async find(session, { reference, ...instruction }) {
    const found = await ask(session, asked.order, { id: instruction.orderExternalId });
    if (!found.ok) return found;
    const { order, globalSettings } = found.value;
    const { moneyStrategyPrecision: precision } = globalSettings.serverConfig;
    const { payments } = order ?? {};
    // Only a payment that is shown can prove that it has no such refund.
    const areShown = instruction.payments.every(({ id }) => payments?.some((one) => one.id === id));
    if (!order || !payments || !areShown || order.currencyCode !== instruction.currency) {
      return refuse(
        'platform.outcome_unknown',
        'Vendure does not show this payment any more. Look at the order there.',
      );
    }
    const ours = payments
      .flatMap(({ refunds }) => refunds)
      .map((refund) => readRefund(refund, precision, instruction.currency))
      .filter((refund) => refund.reference === reference);
    return foundAsOne(instruction, ours);
  },
};

/**
 * The results of `refundOrder` that come before the payment's handler is called. `REFUND_STATE_TRANSITION_ERROR` comes after it
 * (`PaymentService.createRefund` of Vendure), and of one that is unknown here nothing is certain.
 */
const BEFOREHAND: ReadonlySet<string> = new Set([
  'QUANTITY_TOO_GREAT_ERROR',
  'NOTHING_TO_REFUND_ERROR',
  'MULTIPLE_ORDER_ERROR',
  'PAYMENT_ORDER_MISMATCH_ERROR',
  'REFUND_ORDER_STATE_ERROR',
  'ALREADY_REFUNDED_ERROR',
  'REFUND_AMOUNT_ERROR',
]);

async function refundPayment(
  session: Session,
  { reference, reason, note, currency }: RefundInstruction,
  payment: RefundPayment,
  precision: number,
): Answer<RemoteRefund> {
  const input = {
    paymentId: payment.id,
    amount: Math.round((payment.amountMinor / 10 ** decimalsOf(currency)) * 10 ** precision),
    reason: marked(reference, reason, note),
    // Deprecated, hidden from introspection, and without them the database refuses the row.
    lines: [],
    shipping: 0,
    adjustment: 0,
  };
  const answered = await ask(session, asked.refund, { input }, 'write');
  if (!answered.ok) return answered;
  const made = answered.value.refundOrder;
  if (!('errorCode' in made)) {
    return made.paymentId === payment.id
      ? ok(readRefund(made, precision, currency))
      : unreadable(manifest, 'write');
  }
  if (!BEFOREHAND.has(made.errorCode)) return unreadable(manifest, 'write');
  return refuse('platform.refused', 'Vendure refused the refund.', {
    platform: quotePlatform(manifest.name, made.message, made.errorCode),
  });
}

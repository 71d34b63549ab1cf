import {
  decimalsOf,
  ok,
  quotePlatform,
  refuse,
  type RemoteRefund,
  type RefundInstruction,
  type Refunding,
  type Session,
  type RefundPayment,
} from '@switchboard/platform-kit';
import { unreadableResponse, type AdapterResult } from '@switchboard/platform-kit/platform-client';
import { formatReferenceMarker } from '@switchboard/platform-kit/reference-marker';
import { combineFoundRefunds, refundEachPayment } from '@switchboard/platform-kit/refund-each-payment';
import { requestGraphql } from './client.js';
import { manifest } from './manifest.js';
import { readRefund } from './read-order.js';
import { queries } from './wire.js';

export const refunding: Refunding = {
  async refund(session, instruction) {
    const settings = await requestGraphql(session, queries.settings);
    if (!settings.ok) return settings;
    const { moneyStrategyPrecision: precision } = settings.value.globalSettings.serverConfig;
    return refundEachPayment(instruction, (payment) =>
      refundPayment(session, instruction, payment, precision),
    );
  },

  async find(session, { reference, ...instruction }) {
    const found = await requestGraphql(session, queries.order, { id: instruction.orderExternalId });
    if (!found.ok) return found;
    const { order, globalSettings } = found.value;
    const { moneyStrategyPrecision: precision } = globalSettings.serverConfig;
    const { payments } = order ?? {};
    // Only a returned payment can prove that it has no such refund.
    const areShown = instruction.payments.every(({ id }) => payments?.some((one) => one.id === id));
    if (!order || !payments || !areShown || order.currencyCode !== instruction.currency) {
      return refuse(
        'platform.outcome_unknown',
        'Vendure no longer returns this payment. Check the order there.',
      );
    }
    const ours = payments
      .flatMap(({ refunds }) => refunds)
      .map((refund) => readRefund(refund, precision, instruction.currency))
      .filter((refund) => refund.reference === reference);
    return combineFoundRefunds(instruction, ours);
  },
};

/**
 * The results of `refundOrder` that precede the call of the payment's handler.
 * `REFUND_STATE_TRANSITION_ERROR` follows it (`PaymentService.createRefund` of Vendure), and an unknown one
 * proves nothing.
 */
const REFUSED_BEFORE_PAYMENT: ReadonlySet<string> = new Set([
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
): AdapterResult<RemoteRefund> {
  const input = {
    paymentId: payment.id,
    amount: Math.round((payment.amountMinor / 10 ** decimalsOf(currency)) * 10 ** precision),
    reason: formatReferenceMarker(reference, reason, note),
    // Deprecated and hidden from introspection, but without them the database rejects the row.
    lines: [],
    shipping: 0,
    adjustment: 0,
  };
  const response = await requestGraphql(session, queries.refund, { input }, 'write');
  if (!response.ok) return response;
  const created = response.value.refundOrder;
  if (!('errorCode' in created)) {
    return created.paymentId === payment.id
      ? ok(readRefund(created, precision, currency))
      : unreadableResponse(manifest, 'write');
  }
  if (!REFUSED_BEFORE_PAYMENT.has(created.errorCode)) return unreadableResponse(manifest, 'write');
  return refuse('platform.refused', 'Vendure refused the refund.', {
    platform: quotePlatform(manifest.name, created.message, created.errorCode),
  });
}

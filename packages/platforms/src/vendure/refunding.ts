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
import type { Answer } from '../kit/answers.js';
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
    const ours = (order?.payments ?? [])
      .flatMap(({ refunds }) => refunds)
      .map((refund) => readRefund(refund, precision, instruction.currency))
      .filter((refund) => refund.reference === reference);
    return foundAsOne(instruction, ours);
  },
};

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
  if (!('errorCode' in made)) return ok(readRefund(made, precision, currency));
  return refuse('platform.refused', 'Vendure refused the refund.', {
    platform: quotePlatform(manifest.name, made.message, made.errorCode),
  });
}

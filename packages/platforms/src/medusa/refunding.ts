import {
  formatAmount,
  money,
  ok,
  type RefundInstruction,
  type RefundPayment,
  type Refunding,
  type RemoteRefund,
  type Session,
} from '@switchboard/domain';
import type { z } from 'zod';
import { ask, unreadable, type Answer } from '../kit/answers.js';
import { foundAsOne, refundEach } from '../kit/refund-each.js';
import { marked, readMark } from '../kit/mark.js';
import { readRefund } from './read-order.js';
import { dialect, paymentAnswer, type WireRefund } from './wire.js';

export const refunding: Refunding = {
  refund: (session, instruction) =>
    refundEach(instruction, (payment) => refundPayment(session, instruction, payment)),

  async find(session, instruction) {
    const made: RemoteRefund[] = [];
    for (const payment of instruction.payments) {
      const listed = await ask(
        session,
        dialect,
        { method: 'GET', path: paymentPath(payment.id), query: { fields: FIELDS }, effect: 'read' },
        paymentAnswer,
      );
      if (!listed.ok) return listed;
      if (!isOf(listed.value.payment, payment, instruction)) return unreadable(dialect, 'read');
      made.push(...oursIn(listed.value.payment.refunds, instruction, payment));
    }
    return foundAsOne(instruction, made);
  },
};

const FIELDS = 'id,currency_code,*refunds';
const paymentPath = (id: string) => `/admin/payments/${encodeURIComponent(id)}`;

async function refundPayment(
  session: Session,
  instruction: RefundInstruction,
  payment: RefundPayment,
): Answer<RemoteRefund> {
  const { reference, reason, note, currency } = instruction;
  const answered = await ask(
    session,
    dialect,
    {
      method: 'POST',
      path: `${paymentPath(payment.id)}/refund`,
      query: { fields: FIELDS },
      json: {
        // Left out, it would be all that was captured. A number, in the currency's main unit.
        amount: Number(formatAmount(money(payment.amountMinor, currency))),
        note: marked(reference, reason, note),
      },
      effect: 'write',
    },
    paymentAnswer,
    // Of two writers at once one is told to try again, whatever its payment provider had done by then.
    (_words, { status }) => (status === 409 ? unreadable(dialect, 'write') : undefined),
  );
  if (!answered.ok) return answered;
  // The answer is the payment with all of its refunds.
  const [made, ...others] = oursIn(answered.value.payment.refunds, instruction, payment);
  return made && others.length === 0 && isOf(answered.value.payment, payment, instruction)
    ? ok(made)
    : unreadable(dialect, 'write');
}

/** Whether the payment that was answered with is the one that was asked for, in the currency of the refund. */
const isOf = (
  answered: z.infer<typeof paymentAnswer>['payment'],
  { id }: RefundPayment,
  { currency }: RefundInstruction,
): boolean => answered.id === id && (answered.currency_code ?? currency).toUpperCase() === currency;

const oursIn = (
  refunds: readonly WireRefund[],
  { reference, currency }: RefundInstruction,
  payment: RefundPayment,
): readonly RemoteRefund[] =>
  refunds
    .filter(({ note }) => readMark(note).reference === reference)
    .map((wire) => readRefund(wire, currency, payment));

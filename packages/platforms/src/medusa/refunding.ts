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
      made.push(...oursIn(listed.value.payment.refunds, instruction, payment));
    }
    return foundAsOne(instruction, made);
  },
};

const FIELDS = 'id,*refunds';
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
  );
  if (!answered.ok) return answered;
  // The answer is the payment with all of its refunds.
  const [made] = oursIn(answered.value.payment.refunds, instruction, payment);
  return made ? ok(made) : unreadable(dialect, 'write');
}

const oursIn = (
  refunds: readonly WireRefund[],
  { reference, currency }: RefundInstruction,
  payment: RefundPayment,
): readonly RemoteRefund[] =>
  refunds
    .filter(({ note }) => readMark(note).reference === reference)
    .map((wire) => readRefund(wire, currency, payment.moneyMoved));

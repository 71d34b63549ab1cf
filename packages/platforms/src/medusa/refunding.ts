import {
  formatAmount,
  money,
  ok,
  refuse,
  type PlatformFailureCode,
  type RefundInstruction,
  type RefundPayment,
  type Refunding,
  type RemoteRefund,
  type Result,
  type Session,
} from '@switchboard/domain';
import { ask, unreadable } from '../kit/answers.js';
import { together } from '../kit/together.js';
import { marked, readMark } from '../kit/mark.js';
import { readRefund } from './read-order.js';
import { dialect, paymentAnswer, type WireRefund } from './wire.js';

export const refunding: Refunding = {
  /** One request a payment, in order. Once the first has taken effect, whatever else goes wrong leaves the whole unknown. */
  async refund(session, instruction) {
    const made: RemoteRefund[] = [];
    for (const payment of instruction.payments) {
      const one = await refundPayment(session, instruction, payment);
      if (one.ok) made.push(one.value);
      else if (made.length > 0) return halfDone();
      else if (one.failure.code !== 'platform.refused') return one;
      else {
        const { failure } = one;
        return refuse(
          'refund.refused',
          'The store refused the refund. Its own words are quoted beside.',
          failure,
        );
      }
    }
    return settled(instruction, made);
  },

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
    return made.length === 0 ? ok(null) : settled(instruction, made);
  },
};

const FIELDS = 'id,*refunds';
const paymentPath = (id: string) => `/admin/payments/${encodeURIComponent(id)}`;

async function refundPayment(
  session: Session,
  instruction: RefundInstruction,
  payment: RefundPayment,
): Promise<Result<RemoteRefund, PlatformFailureCode>> {
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

function settled(instruction: RefundInstruction, made: readonly RemoteRefund[]) {
  const refund = together(instruction.payments, made);
  return refund ? ok(refund) : halfDone();
}

const halfDone = () =>
  refuse(
    'platform.outcome_unknown',
    'Only a part of this refund was found at the store. Look at the order there.',
  );

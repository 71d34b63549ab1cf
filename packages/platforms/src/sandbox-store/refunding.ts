import {
  ok,
  type RefundInstruction,
  type RefundPayment,
  type Refunding,
  type RemoteRefund,
  type Session,
} from '@switchboard/domain';
import { ask, type Answer } from '../kit/answers.js';
import { foundAsOne, refundEach } from '../kit/refund-each.js';
import { orderPath } from './orders.js';
import { readRefund } from './read-order.js';
import { dialect, refund as wireRefund, refundList } from './wire.js';

export const refunding: Refunding = {
  refund: (session, instruction) =>
    refundEach(instruction, (payment, isFirst) => refundPayment(session, instruction, payment, isFirst)),

  /** The store keeps our reference. Anything but one refund for each payment, or none at all, is for a person to look at. */
  async find(session, instruction) {
    const listed = await ask(
      session,
      dialect,
      { method: 'GET', path: `${orderPath(instruction.orderExternalId)}/refunds`, effect: 'read' },
      refundList,
    );
    if (!listed.ok) return listed;
    const ours = listed.value.data.filter((refund) => refund.reference === instruction.reference);
    return foundAsOne(instruction, ours.map(readRefund));
  },
};

async function refundPayment(
  session: Session,
  instruction: RefundInstruction,
  payment: RefundPayment,
  first: boolean,
): Answer<RemoteRefund> {
  const made = await ask(
    session,
    dialect,
    {
      method: 'POST',
      path: `${orderPath(instruction.orderExternalId)}/refunds`,
      json: {
        payment_id: payment.id,
        amount: payment.amountMinor,
        currency: instruction.currency,
        reason: instruction.reason ?? undefined,
        note: instruction.note ?? undefined,
        reference: instruction.reference,
        notify: instruction.notifyCustomer ?? undefined,
        offline: !payment.moneyMoved,
        ...(first ? goods(instruction) : {}),
      },
      effect: 'write',
    },
    wireRefund,
  );
  return made.ok ? ok(readRefund(made.value)) : made;
}

/** What the money is for, told once: with every payment it would be counted and restocked as often. */
const goods = ({ lines, shippingMinor, restock }: RefundInstruction) => ({
  ...(lines.length > 0 ? { line_items: lines.map(({ id, quantity }) => ({ id, quantity })) } : {}),
  ...(shippingMinor > 0 ? { shipping: shippingMinor } : {}),
  restock: restock || lines.some((line) => line.restock),
});

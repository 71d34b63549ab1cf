import {
  ok,
  type RemoteRefund,
  type RefundInstruction,
  type Refunding,
  type Session,
  type RefundPayment,
} from '@switchboard/platform-kit';
import type { AdapterResult } from '@switchboard/platform-kit/platform-client';
import { combineFoundRefunds, refundEachPayment } from '@switchboard/platform-kit/refund-each-payment';
import { orderPath } from './orders.js';
import { readRefund } from './read-order.js';
import { refund as wireRefund, refundList, requestJson } from './wire.js';

export const refunding: Refunding = {
  refund: (session, instruction) =>
    refundEachPayment(instruction, (payment, isFirst) =>
      refundPayment(session, instruction, payment, isFirst),
    ),

  /**
   * The store keeps our reference. Anything but one refund for each payment, or none at all, requires a
   * manual check.
   */
  async find(session, instruction) {
    const listed = await requestJson(
      session,
      `${orderPath(instruction.orderExternalId)}/refunds`,
      refundList,
    );
    if (!listed.ok) return listed;
    const ours = listed.value.data.filter((refund) => refund.reference === instruction.reference);
    return combineFoundRefunds(instruction, ours.map(readRefund));
  },
};

async function refundPayment(
  session: Session,
  instruction: RefundInstruction,
  payment: RefundPayment,
  first: boolean,
): AdapterResult<RemoteRefund> {
  const created = await requestJson(
    session,
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
        ...(first ? itemsOf(instruction) : {}),
      },
      effect: 'write',
    },
    wireRefund,
  );
  return created.ok ? ok(readRefund(created.value)) : created;
}

/** The purpose of the refund, sent once: with every payment it would be counted and restocked repeatedly. */
const itemsOf = ({ lines, shippingMinor, restock }: RefundInstruction) => ({
  ...(lines.length > 0 ? { line_items: lines.map(({ id, quantity }) => ({ id, quantity })) } : {}),
  ...(shippingMinor > 0 ? { shipping: shippingMinor } : {}),
  restock: restock || lines.some((line) => line.restock),
});

import { ok, type Refunding } from '@switchboard/platform-kit';
import { combineFoundRefunds, refundEachPayment } from '@switchboard/platform-kit/refund-each-payment';
import { requestJson } from './client.js';
import { order, readRefund, refund } from './order.js';
import { orderPath } from './orders.js';

export const refunds: Refunding = {
  refund: (session, { orderExternalId, reference, currency, ...instruction }) =>
    refundEachPayment({ orderExternalId, reference, currency, ...instruction }, async (payment) => {
      const json = { payment_id: payment.id, amount: payment.amountMinor, reference };
      const path = `${orderPath(orderExternalId)}/refunds`;
      const made = await requestJson(session, { method: 'POST', path, json, effect: 'write' }, refund);
      return made.ok ? ok(readRefund(made.value, currency)) : made;
    }),

  /** Null only where the store certainly made no refund with the reference. */
  async find(session, instruction) {
    const found = await requestJson(session, orderPath(instruction.orderExternalId), order);
    if (!found.ok) return found;
    const own = found.value.refunds.filter(({ reference }) => reference === instruction.reference);
    return combineFoundRefunds(
      instruction,
      own.map((one) => readRefund(one, found.value.currency)),
    );
  },
};

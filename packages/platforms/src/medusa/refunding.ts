import {
  formatAmount,
  money,
  ok,
  type RemoteRefund,
  type RefundInstruction,
  type Refunding,
  type Session,
  type RefundPayment,
} from '@switchboard/platform-kit';
import type { z } from 'zod';
import { unreadableResponse, type AdapterResult } from '@switchboard/platform-kit/platform-client';
import { combineFoundRefunds, refundEachPayment } from '@switchboard/platform-kit/refund-each-payment';
import { formatReferenceMarker, parseReferenceMarker } from '@switchboard/platform-kit/reference-marker';
import { readRefund } from './read-order.js';
import { errorMapping, paymentAnswer, requestJson, type WireRefund } from './wire.js';

export const refunding: Refunding = {
  refund: (session, instruction) =>
    refundEachPayment(instruction, (payment) => refundPayment(session, instruction, payment)),

  async find(session, instruction) {
    const created: RemoteRefund[] = [];
    for (const payment of instruction.payments) {
      const listed = await requestJson(
        session,
        { path: paymentPath(payment.id), query: { fields: FIELDS } },
        paymentAnswer,
      );
      if (!listed.ok) return listed;
      if (!isRequestedPayment(listed.value.payment, payment, instruction))
        return unreadableResponse(errorMapping, 'read');
      created.push(...ownRefundsIn(listed.value.payment.refunds, instruction, payment));
    }
    return combineFoundRefunds(instruction, created);
  },
};

const FIELDS = 'id,currency_code,*refunds';
const paymentPath = (id: string) => `/admin/payments/${encodeURIComponent(id)}`;

async function refundPayment(
  session: Session,
  instruction: RefundInstruction,
  payment: RefundPayment,
): AdapterResult<RemoteRefund> {
  const { reference, reason, note, currency } = instruction;
  const response = await requestJson(
    session,
    {
      method: 'POST',
      path: `${paymentPath(payment.id)}/refund`,
      query: { fields: FIELDS },
      json: {
        // Omitted, it would be everything captured. A number, in the currency's main unit.
        amount: Number(formatAmount(money(payment.amountMinor, currency))),
        note: formatReferenceMarker(reference, reason, note),
      },
      effect: 'write',
    },
    paymentAnswer,
    // Of two concurrent writers one receives a conflict, regardless of what its payment provider had done by
    // then.
    (_words, { status }) => (status === 409 ? unreadableResponse(errorMapping, 'write') : undefined),
  );
  if (!response.ok) return response;
  // The response is the payment with all of its refunds.
  const [made, ...others] = ownRefundsIn(response.value.payment.refunds, instruction, payment);
  return made && others.length === 0 && isRequestedPayment(response.value.payment, payment, instruction)
    ? ok(made)
    : unreadableResponse(errorMapping, 'write');
}

/** Whether the returned payment is the requested one, in the currency of the refund. */
const isRequestedPayment = (
  response: z.infer<typeof paymentAnswer>['payment'],
  { id }: RefundPayment,
  { currency }: RefundInstruction,
): boolean => response.id === id && (response.currency_code ?? currency).toUpperCase() === currency;

const ownRefundsIn = (
  refunds: readonly WireRefund[],
  { reference, currency }: RefundInstruction,
  payment: RefundPayment,
): readonly RemoteRefund[] =>
  refunds
    .filter(({ note }) => parseReferenceMarker(note).reference === reference)
    .map((wire) => readRefund(wire, currency, payment));

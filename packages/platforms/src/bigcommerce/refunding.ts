import {
  formatAmount,
  money,
  ok,
  quotePlatform,
  refuse,
  type Refusal,
  type Result,
  type RemoteOrder,
  type RemoteRefund,
  type PlatformFailureCode,
  type Refunding,
  type RefundInstruction,
  type Session,
} from '@switchboard/platform-kit';
import { unreadableResponse, type AdapterResult } from '@switchboard/platform-kit/platform-client';
import { mapFailureBeforeSend } from '@switchboard/platform-kit/map-failure-before-send';
import { formatReferenceMarker } from '@switchboard/platform-kit/reference-marker';
import { moneyOf } from '@switchboard/platform-kit/decimal';
import { readRefund, leavesTransaction, paymentIdOf, refundPaymentStatus } from './read-payments.js';
import { amountOfOrder, everythingOf, shippingOf, unitsOf, type RefundItem } from './refund-items.js';
import { chooseMethod, quoteItems, offlineReason, type RefundQuote } from './refund-quote.js';
import { actionsPath, findOrder, listRefundsOf, type StoredOrder } from './stored-order.js';
import { errorMapping, refundResponse, requestJson, type WireRefund } from './wire.js';
import { withTransactions } from './transactions.js';

const REASON_MAX = 1_000;

export const refunding: Refunding = {
  async calculate(session, order, { lines, shippingMinor }) {
    const about = orderReferenceOf(order);
    const shipping = await shippingItems(session, about.orderExternalId, shippingMinor);
    if (!shipping.ok) return shipping;
    const units = unitsOf(lines);
    const all = [...units, ...shipping.value];
    const whole = await quoteTotal(session, about, all);
    if (!whole.ok) return whole;
    // Quoted as the difference: on its own the shipping might be rounded differently.
    const [first] =
      units.length === all.length || units.length === 0 ? [whole] : [await quoteTotal(session, about, units)];
    if (!first.ok) return first;
    const linesMinor = units.length === 0 ? 0 : first.value;
    return ok({ linesMinor, shippingMinor: whole.value - linesMinor });
  },

  async refund(session, instruction) {
    const quoted = await quoteInstruction(session, instruction);
    if (!quoted.ok) return toRefundRefusal(mapFailureBeforeSend(errorMapping, quoted));
    const payments = chooseMethod(quoted.value, instruction.payments, instruction.currency);
    if (!payments) return noRefundMethod(quoted.value);
    const reason = formatReferenceMarker(instruction.reference, instruction.reason, instruction.note).slice(
      0,
      REASON_MAX,
    );
    const created = await requestJson(
      session,
      {
        method: 'POST',
        path: `${actionsPath(instruction.orderExternalId)}/refunds`,
        json: { items: quoted.value.items.map((item) => ({ ...item, reason })), payments },
        effect: 'write',
      },
      refundResponse,
    );
    if (!created.ok) return toRefundRefusal(created);
    const { data: wire } = created.value;
    // The lookup reports the outcome: the payments are made later, and this response cannot contain their
    // outcome.
    return wire.order_id === instruction.orderExternalId
      ? verifyPayments(instruction, withPendingPayments(wire))
      : unreadableResponse(errorMapping, 'write');
  },

  async find(session, instruction) {
    const { orderExternalId, reference, currency } = instruction;
    const listed = await listRefundsOf(session, orderExternalId);
    if (!listed.ok) return listed;
    const ours = listed.value.filter((wire) => readRefund(wire, currency).reference === reference);
    const [wire] = ours;
    if (!wire) return ok(null);
    if (ours.length > 1) {
      return refuse(
        'platform.outcome_unknown',
        'BigCommerce has several refunds with this reference. Check the order there.',
      );
    }
    return refundState(session, wire, instruction);
  },
};

interface OrderReference {
  readonly orderExternalId: string;
  readonly currency: string;
}
const orderReferenceOf = ({ externalId, currency }: RemoteOrder): OrderReference => ({
  orderExternalId: externalId,
  currency,
});

async function quoteTotal(
  session: Session,
  about: OrderReference,
  items: readonly RefundItem[],
): AdapterResult<number> {
  if (items.length === 0) return ok(0);
  const quoted = await quoteItems(session, about, items);
  return quoted.ok ? ok(quoted.value.amountMinor) : quoted;
}

/** Shipping is requested by address, and before tax if prices are: this needs the order itself. */
async function shippingItems(
  session: Session,
  orderExternalId: string,
  shippingMinor: number,
): AdapterResult<readonly RefundItem[]> {
  if (shippingMinor === 0) return ok([]);
  const stored = await getOrder(session, orderExternalId);
  return stored.ok ? ok(shippingOf(stored.value, shippingMinor)) : stored;
}

async function getOrder(session: Session, orderExternalId: string): AdapterResult<StoredOrder> {
  const found = await findOrder(session, orderExternalId);
  if (!found.ok) return found;
  return found.value ? ok(found.value) : refuse('platform.refused', 'BigCommerce no longer has this order.');
}

/** A quote that matches exactly the promised amount, or a refusal: nothing has been sent yet. */
async function quoteInstruction(
  session: Session,
  instruction: RefundInstruction,
): AdapterResult<RefundQuote> {
  const { orderExternalId, kind, amountMinor, currency, lines, shippingMinor } = instruction;
  const ofOrder = amountOfOrder(orderExternalId, money(amountMinor, currency));
  if (kind === 'amount')
    return requireExactAmount(instruction, await quoteItems(session, instruction, ofOrder));
  if (kind === 'lines') {
    const shipping = await shippingItems(session, orderExternalId, shippingMinor);
    if (!shipping.ok) return shipping;
    return requireExactAmount(
      instruction,
      await quoteItems(session, instruction, [...unitsOf(lines), ...shipping.value]),
    );
  }
  const stored = await getOrder(session, orderExternalId);
  if (!stored.ok) return stored;
  const items = everythingOf(stored.value, instruction);
  if (items.length > 0) {
    const quoted = await quoteItems(session, instruction, items);
    if (quoted.ok && quoted.value.amountMinor === amountMinor) return quoted;
    if (!quoted.ok && quoted.failure.code !== 'platform.refused') return quoted;
  }
  // After refunds of plain amounts, the remaining elements exceed the remaining money.
  return requireExactAmount(instruction, await quoteItems(session, instruction, ofOrder));
}

function requireExactAmount(
  { amountMinor, currency }: RefundInstruction,
  quoted: Result<RefundQuote, PlatformFailureCode>,
): Result<RefundQuote, PlatformFailureCode> {
  if (!quoted.ok || quoted.value.amountMinor === amountMinor) return quoted;
  const words = `total_refund_amount: ${formatAmount(money(quoted.value.amountMinor, currency))}`;
  return refuse(
    'platform.refused',
    'BigCommerce would refund a different amount. Request a new quote or refund that amount.',
    { platform: quotePlatform(errorMapping.name, words) },
  );
}

/** A refusal of the store ends the refund. */
function toRefundRefusal(
  refused: Refusal<PlatformFailureCode>,
): Result<RemoteRefund, PlatformFailureCode | 'refund.refused'> {
  const { failure } = refused;
  return failure.code === 'platform.refused' ? refuse('refund.refused', failure.message, failure) : refused;
}

function noRefundMethod(quote: RefundQuote): Result<RemoteRefund, 'refund.refused'> {
  const reason = offlineReason(quote);
  return refuse(
    'refund.refused',
    'BigCommerce offers no refund method that returns this amount to the original payment. Try another amount or payment, or refund it in BigCommerce.',
    { platform: quotePlatform(errorMapping.name, reason ?? describeMethods(quote)) },
  );
}

const describeMethods = ({ methods }: RefundQuote): string =>
  methods
    .map((options) => options.map(({ provider_id: id, amount }) => `${id} ${Number(amount)}`).join(' + '))
    .join(', ') || 'no refund_methods';

type InstructedPayments = Pick<RefundInstruction, 'currency' | 'payments'>;

/** The outcome of a refund: succeeded or failed only if all of its payments are, by whichever method. */
async function refundState(
  session: Session,
  wire: WireRefund,
  instruction: InstructedPayments,
): AdapterResult<RemoteRefund> {
  const looked = await withTransactions(session, wire.order_id, [wire]);
  if (!looked.ok) return looked;
  const [refund = wire] = looked.value;
  const statuses = new Set(refund.payments.map(refundPaymentStatus));
  return statuses.has('failed') && statuses.size > 1
    ? outcomeUnknown('Only part of this refund was paid. Check the order at BigCommerce.')
    : verifyPayments(instruction, refund);
}

/**
 * The refund, unless its payments differ from those that were sent. Without payments it is pending,
 * regardless of its amount.
 */
function verifyPayments({ payments, currency }: InstructedPayments, wire: WireRefund) {
  const isSame = payments.every(({ id, amountMinor }) =>
    wire.payments.some(
      (created) =>
        paymentIdOf(created.provider_id) === id &&
        moneyOf(created.amount, currency).amountMinor === amountMinor,
    ),
  );
  return wire.payments.length === 0 || (isSame && wire.payments.length === payments.length)
    ? ok(readRefund(wire, currency))
    : outcomeUnknown('BigCommerce refunded different payments. Check the order there.');
}

/** For a refund without a readable transaction: a payment that leaves one is pending. */
const withPendingPayments = (wire: WireRefund): WireRefund => ({
  ...wire,
  payments: wire.payments.map((payment) =>
    leavesTransaction(payment) ? { ...payment, status: 'pending' } : payment,
  ),
});

const outcomeUnknown = (reason: string) => refuse('platform.outcome_unknown', reason);

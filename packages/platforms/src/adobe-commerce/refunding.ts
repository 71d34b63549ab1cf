import {
  ok,
  refuse,
  type Result,
  type RemoteRefund,
  type RefundInstruction,
  type Refunding,
  type Session,
  type RefundLine,
  type RefundPayment,
} from '@switchboard/platform-kit';
import { unreadableResponse, type AdapterResult } from '@switchboard/platform-kit/platform-client';
import { mapFailureBeforeSend } from '@switchboard/platform-kit/map-failure-before-send';
import { formatReferenceMarker } from '@switchboard/platform-kit/reference-marker';
import { combineFoundRefunds, refundEachPayment } from '@switchboard/platform-kit/refund-each-payment';
import { requestStore } from './client.js';
import { countedItems } from './counted-items.js';
import { listMemos, readDocuments, type OrderDocuments } from './documents.js';
import { moneyOfExact, sumExact, minOf, type ExactAmount } from '@switchboard/platform-kit/exact-amount';
import { fromMinor, toNumber, isWholeHundredths, unitsOf } from './exact.js';
import { memoShipping } from './memo-shipping.js';
import { memoTotal, type MemoSource, availableOn } from './memo-total.js';
import { sourcesOf } from './payment-sources.js';
import { readMemo } from './read-order.js';
import { FIXED_TAXES, hasFixedTaxes, hasUnreportedTotals, UNREPORTED_TOTALS } from './unreported-totals.js';
import { errorMapping, memo, memoId } from './wire.js';

export const refunding: Refunding = {
  async calculate(session, { externalId }, { lines, shippingMinor }) {
    const found = await readDocuments(session, externalId);
    if (!found.ok) return found;
    if (!found.value) return refuse('platform.refused', 'The store no longer has this order.');
    const documents = found.value;
    if (hasUnreportedTotals(documents.order)) return refuse('platform.refused', UNREPORTED_TOTALS);
    if (lines.length > 0 && hasFixedTaxes(documents.order)) return refuse('platform.refused', FIXED_TAXES);
    const { online, offlinePaid } = sourcesOf(documents);
    const sources: MemoSource[] = online.map((invoice) => ({ ...documents, invoice }));
    if (offlinePaid > 0n || sources.length === 0) sources.push({ ...documents, invoice: null });
    const { units } = placeLines(sources, lines);
    const worth = sumExact(
      sources.map((source, at) => {
        const here = units[at];
        return here && here.size > 0 ? memoTotal(source, here) : 0n;
      }),
    );
    return ok({
      linesMinor: moneyOfExact(worth, documents.order.base_currency_code).amountMinor,
      shippingMinor,
    });
  },

  async refund(session, instruction) {
    const found = await readDocuments(session, instruction.orderExternalId);
    if (!found.ok) return mapFailureBeforeSend(errorMapping, found);
    if (!found.value) return refuse('refund.refused', 'The store no longer has this order.');
    const plans = planMemos(found.value, instruction);
    if (!plans.ok) return plans;
    let documents: OrderDocuments | null = found.value;
    return refundEachPayment(instruction, async (payment, isFirst) => {
      if (!isFirst) {
        // The preceding credit memo changed the remainder.
        const again = await readDocuments(session, instruction.orderExternalId);
        if (!again.ok) return again;
        documents = again.value;
      }
      const plan = plans.value.find((one) => one.payment.id === payment.id);
      const source = documents && sourceOf(documents, payment);
      if (!plan || !source) return unreadableResponse(errorMapping, 'write');
      return sendMemo(session, instruction, plan, source);
    });
  },

  async find(session, instruction) {
    const memos = await listMemos(session, instruction.orderExternalId);
    if (!memos.ok) return memos;
    const ours = memos.value
      .map((one) => readMemo(one, instruction.currency))
      .filter(({ reference }) => reference === instruction.reference);
    if (ours.length === 0 && instruction.payments.some(({ moneyMoved }) => moneyMoved)) return memoMissing();
    return combineFoundRefunds(instruction, ours);
  },
};

/** Magento refunds first and records afterwards: an unrecorded refund may have been paid. */
const memoMissing = () =>
  refuse(
    'platform.outcome_unknown',
    'The store shows no credit memo for this refund, but it contacts the payment provider first. Check with the provider whether the money was sent, then resolve the refund.',
  );

async function sendMemo(
  session: Session,
  instruction: RefundInstruction,
  plan: MemoPlan,
  source: MemoSource,
): AdapterResult<RemoteRefund> {
  const { payment } = plan;
  const { order, invoice } = source;
  const created = await requestStore(
    session,
    {
      method: 'POST',
      path: invoice ? `/invoice/${invoice.entity_id}/refund` : `/order/${order.entity_id}/refund`,
      json: bodyOf(instruction, plan, source),
      effect: 'write',
    },
    memoId,
    ({ message }, status) =>
      isDefiniteRefusal(message, status, payment.moneyMoved) ? undefined : outcomeUnknown(),
  );
  if (!created.ok) return created;
  const read = await requestStore(session, `/creditmemo/${created.value}`, memo);
  // It was created: `find` will return its amount.
  if (!read.ok || read.value.order_id !== order.entity_id) return outcomeUnknown();
  return ok(readMemo(read.value, order.base_currency_code, payment.id));
}

function bodyOf(
  instruction: RefundInstruction,
  { payment, units, restock, shippingMinor }: MemoPlan,
  source: MemoSource,
) {
  const { reference, reason, note, notifyCustomer, currency } = instruction;
  const shipping = memoShipping(source, shippingMinor);
  const requested = fromMinor(payment.amountMinor, currency);
  // The adjustment makes up the difference between the lines with shipping and the requested amount.
  const adjustment = requested - memoTotal(source, units, shipping);
  return {
    // Without any item Magento would refund everything, so the items that are not refunded are sent with
    // quantity 0.
    items: countedItems(source.order.items).map(({ item_id: id }) => ({
      order_item_id: Number(id),
      qty: toNumber(units.get(id) ?? 0n),
    })),
    ...(source.invoice && { isOnline: true }),
    ...(notifyCustomer !== null && { notify: notifyCustomer }),
    // The comment is stored without being appended; appended, it would be in the customer's email.
    appendComment: false,
    comment: { comment: formatReferenceMarker(reference, reason, note), is_visible_on_front: 0 },
    arguments: {
      ...(!shipping.isLeftOut && { shipping_amount: toNumber(shipping.amount) }),
      adjustment_positive: adjustment > 0n ? toNumber(adjustment) : 0,
      adjustment_negative: adjustment < 0n ? toNumber(-adjustment) : 0,
      ...(restock.length > 0 && {
        extension_attributes: { return_to_stock_items: restock.map(Number) },
      }),
    },
  };
}

/**
 * Refusals of the request and of the credit memo, made before the payment provider is contacted. Any other
 * may occur afterwards.
 */
const REFUSED_BEFORE_PAYMENT = [
  /^Creditmemo Document Validation Error/,
  /^Maximum shipping amount allowed to refund is/,
  /^You can not refund shipping/,
  /^We found an invalid quantity to refund item/,
  /^"\S+" is required\. Enter and try again\./,
  /^Error occurred during "\S+" processing\./,
];

const isDefiniteRefusal = (message: string, status: number, asksProvider: boolean): boolean =>
  status !== 400 || !asksProvider || REFUSED_BEFORE_PAYMENT.some((pattern) => pattern.test(message));

const outcomeUnknown = () =>
  refuse(
    'platform.outcome_unknown',
    'The store did not record the refund or cannot show it. Check with the payment provider whether money was sent.',
  );

interface MemoPlan {
  readonly payment: RefundPayment;
  readonly units: ReadonlyMap<string, ExactAmount>;
  readonly restock: readonly string[];
  readonly shippingMinor: number;
}

/** The document that a payment is refunded on: its invoice, or the order if no money is sent. */
const sourceOf = (documents: OrderDocuments, { id, moneyMoved }: RefundPayment): MemoSource | null => {
  if (!moneyMoved) return { ...documents, invoice: null };
  const invoice = sourcesOf(documents).online.find(({ entity_id }) => entity_id === id);
  return invoice ? { ...documents, invoice } : null;
};

/**
 * Assigns every line to the credit memo of an invoice that has it, and shipping to one that can have it as
 * shipping.
 */
function planMemos(
  documents: OrderDocuments,
  instruction: RefundInstruction,
): Result<readonly MemoPlan[], 'refund.refused'> {
  const { payments, shippingMinor, currency, kind } = instruction;
  if (hasUnreportedTotals(documents.order)) return refusedRefund(UNREPORTED_TOTALS);
  if (currency !== documents.order.base_currency_code)
    return refusedRefund('The order is in another currency.');
  if (payments.some(({ amountMinor }) => !isWholeHundredths(fromMinor(amountMinor, currency)))) {
    return refusedRefund('Magento refunds in hundredths of the currency. Round the amount to two decimals.');
  }
  const isWithoutUnits = hasFixedTaxes(documents.order);
  if (isWithoutUnits && instruction.lines.some(({ restock }) => kind !== 'full' || restock)) {
    return refusedRefund(FIXED_TAXES);
  }
  const lines = isWithoutUnits ? [] : instruction.lines;
  const sources = payments.map((payment) => sourceOf(documents, payment));
  if (!sources.every((source) => source !== null))
    return refusedRefund('The order has no such refundable payment.');
  const placed = placeLines(sources, lines);
  // For a full refund only the money matters; a named line has to be on the credit memo.
  if (placed.rest.size > 0 && kind !== 'full') {
    return refusedRefund(
      'These lines belong to a different invoice than the payment. Pass that payment as `payment_id`.',
    );
  }
  const withShipping = sources.findIndex((source) => memoShipping(source, shippingMinor).amount > 0n);
  return ok(
    payments.map((payment, at) => {
      const units = placed.units[at] ?? new Map<string, ExactAmount>();
      const restock = lines.filter(({ id, restock: requested }) => requested && units.has(id));
      return {
        payment,
        units,
        restock: restock.map(({ id }) => id),
        shippingMinor: at === Math.max(0, withShipping) ? shippingMinor : 0,
      };
    }),
  );
}

/** The units of each line on each document, and those on none of them. */
function placeLines(
  sources: readonly MemoSource[],
  lines: readonly Pick<RefundLine, 'id' | 'quantity'>[],
): { readonly units: readonly Map<string, ExactAmount>[]; readonly rest: ReadonlyMap<string, ExactAmount> } {
  const rest = new Map(lines.map(({ id, quantity }) => [id, unitsOf(quantity)]));
  const units = sources.map((source) => {
    const here = new Map<string, ExactAmount>();
    for (const item of countedItems(source.order.items)) {
      const requested = rest.get(item.item_id) ?? 0n;
      const accepted = minOf(requested, availableOn(source, item));
      if (accepted <= 0n) continue;
      here.set(item.item_id, accepted);
      if (accepted === requested) rest.delete(item.item_id);
      else rest.set(item.item_id, requested - accepted);
    }
    return here;
  });
  return { units, rest };
}

const refusedRefund = (reason: string) => refuse('refund.refused', reason);

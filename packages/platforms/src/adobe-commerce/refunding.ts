import { ok, refuse } from '@switchboard/domain';
import type { RemoteRefund } from '@switchboard/domain/orders';
import type { RefundInstruction, Refunding, Session } from '@switchboard/domain/ports';
import { unreadableResponse, type AdapterResult } from '../kit/platform-client.js';
import { mapFailureBeforeSend } from '../kit/map-failure-before-send.js';
import { formatReferenceMarker } from '../kit/reference-marker.js';
import { combineFoundRefunds, refundEachPayment } from '../kit/refund-each-payment.js';
import { requestStore } from './client.js';
import { countedItems } from './counted-items.js';
import { listMemos, readDocuments, type OrderDocuments } from './documents.js';
import { moneyOfExact, sumExact } from '../kit/exact-amount.js';
import { fromMinor, toNumber } from './exact.js';
import { memoShipping } from './memo-shipping.js';
import { memoTotal, type MemoSource } from './memo-total.js';
import { sourcesOf } from './payment-sources.js';
import { placeLines, planMemos, sourceOf, type MemoPlan } from './plan-memos.js';
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
  const read = await requestStore(
    session,
    { method: 'GET', path: `/creditmemo/${created.value}`, effect: 'read' },
    memo,
  );
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

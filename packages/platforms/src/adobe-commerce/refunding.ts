import {
  ok,
  refuse,
  type RefundInstruction,
  type Refunding,
  type RemoteRefund,
  type Session,
} from '@switchboard/domain';
import { unreadable, type Answer } from '../kit/answers.js';
import { beforeSending } from '../kit/before-sending.js';
import { marked } from '../kit/mark.js';
import { foundAsOne, refundEach } from '../kit/refund-each.js';
import { askStore } from './ask-store.js';
import { countedItems } from './counted-items.js';
import { memosOf, readDocuments, type Documents } from './documents.js';
import { moneyOfExact, sumOf } from '../kit/exact.js';
import { fromMinor, toNumber } from './exact.js';
import { memoShipping } from './memo-shipping.js';
import { memoTotal, type MemoSource } from './memo-total.js';
import { sourcesOf } from './payment-sources.js';
import { placeLines, planMemos, sourceOf, type MemoPlan } from './plan-memos.js';
import { readMemo } from './read-order.js';
import { FIXED_TAXES, hasFixedTaxes, hasUntoldTotals, UNTOLD_TOTALS } from './untold-totals.js';
import { dialect, memo, memoId } from './wire.js';

export const refunding: Refunding = {
  async calculate(session, { externalId }, { lines, shippingMinor }) {
    const found = await readDocuments(session, externalId);
    if (!found.ok) return found;
    if (!found.value) return refuse('platform.refused', 'The store has no such order any more.');
    const documents = found.value;
    if (hasUntoldTotals(documents.order)) return refuse('platform.refused', UNTOLD_TOTALS);
    if (lines.length > 0 && hasFixedTaxes(documents.order)) return refuse('platform.refused', FIXED_TAXES);
    const { online, offlinePaid } = sourcesOf(documents);
    const sources: MemoSource[] = online.map((invoice) => ({ ...documents, invoice }));
    if (offlinePaid > 0n || sources.length === 0) sources.push({ ...documents, invoice: null });
    const { units } = placeLines(sources, lines);
    const worth = sumOf(
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
    if (!found.ok) return beforeSending(dialect, found);
    if (!found.value) return refuse('refund.refused', 'The store has no such order any more.');
    const plans = planMemos(found.value, instruction);
    if (!plans.ok) return plans;
    let documents: Documents | null = found.value;
    return refundEach(instruction, async (payment, isFirst) => {
      if (!isFirst) {
        // The memo before has changed what there is.
        const again = await readDocuments(session, instruction.orderExternalId);
        if (!again.ok) return again;
        documents = again.value;
      }
      const plan = plans.value.find((one) => one.payment.id === payment.id);
      const source = documents && sourceOf(documents, payment);
      if (!plan || !source) return unreadable(dialect, 'write');
      return sendMemo(session, instruction, plan, source);
    });
  },

  async find(session, instruction) {
    const memos = await memosOf(session, instruction.orderExternalId);
    if (!memos.ok) return memos;
    const ours = memos.value
      .map((one) => readMemo(one, instruction.currency))
      .filter(({ reference }) => reference === instruction.reference);
    if (ours.length === 0 && instruction.payments.some(({ moneyMoved }) => moneyMoved)) return cannotTell();
    return foundAsOne(instruction, ours);
  },
};

/** Magento pays back first and writes down second: what it did not write down may have been paid all the same. */
const cannotTell = () =>
  refuse(
    'platform.outcome_unknown',
    'The store shows no credit memo of this refund, but it asks the payment provider before it writes one. Look at the provider whether the money was sent, then resolve the refund.',
  );

async function sendMemo(
  session: Session,
  instruction: RefundInstruction,
  plan: MemoPlan,
  source: MemoSource,
): Answer<RemoteRefund> {
  const { payment } = plan;
  const { order, invoice } = source;
  const made = await askStore(
    session,
    {
      method: 'POST',
      path: invoice ? `/invoice/${invoice.entity_id}/refund` : `/order/${order.entity_id}/refund`,
      json: bodyOf(instruction, plan, source),
      effect: 'write',
    },
    memoId,
    ({ message }, status) => (isCertain(message, status, payment.moneyMoved) ? undefined : inDoubt()),
  );
  if (!made.ok) return made;
  const read = await askStore(
    session,
    { method: 'GET', path: `/creditmemo/${made.value}`, effect: 'read' },
    memo,
  );
  // It was made: what it came to will be found.
  if (!read.ok || read.value.order_id !== order.entity_id) return inDoubt();
  return ok(readMemo(read.value, order.base_currency_code, payment.id));
}

function bodyOf(
  instruction: RefundInstruction,
  { payment, units, restock, shippingMinor }: MemoPlan,
  source: MemoSource,
) {
  const { reference, reason, note, notifyCustomer, currency } = instruction;
  const shipping = memoShipping(source, shippingMinor);
  const wanted = fromMinor(payment.amountMinor, currency);
  // Whatever the lines and the shipping come to, the memo comes to the amount.
  const adjustment = wanted - memoTotal(source, units, shipping);
  return {
    // Without any item everything would be refunded, so that those that are not are named with none.
    items: countedItems(source.order.items).map(({ item_id: id }) => ({
      order_item_id: Number(id),
      qty: toNumber(units.get(id) ?? 0n),
    })),
    ...(source.invoice && { isOnline: true }),
    ...(notifyCustomer !== null && { notify: notifyCustomer }),
    // It is kept all the same; appended, it would be in the customer's letter.
    appendComment: false,
    comment: { comment: marked(reference, reason, note), is_visible_on_front: 0 },
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

/** Refusals of the request and of the memo, before the payment provider is asked. What is not among them may come after. */
const BEFOREHAND = [
  /^Creditmemo Document Validation Error/,
  /^Maximum shipping amount allowed to refund is/,
  /^You can not refund shipping/,
  /^We found an invalid quantity to refund item/,
  /^"\S+" is required\. Enter and try again\./,
  /^Error occurred during "\S+" processing\./,
];

const isCertain = (message: string, status: number, asksProvider: boolean): boolean =>
  status !== 400 || !asksProvider || BEFOREHAND.some((pattern) => pattern.test(message));

const inDoubt = () =>
  refuse(
    'platform.outcome_unknown',
    'The store did not write the refund down, or cannot show it. Whether money was sent, the payment provider knows.',
  );

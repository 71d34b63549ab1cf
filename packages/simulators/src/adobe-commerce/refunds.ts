import {
  collectTotals,
  remainingQuantity,
  ImpossibleMemoError,
  type CollectedTotals,
  type MemoDraft,
} from './collect-totals.js';
import type { RefundInput } from './read-input.js';
import { BOTH, documentItem, OFFLINE_METHODS, round } from './sales.js';
import type { SalesInvoice, SalesItem, SalesOrder } from './seeded-orders.js';
import type { AdobeState } from './store.js';

/** The amounts that a payment provider was instructed to refund, regardless of the store's records. */
export interface ProviderRefund {
  readonly orderId: number;
  readonly amount: number;
  readonly currency: string;
}

const SAVE_FAILED = 'Could not save a Creditmemo, see error log for details';
const CLOSED_TO_REFUNDS = new Set(['payment_review', 'holded', 'canceled', 'closed']);

/** Creates a credit memo for an order or one of its invoices. Exceptions become a 400 response. */
export function createMemo(
  context: AdobeState,
  order: SalesOrder,
  invoice: SalesInvoice | null,
  input: RefundInput,
): SalesMemo {
  const earlier = context.memos.filter(
    (memo) => invoice && memo.invoice_id === invoice.entity_id && memo.state !== 3,
  );
  const draft: MemoDraft = {
    ...input,
    order,
    invoice,
    earlier,
    items: itemsOf(order, invoice, earlier, input),
  };
  for (const { item, qty } of draft.items) {
    if (!item.dummy && qty > remainingQuantity(item)) {
      throw new ImpossibleMemoError(`We found an invalid quantity to refund item "${item.name}".`);
    }
  }
  const collected = collectTotals(draft, context.shippingShownInclTax);
  const wrong = findViolations(draft, collected, input);
  if (wrong.length > 0) {
    throw new ImpossibleMemoError(`Creditmemo Document Validation Error(s):\n${wrong.join('\n')}`);
  }
  const isOnline = invoice !== null && input.isOnline;
  if (isOnline) sendProviderRefund(context, order, collected);
  const memo = storeMemo(context, draft, collected, input, isOnline);
  if (input.notify) context.notifications.push(order.customer_email);
  return memo;
}

/** Everything refundable when no quantities are given; when some are given, the others are zero. */
function itemsOf(
  order: SalesOrder,
  invoice: SalesInvoice | null,
  earlier: readonly SalesMemo[],
  { items }: RefundInput,
): MemoDraft['items'] {
  const asked = new Map(items.map(({ orderItemId, qty }) => [orderItemId, qty]));
  const invoiced = invoice?.items.map(({ order_item_id: id, qty }) => ({
    item: order.items.find(({ item_id }) => item_id === id) as SalesItem,
    qty,
    limit:
      qty -
      earlier
        .flatMap((memo) => memo.items)
        .filter(({ order_item_id }) => order_item_id === id)
        .reduce((sum, one) => sum + one.qty, 0),
  }));
  const candidates = invoiced ?? order.items.map((item) => ({ item, qty: Infinity, limit: Infinity }));
  return candidates
    .filter(({ item, limit }) => (item.dummy ? isListed(order, item, asked) : limit > 0))
    .map(({ item, qty, limit }) => {
      const requested = asked.size === 0 ? remainingQuantity(item) : (asked.get(item.item_id) ?? 0);
      const parentQty = asked.get(item.parent_item_id ?? -1) ?? 1;
      const accepted = item.dummy ? parentQty : Math.min(requested, limit);
      const whole = item.is_qty_decimal === 1 ? accepted : Math.trunc(accepted);
      return { item, qty: Math.max(0, Math.min(whole, qty)) };
    });
}

function isListed(order: SalesOrder, item: SalesItem, asked: ReadonlyMap<number, number>): boolean {
  const relatives = order.items.filter(
    (other) => other.parent_item_id === item.item_id || other.item_id === item.parent_item_id,
  );
  return relatives.some((other) =>
    asked.size === 0 ? remainingQuantity(other) > 0 : (asked.get(other.item_id) ?? 0) > 0,
  );
}

function findViolations(
  { order, invoice, items }: MemoDraft,
  { totals, extras }: CollectedTotals,
  input: RefundInput,
): string[] {
  const remaining = round(order.base_total_paid - order.base_total_refunded);
  const canRefund = !OFFLINE_METHODS.has(order.payment.method);
  const isOpen =
    invoice?.state === 2 &&
    Math.abs(invoice.base_grand_total - invoice.base_total_refunded) >= 0.0001 &&
    canRefund;
  const partOf = (id: number) => items.some(({ item }) => item.item_id === id);
  return [
    ...(CLOSED_TO_REFUNDS.has(order.state)
      ? [`A creditmemo can not be created when an order has a status of ${order.status}`]
      : Math.abs(order.total_paid - order.total_refunded) < 0.0001
        ? ['The order does not allow a creditmemo to be created.']
        : []),
    ...(invoice && !isOpen ? ["We can't create creditmemo for the invoice."] : []),
    ...(totals.grand_total <= 0 && extras.credit === 0 ? ["The credit memo's total must be positive."] : []),
    ...(round(totals.base_grand_total) > remaining
      ? [`The most money available to refund is ${remaining.toFixed(2)}.`]
      : []),
    ...input.items.flatMap(({ orderItemId, qty }) => {
      const item = order.items.find(({ item_id }) => item_id === orderItemId);
      if (!item) return ['The creditmemo contains product item that is not part of the original order.'];
      return qty > remainingQuantity(item) && !item.dummy
        ? ['The quantity to refund must not be greater than the unrefunded quantity.']
        : [];
    }),
    ...input.returnToStock
      .filter((id) => !partOf(id))
      .map((id) => {
        const sku = order.items.find(({ item_id }) => item_id === id)?.sku;
        return sku === undefined
          ? 'The return to stock argument contains product item that is not part of the original order.'
          : `The "${sku}" product is not part of the current creditmemo.`;
      }),
  ];
}

function sendProviderRefund(context: AdobeState, order: SalesOrder, { totals }: CollectedTotals): void {
  const { trouble } = context;
  context.trouble = null;
  if (trouble === 'declines') throw new ImpossibleMemoError(SAVE_FAILED);
  const { entity_id: orderId, base_currency_code: currency } = order;
  const amount = totals.base_grand_total;
  if (amount > 0) context.sent.push({ orderId, amount, currency });
  // The money has been sent, and every database write is rolled back.
  if (trouble === 'fails_after') throw new ImpossibleMemoError(SAVE_FAILED);
}

function storeMemo(
  context: AdobeState,
  draft: MemoDraft,
  collected: CollectedTotals,
  input: RefundInput,
  isOnline: boolean,
): SalesMemo {
  const { order, invoice, items } = draft;
  const { totals, rows, extras } = collected;
  const at = context.now();
  items.forEach(({ item, qty }, index) => {
    const found = rows[index];
    if (qty <= 0 || !found) return;
    item.qty_refunded += qty;
    BOTH.forEach((p, half) => {
      item[`${p}amount_refunded`] += found.row[half] ?? 0;
      item[`${p}tax_refunded`] += found.tax[half] ?? 0;
      item[`${p}discount_refunded`] += found.discount[half] ?? 0;
      item[`${p}fixed_tax_refunded`] += found.fixedTax[half] ?? 0;
    });
  });
  for (const p of BOTH) {
    const amount = totals[`${p}grand_total`];
    const add = (to: number, more: number) => round(to + more);
    order[`${p}total_refunded`] = add(order[`${p}total_refunded`], amount);
    order[`${p}subtotal_refunded`] = add(order[`${p}subtotal_refunded`], totals[`${p}subtotal`]);
    order[`${p}tax_refunded`] = add(order[`${p}tax_refunded`], totals[`${p}tax_amount`]);
    order[`${p}shipping_refunded`] = add(order[`${p}shipping_refunded`], totals[`${p}shipping_amount`]);
    order[`${p}shipping_tax_refunded`] = add(
      order[`${p}shipping_tax_refunded`],
      totals[`${p}shipping_tax_amount`],
    );
    order[`${p}discount_refunded`] = add(order[`${p}discount_refunded`], totals[`${p}discount_amount`]);
    order[`${p}adjustment_positive`] += totals[`${p}adjustment_positive`];
    order[`${p}adjustment_negative`] += totals[`${p}adjustment_negative`];
    const where = isOnline ? 'total_online_refunded' : 'total_offline_refunded';
    order[`${p}${where}`] = add(order[`${p}${where}`], amount);
    order.payment[`${p}amount_refunded`] = add(order.payment[`${p}amount_refunded`], amount);
  }
  order.extras.wrappingRefunded += extras.wrapping;
  if (order.extras.credit) order.extras.credit.refunded += extras.credit;
  if (isOnline) order.payment.base_amount_refunded_online += totals.base_grand_total;
  // An online refund does not update the invoice.
  if (invoice && !isOnline) invoice.base_total_refunded += totals.base_grand_total;
  if (round(order.base_total_refunded) >= round(order.base_grand_total))
    order.state = order.status = 'closed';
  order.updated_at = at;
  restock(context, items, input);
  const memo = memoOf(context, draft, collected, input, { at, isOnline });
  context.memos.push(memo);
  return memo;
}

export type SalesMemo = ReturnType<typeof memoOf>;

function memoOf(
  { nextId }: { readonly nextId: () => number },
  { order, invoice, items }: MemoDraft,
  { totals, rows }: CollectedTotals,
  { comment }: RefundInput,
  { at, isOnline }: { readonly at: string; readonly isOnline: boolean },
) {
  const id = nextId();
  return {
    ...totals,
    entity_id: id,
    order_id: order.entity_id,
    invoice_id: invoice?.entity_id ?? null,
    increment_id: String(id).padStart(9, '0'),
    base_currency_code: order.base_currency_code,
    order_currency_code: order.order_currency_code,
    created_at: at,
    updated_at: at,
    transaction_id: isOnline ? order.payment.last_trans_id : null,
    state: 2,
    items: items.flatMap(({ item, qty }, index) => {
      const amounts = rows[index];
      return qty > 0 && amounts ? [documentItem({ id: nextId(), parentId: id }, item, qty, amounts)] : [];
    }),
    // Stored whether or not it is appended to the email; that flag only says whether the customer received it.
    comments: (comment ? [comment] : []).map((stated) => ({
      entity_id: nextId(),
      parent_id: id,
      comment: stated.comment,
      is_customer_notified: 0,
      is_visible_on_front: stated.isVisibleOnFront ? 1 : 0,
      created_at: at,
    })),
  };
}

function restock(context: AdobeState, items: MemoDraft['items'], { returnToStock }: RefundInput): void {
  const goesBack = (id: number | null) => id !== null && returnToStock.includes(id);
  for (const { item, qty } of items) {
    if (qty > 0 && (goesBack(item.item_id) || goesBack(item.parent_item_id))) {
      context.returned.set(item.sku, (context.returned.get(item.sku) ?? 0) + qty);
    }
  }
}

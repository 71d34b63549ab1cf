import { countedItems, hasRelatives, remainingQuantity } from './counted-items.js';
import { memosOn, type OrderDocuments } from './documents.js';
import { minOf, sumExact, type ExactAmount } from '@switchboard/platform-kit/exact-amount';
import { rounded, shareOf } from './exact.js';
import type { WireInvoice, WireItem } from './wire.js';

/** The document that a credit memo is created for: an order, or one of its invoices. */
export interface MemoSource extends OrderDocuments {
  readonly invoice: WireInvoice | null;
}

/**
 * How a credit memo handles shipping. `isLeftOut`: Magento takes all remaining shipping, regardless of its
 * tax settings.
 */
export interface MemoShipping {
  readonly isLeftOut: boolean;
  /** Without tax. */
  readonly amount: ExactAmount;
  readonly tax: ExactAmount;
}

export const NO_SHIPPING: MemoShipping = { isLeftOut: false, amount: 0n, tax: 0n };

/** How much of an item can be refunded on this document. */
export function availableOn({ invoice, memos }: MemoSource, item: WireItem): ExactAmount {
  const remaining = remainingQuantity(item);
  if (!invoice) return remaining;
  const quantityIn = (some: readonly { readonly order_item_id: string; readonly qty: ExactAmount }[]) =>
    sumExact(some.filter(({ order_item_id: id }) => id === item.item_id).map(({ qty }) => qty));
  const back = quantityIn(memosOn(memos, invoice.entity_id).flatMap(({ items }) => items));
  return minOf(remaining, quantityIn(invoice.items) - back);
}

/**
 * Predicts what Magento will calculate for these units and this shipping, in the base currency. Magento has
 * no endpoint for this, so the function implements its total collectors in their order (NOTES.md). The result
 * is compared with the credit memo afterwards.
 */
export function memoTotal(
  source: MemoSource,
  units: ReadonlyMap<string, ExactAmount>,
  shipping: MemoShipping = NO_SHIPPING,
): ExactAmount {
  const { order, invoice } = source;
  const entries = countedItems(order.items)
    .filter((item) => invoice === null || availableOn(source, item) > 0n)
    .map((item) => ({ item, qty: units.get(item.item_id) ?? 0n }));
  const round = carryingRounding();
  const part = (
    whole: ExactAmount,
    { item, qty }: (typeof entries)[number],
    isTakenOff = false,
  ): ExactAmount => {
    if (qty === remainingQuantity(item)) return whole;
    return round(shareOf(whole, qty, remainingQuantity(item)), isTakenOff);
  };
  const subtotal = sumExact(
    entries.map((entry) => part(entry.item.base_row_invoiced - entry.item.base_amount_refunded, entry)),
  );
  const discount = sumExact(
    entries.map((entry) =>
      part(entry.item.base_discount_invoiced - entry.item.base_discount_refunded, entry, true),
    ),
  );
  const taxes = entries
    .filter(({ qty }) => qty > 0n)
    .map((entry) => ({
      tax: part(entry.item.base_tax_invoiced - entry.item.base_tax_refunded, entry),
      hidden: part(
        entry.item.base_discount_tax_compensation_invoiced -
          entry.item.base_discount_tax_compensation_refunded,
        entry,
      ),
    }));
  // Magento never treats a composite product as the last item of an order.
  const isLast =
    entries.every(({ item, qty }) => qty === remainingQuantity(item)) &&
    !entries.some(({ item, qty }) => qty > 0n && hasRelatives(item, order.items));
  const allowed = allowedTaxes(source);
  const takesAll = isLast && !leavesShipping(source, shipping);
  const tax = sumExact(taxes.map((each) => each.tax)) + shipping.tax;
  const hidden = sumExact(taxes.map((each) => each.hidden));
  return (
    subtotal -
    discount +
    shipping.amount +
    (takesAll ? allowed.tax + allowed.hidden : minOf(allowed.tax, tax) + minOf(allowed.hidden, hidden))
  );
}

/** Amounts are computed in sequence, and each rounding remainder carries over to the next. */
function carryingRounding(): (amount: ExactAmount, isTakenOff?: boolean) => ExactAmount {
  let carried = 0n;
  return (amount, isTakenOff = false) => {
    if (amount === 0n) return amount;
    const withCarried = isTakenOff ? amount - carried : amount + carried;
    const whole = rounded(withCarried);
    carried = isTakenOff ? whole - withCarried : withCarried - whole;
    return whole;
  };
}

/**
 * Taxes that this document has not refunded yet; the hidden ones are those of discounts on prices including
 * tax.
 */
function allowedTaxes({ order, invoice, memos }: MemoSource): {
  readonly tax: ExactAmount;
  readonly hidden: ExactAmount;
} {
  if (!invoice) {
    return {
      tax: order.base_tax_invoiced - order.base_tax_refunded,
      hidden:
        order.base_discount_tax_compensation_invoiced +
        order.base_shipping_discount_tax_compensation_amnt -
        order.base_discount_tax_compensation_refunded,
    };
  }
  const earlier = memosOn(memos, invoice.entity_id);
  const hiddenIn = (
    document: Pick<
      WireInvoice,
      'base_discount_tax_compensation_amount' | 'base_shipping_discount_tax_compensation_amnt'
    >,
  ) => document.base_discount_tax_compensation_amount + document.base_shipping_discount_tax_compensation_amnt;
  return {
    tax: invoice.base_tax_amount - sumExact(earlier.map((memo) => memo.base_tax_amount)),
    hidden: hiddenIn(invoice) - sumExact(earlier.map(hiddenIn)),
  };
}

/**
 * Whether some shipping with tax remains for another credit memo, so that this one does not take all
 * remaining tax.
 */
function leavesShipping({ order, invoice }: MemoSource, { isLeftOut }: MemoShipping): boolean {
  const { base_shipping_amount: amount, base_shipping_discount_amount: discount } = order;
  if (amount === 0n || isLeftOut) return false;
  const isFree = discount >= amount;
  if (invoice) return invoice.base_shipping_tax_amount > 0n || isFree;
  const isLeft = amount > order.base_shipping_refunded;
  return isLeft && (order.base_shipping_tax_amount > 0n || isFree);
}

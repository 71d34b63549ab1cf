import type { SalesMemo } from './refunds.js';
import { round, type BothCurrencies, type CurrencyPrefix } from './sales.js';
import type { SalesInvoice, SalesItem, SalesOrder } from './seeded-orders.js';

type MemoTotals = BothCurrencies<
  | 'grand_total'
  | 'subtotal'
  | 'discount_amount'
  | 'shipping_amount'
  | 'shipping_tax_amount'
  | 'tax_amount'
  | 'adjustment'
  | 'adjustment_positive'
  | 'adjustment_negative'
>;

/** A credit memo before its totals are calculated. */
export interface MemoDraft {
  readonly order: SalesOrder;
  readonly invoice: SalesInvoice | null;
  readonly items: readonly { readonly item: SalesItem; readonly qty: number }[];
  /** In the base currency; undefined: the remaining amount. */
  readonly shippingAmount: number | undefined;
  readonly adjustmentPositive: number;
  readonly adjustmentNegative: number;
  /** The existing credit memos of this invoice. */
  readonly earlier: readonly Pick<SalesMemo, 'tax_amount' | 'base_tax_amount'>[];
}

/** An error that the store reports and that aborts the operation. */
export class ImpossibleMemoError extends Error {}

/** Amounts are calculated in sequence, and each rounding difference is carried to the next one. */
function createDeltaRounding() {
  let delta = 0;
  return (price: number, isTakenOff = false): number => {
    if (price === 0) return price;
    const sign = isTakenOff ? -1 : 1;
    const exact = price + sign * delta;
    const rounded = round(exact);
    delta = sign * (exact - rounded);
    return rounded;
  };
}

export const remainingQuantity = (item: SalesItem): number =>
  item.dummy ? 0 : Math.max(item.qty_invoiced - item.qty_refunded, 0);

const isLast = ({ item, qty }: MemoDraft['items'][number]): boolean => qty === remainingQuantity(item);

export interface CollectedTotals {
  readonly totals: MemoTotals;
  readonly rows: readonly {
    readonly row: readonly [number, number];
    readonly tax: readonly [number, number];
    readonly discount: readonly [number, number];
    readonly fixedTax: readonly [number, number];
  }[];
  /** In the base currency. */
  readonly extras: { readonly wrapping: number; readonly credit: number };
}

/**
 * The total collectors of a credit memo in order: subtotal, discount, shipping, tax, grand total, and the
 * additional ones.
 */
export function collectTotals(draft: MemoDraft, shippingShownInclTax: boolean): CollectedTotals {
  const shown = collectIn('', draft, shippingShownInclTax);
  const base = collectIn('base_', draft, shippingShownInclTax);
  return {
    totals: { ...shown.totals, ...base.totals } as MemoTotals,
    rows: draft.items.map((_, at) => ({
      row: [shown.rows[at] ?? 0, base.rows[at] ?? 0],
      tax: [shown.taxes[at] ?? 0, base.taxes[at] ?? 0],
      discount: [shown.discounts[at] ?? 0, base.discounts[at] ?? 0],
      fixedTax: [shown.fixedTaxes[at] ?? 0, base.fixedTaxes[at] ?? 0],
    })),
    extras: base.extras,
  };
}

function collectIn(p: CurrencyPrefix, draft: MemoDraft, shippingShownInclTax: boolean) {
  const { order, invoice, items, earlier } = draft;
  const delta = createDeltaRounding();
  const sum = (some: readonly number[]) => some.reduce((all, one) => all + one, 0);

  const share = (all: number, entry: MemoDraft['items'][number], isTakenOff = false): number => {
    const available = entry.item.qty_invoiced - entry.item.qty_refunded;
    return isLast(entry) ? all : delta((all / available) * entry.qty, isTakenOff);
  };
  const rows = items.map((entry) =>
    entry.item.dummy ? 0 : share(entry.item[`${p}row_invoiced`] - entry.item[`${p}amount_refunded`], entry),
  );

  const requested = draft.shippingAmount ?? shippingOf(invoice, order, shippingShownInclTax);
  const shippingDiscount = discountOfShipping(p, order, requested ?? 0);
  const discounts = items.map((entry) =>
    entry.item.dummy || entry.item[`${p}discount_invoiced`] === 0
      ? 0
      : share(entry.item[`${p}discount_invoiced`] - entry.item[`${p}discount_refunded`], entry, true),
  );

  const shipping = shippingIn(p, order, requested, shippingShownInclTax);
  const baseShipping = p === 'base_' ? shipping : shippingIn('base_', order, requested, shippingShownInclTax);

  const taxes = items.map((entry) =>
    entry.item.dummy || entry.qty <= 0
      ? 0
      : share(entry.item[`${p}tax_invoiced`] - entry.item[`${p}tax_refunded`], entry),
  );
  const { shippingTax, isPartial } = taxOfShipping(p, draft, shipping, baseShipping, delta);
  const allowed = invoice
    ? invoice[`${p}tax_amount`] - sum(earlier.map((memo) => memo[`${p}tax_amount`]))
    : order[`${p}tax_invoiced`] - order[`${p}tax_refunded`];
  const tax = isLastMemo(draft) && !isPartial ? allowed : Math.min(allowed, sum(taxes) + shippingTax);

  const [positive, negative] = [draft.adjustmentPositive, draft.adjustmentNegative].map((amount) =>
    p === 'base_' ? round(amount) : round(round(amount) * order.base_to_order_rate),
  ) as [number, number];
  const discount = sum(discounts) + shippingDiscount;
  const subtotal = sum(rows);
  const fixedTaxes = items.map((entry) => fixedTaxOf(p, entry));
  const rate = p === 'base_' ? 1 : order.base_to_order_rate;
  const wrapping = round((order.extras.wrapping - order.extras.wrappingRefunded) * rate);
  const collected = round(
    subtotal - discount + shipping + tax + sum(fixedTaxes) + positive - negative + wrapping,
  );
  // Amounts paid by gift card, balance or points are returned there before any money is sent.
  const { credit } = order.extras;
  const credited = credit
    ? Math.max(0, Math.min(round((credit.amount - credit.refunded) * rate), collected))
    : 0;
  return {
    rows,
    taxes,
    discounts,
    fixedTaxes,
    extras: { wrapping, credit: credited },
    totals: {
      [`${p}subtotal`]: round(subtotal),
      [`${p}discount_amount`]: -round(discount),
      [`${p}shipping_amount`]: shipping,
      [`${p}shipping_tax_amount`]: shippingTax,
      [`${p}tax_amount`]: round(tax),
      [`${p}adjustment_positive`]: positive,
      [`${p}adjustment_negative`]: negative,
      [`${p}adjustment`]: round(positive - negative),
      [`${p}grand_total`]: round(collected - credited),
    },
  };
}

/** Fixed product taxes are per unit, separate from all other taxes. */
function fixedTaxOf(p: CurrencyPrefix, entry: MemoDraft['items'][number]): number {
  const { item, qty } = entry;
  if (item.dummy) return 0;
  const invoiced = round((item[`${p}fixed_tax`] * item.qty_invoiced) / item.qty_ordered);
  const remaining = invoiced - item[`${p}fixed_tax_refunded`];
  return isLast(entry)
    ? remaining
    : Math.min(remaining, round((item[`${p}fixed_tax`] * qty) / item.qty_ordered));
}

/**
 * Without an amount, an invoice's memo takes the invoice's remainder; an order's memo takes everything, in a
 * later step.
 */
function shippingOf(invoice: SalesInvoice | null, order: SalesOrder, inclTax: boolean): number | undefined {
  if (!invoice) return undefined;
  const { base_shipping_amount: amount, base_shipping_refunded: refunded } = order;
  return inclTax
    ? order.base_shipping_incl_tax - refunded - order.base_shipping_tax_refunded
    : Math.min(amount - refunded, invoice.base_shipping_amount);
}

function discountOfShipping(p: CurrencyPrefix, order: SalesOrder, requested: number): number {
  if (requested === 0) return 0;
  if (order.base_shipping_amount <= 0) {
    throw new ImpossibleMemoError('You can not refund shipping if there is no shipping amount.');
  }
  const base = (requested * order.base_shipping_discount_amount) / order.base_shipping_amount;
  return (order[`${p}shipping_amount`] * base) / order.base_shipping_amount;
}

function shippingIn(
  p: CurrencyPrefix,
  order: SalesOrder,
  requested: number | undefined,
  inclTax: boolean,
): number {
  const allowed = order[`${p}shipping_amount`] - order[`${p}shipping_refunded`];
  if (requested === undefined) return round(allowed);
  const { base_shipping_refunded: refunded, base_shipping_tax_refunded: taxRefunded } = order;
  const original = inclTax ? order.base_shipping_incl_tax : order.base_shipping_amount;
  const most = Math.max(original - refunded - (inclTax ? taxRefunded : 0), 0);
  const desired = round(requested);
  if (desired >= round(most) + 0.0001) {
    throw new ImpossibleMemoError(
      `Maximum shipping amount allowed to refund is: ${order.base_currency_code} ${most.toFixed(2)}`,
    );
  }
  if (desired > most - 0.0001) return round(allowed);
  return round(order[`${p}shipping_amount`] * (original > 0 ? desired / original : 0));
}

function taxOfShipping(
  p: CurrencyPrefix,
  { order, invoice }: MemoDraft,
  shipping: number,
  baseShipping: number,
  delta: (price: number) => number,
): { readonly shippingTax: number; readonly isPartial: boolean } {
  if (invoice) {
    if (order.base_shipping_amount === 0) return { shippingTax: 0, isPartial: false };
    const factor = baseShipping / order.base_shipping_amount;
    const isFree = order.shipping_discount_amount >= order.shipping_amount;
    return {
      shippingTax: delta(invoice[`${p}shipping_tax_amount`] * factor),
      isPartial: (factor < 1 && invoice.shipping_tax_amount > 0) || isFree,
    };
  }
  const remaining = order.base_shipping_amount - order.base_shipping_refunded;
  if (order.shipping_amount > 0 && remaining > baseShipping) {
    const part = shipping / order[`${p}shipping_amount`];
    const hasTax = order.shipping_tax_amount > 0;
    return {
      shippingTax: delta(order[`${p}shipping_tax_amount`] * part),
      isPartial: part < 1 && (hasTax || order.shipping_discount_amount >= order.shipping_amount),
    };
  }
  const rest = order[`${p}shipping_tax_amount`] - order[`${p}shipping_tax_refunded`];
  return { shippingTax: remaining === baseShipping ? rest : 0, isPartial: false };
}

function isLastMemo({ items, order }: MemoDraft): boolean {
  if (items.length > 0) return items.every(isLast);
  return order.items.every((item) => remainingQuantity(item) === 0);
}

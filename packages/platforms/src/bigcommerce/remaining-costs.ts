import { formatAmount, money, type Money } from '@switchboard/platform-kit';
import { moneyOf } from '@switchboard/platform-kit/decimal';
import { countsAsRefunded } from './read-payments.js';
import type { StoredOrder } from './stored-order.js';

interface OrderCost {
  readonly id: string;
  readonly title: string;
  readonly exTax: string;
  readonly incTax: string;
}

export const remainingShipping = (stored: StoredOrder): readonly RemainingCost[] =>
  (stored.order.consignments.shipping ?? [])
    .map((one) => ({
      id: one.id,
      title: one.shipping_method || 'Shipping',
      exTax: one.cost_ex_tax,
      incTax: one.cost_inc_tax,
    }))
    .map((cost) => remainingCost(stored, 'SHIPPING', cost));

export const remainingHandling = (stored: StoredOrder): readonly RemainingCost[] =>
  (stored.order.consignments.shipping ?? [])
    .map((one) => ({
      id: one.id,
      title: 'Handling',
      exTax: one.handling_cost_ex_tax ?? '0',
      incTax: one.handling_cost_inc_tax ?? '0',
    }))
    .map((cost) => remainingCost(stored, 'HANDLING', cost));

export const remainingFees = (stored: StoredOrder): readonly RemainingCost[] =>
  (stored.order.fees ?? [])
    .map((fee) => ({ id: fee.id, title: 'Fee', exTax: fee.cost_ex_tax, incTax: fee.cost_inc_tax }))
    .map((cost) => remainingCost(stored, 'FEE', cost));

function remainingCost(
  { order, refunds }: StoredOrder,
  itemType: string,
  { id, title, exTax, incTax }: OrderCost,
) {
  const currency = order.default_currency_code;
  const amount = (text: string) => moneyOf(text, currency);
  const [total, ordered] = [amount(incTax), amount(order.is_tax_inclusive_pricing ? incTax : exTax)];
  const gone = refunds
    .filter(countsAsRefunded)
    .flatMap(({ items }) => items ?? [])
    .filter((item) => item.item_type === itemType && item.item_id === id)
    // A cost without a reported refunded amount has no remainder.
    .reduce((sum, { requested_amount: asked }) => sum + (asked ? amount(asked) : ordered).amountMinor, 0);
  const asked = money(Math.max(0, ordered.amountMinor - gone), currency);
  return {
    id,
    title,
    total,
    /** With tax. */
    left: scaleAmount(asked, total, ordered),
    /** In the form that the store requires: before tax if its prices are. */
    asked,
  };
}

/** A cost of an order that is refunded by amount, and its remainder. */
export type RemainingCost = ReturnType<typeof remainingCost>;

/** The part of `of` in the proportion of `to` to `of`, rounded to the smallest unit as tax is. */
export function scaleAmount(part: Money, to: Money, of: Money): Money {
  if (of.amountMinor === 0) return money(0, part.currency);
  const [a, b, c] = [BigInt(part.amountMinor), BigInt(to.amountMinor), BigInt(of.amountMinor)];
  return money(Number((2n * a * b + c) / (2n * c)), part.currency);
}

/** As a JSON number, as v3 requires. */
export const asNumber = (amount: Money): number => Number(formatAmount(amount));

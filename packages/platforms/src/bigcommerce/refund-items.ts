import { money, type Money, type RefundInstruction, type RefundLine } from '@switchboard/platform-kit';

import {
  asNumber,
  remainingFees,
  remainingHandling,
  scaleAmount,
  remainingShipping,
  type RemainingCost,
} from './remaining-costs.js';
import { linesOf } from './read-order.js';
import type { StoredOrder } from './stored-order.js';

/** A refund item in the format of v3: units of a product, or an amount of anything else. */
export type RefundItem =
  | { readonly item_type: 'PRODUCT' | 'GIFT_WRAPPING'; readonly item_id: number; readonly quantity: number }
  | {
      readonly item_type: 'SHIPPING' | 'HANDLING' | 'FEE' | 'ORDER';
      readonly item_id: number;
      readonly amount: number;
    };

/** An amount of the whole order, for which the store refunds no tax. */
export const amountOfOrder = (orderExternalId: string, amount: Money): readonly RefundItem[] => [
  { item_type: 'ORDER', item_id: Number(orderExternalId), amount: asNumber(amount) },
];

export const unitsOf = (lines: readonly RefundLine[]): readonly RefundItem[] =>
  lines.map(({ id, quantity }) => ({ item_type: 'PRODUCT', item_id: Number(id), quantity }));

/** The amount of the remaining shipping, with tax, starting with the first address. */
export function shippingOf(stored: StoredOrder, shippingMinor: number): readonly RefundItem[] {
  let rest = shippingMinor;
  return remainingShipping(stored).flatMap((cost) => {
    const part = Math.min(rest, cost.left.amountMinor);
    rest -= part;
    return toCostItems('SHIPPING', cost, part);
  });
}

/** Everything that remains, each element as itself, so that tax and books are correct. */
export const everythingOf = (
  stored: StoredOrder,
  { lines }: Pick<RefundInstruction, 'lines'>,
): readonly RefundItem[] => [
  ...unitsOf(lines),
  ...wrappingOf(stored, lines),
  ...remainingShipping(stored).flatMap((cost) => toCostItems('SHIPPING', cost, cost.left.amountMinor)),
  ...remainingHandling(stored).flatMap((cost) => toCostItems('HANDLING', cost, cost.left.amountMinor)),
  ...remainingFees(stored).flatMap((cost) => toCostItems('FEE', cost, cost.left.amountMinor)),
];

function wrappingOf({ order }: StoredOrder, lines: readonly RefundLine[]): readonly RefundItem[] {
  const wrapped = linesOf(order).filter(({ wrapping_cost_inc_tax: cost }) => Number(cost ?? 0) > 0);
  return lines
    .filter(({ id }) => wrapped.some((line) => line.id === id))
    .map(({ id, quantity }) => ({ item_type: 'GIFT_WRAPPING', item_id: Number(id), quantity }));
}

function toCostItems(
  type: 'SHIPPING' | 'HANDLING' | 'FEE',
  { id, left, asked }: RemainingCost,
  partMinor: number,
): readonly RefundItem[] {
  if (partMinor === 0) return [];
  const part = scaleAmount(money(partMinor, left.currency), asked, left);
  return [{ item_type: type, item_id: Number(id), amount: asNumber(part) }];
}

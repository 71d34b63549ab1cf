import type { WireOrder } from './wire.js';

/**
 * Money of an order that its credit memos count too, by rules and amounts that the API does not tell: Magento takes what was
 * paid by gift card, balance or points out of a memo first, and adds wrapping and fees to it, even where it is of an amount
 * alone. A memo of such an order could come to anything.
 */
export function hasUnreportedTotals({ extension_attributes: extra }: WireOrder): boolean {
  if (!extra) return false;
  return [
    extra.base_gift_cards_amount,
    extra.base_customer_balance_amount,
    extra.base_reward_currency_amount,
    extra.gw_base_price,
    extra.gw_items_base_price,
    extra.gw_card_base_price,
    ...(extra.custom_fees ?? []).map((fee) => fee.base_custom_fee_amount),
  ].some((amount) => amount !== 0n);
}

/** Fixed product taxes come back by the unit, with taxes of their own that are not told: a memo of no units has none of them. */
export const hasFixedTaxes = ({ items }: Pick<WireOrder, 'items'>): boolean =>
  items.some(({ base_weee_tax_applied_row_amnt: tax }) => tax !== 0n);

export const UNREPORTED_TOTALS =
  'This order has gift cards, store credit, reward points, gift wrapping or fees, so that nobody can say beforehand what Magento makes of a refund. Refund it in the store’s admin.';

export const FIXED_TAXES =
  'This order has a fixed product tax, which Magento adds to every unit and does not tell. Refund an amount without naming lines, or all of it without restocking, or use the store’s admin.';

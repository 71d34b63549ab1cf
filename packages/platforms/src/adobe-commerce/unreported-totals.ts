import type { WireOrder } from './wire.js';

/**
 * Amounts of an order that its credit memos include too, by rules and values that the API does not expose:
 * Magento first subtracts from a credit memo what was paid by gift card, balance or points, and adds wrapping
 * and fees, even for a refund of an amount alone. The total of such a credit memo cannot be predicted.
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

/**
 * Fixed product taxes are refunded per unit, with taxes of their own that the API does not expose: a credit
 * memo without units has none of them.
 */
export const hasFixedTaxes = ({ items }: Pick<WireOrder, 'items'>): boolean =>
  items.some(({ base_weee_tax_applied_row_amnt: tax }) => tax !== 0n);

export const UNREPORTED_TOTALS =
  'This order has gift cards, store credit, reward points, gift wrapping or fees, so the amount Magento would refund cannot be predicted. Refund it in the store’s admin.';

export const FIXED_TAXES =
  'This order has a fixed product tax, which Magento adds per unit and does not expose. Refund an amount without naming lines, or all of it without restocking, or use the store’s admin.';

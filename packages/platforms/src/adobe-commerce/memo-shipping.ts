import { fromMinor, isWholeHundredths } from './exact.js';
import { NO_SHIPPING, type MemoShipping, type MemoSource } from './memo-total.js';

/**
 * Refunds shipping as shipping only where the store's tax settings make no difference: an amount without tax,
 * or all of it. Whether an amount includes tax is such a setting, which the API does not expose; in the other
 * cases the shipping is refunded as an adjustment of the same amount.
 */
export function memoShipping({ order, invoice }: MemoSource, shippingMinor: number): MemoShipping {
  const requested = fromMinor(shippingMinor, order.base_currency_code);
  const { base_shipping_amount: amount, base_shipping_refunded: refunded } = order;
  const tax = order.base_shipping_tax_amount;
  const isDiscounted =
    order.base_shipping_discount_amount > 0n || order.base_shipping_discount_tax_compensation_amnt > 0n;
  if (requested === 0n || isDiscounted || !isWholeHundredths(requested)) return NO_SHIPPING;
  if (tax === 0n) {
    return requested <= amount - refunded ? { isLeftOut: false, amount: requested, tax: 0n } : NO_SHIPPING;
  }
  const isAll = refunded === 0n && requested === amount + tax;
  const isHere = invoice === null || invoice.base_shipping_amount === amount;
  return isAll && isHere ? { isLeftOut: true, amount, tax } : NO_SHIPPING;
}

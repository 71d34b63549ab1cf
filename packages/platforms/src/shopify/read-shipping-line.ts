import { money } from '@switchboard/domain';
import type { OrderShippingLine } from '@switchboard/domain/orders';
import { moneyOf } from '../kit/decimal.js';
import type { WireShippingLine } from './wire.js';

/**
 * The amount paid for it with its tax, as all refunded amounts are counted. The remaining tax is not
 * reported: its share is calculated.
 */
export function readShippingLine(
  { id, title, discountedPriceSet, currentDiscountedPriceSet, taxLines }: WireShippingLine,
  taxesIncluded: boolean,
  currency: string,
): OrderShippingLine {
  const minor = (text: string) => moneyOf(text, currency).amountMinor;
  const [fee, left] = [minor(discountedPriceSet), minor(currentDiscountedPriceSet)];
  const tax = taxesIncluded ? 0 : taxLines.reduce((sum, { priceSet }) => sum + minor(priceSet), 0);
  const taxLeft = fee === 0 ? 0 : Math.round((tax * left) / fee);
  return {
    id: id ?? title,
    title,
    total: money(fee + tax, currency),
    refundable: money(left + taxLeft, currency),
  };
}

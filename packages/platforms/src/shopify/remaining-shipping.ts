import { moneyOf } from '../kit/decimal.js';
import type { SuggestedShipping } from './wire.js';

/** Shopify's remaining shipping: the fee, and the tax that is added if prices exclude it. */
export function remainingShipping(
  { amountSet, taxSet }: SuggestedShipping,
  taxesIncluded: boolean,
  currency: string,
): { readonly feeMinor: number; readonly wholeMinor: number } {
  const feeMinor = moneyOf(amountSet, currency).amountMinor;
  const taxMinor = taxesIncluded ? 0 : moneyOf(taxSet, currency).amountMinor;
  return { feeMinor, wholeMinor: feeMinor + taxMinor };
}

import { moneyOf } from '../kit/decimal.js';
import type { SuggestedShipping } from './wire.js';

/** What Shopify says is left of shipping: the fees, and the tax that it adds to them where prices are without it. */
export function remainingShipping(
  { amountSet, taxSet }: SuggestedShipping,
  taxesIncluded: boolean,
  currency: string,
): { readonly feeMinor: number; readonly wholeMinor: number } {
  const feeMinor = moneyOf(amountSet, currency).amountMinor;
  const taxMinor = taxesIncluded ? 0 : moneyOf(taxSet, currency).amountMinor;
  return { feeMinor, wholeMinor: feeMinor + taxMinor };
}

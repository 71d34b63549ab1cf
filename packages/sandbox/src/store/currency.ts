/** Prices are multiples of `priceStepMinor`. */
export const CURRENCIES = {
  EUR: { decimals: 2, perEuro: 1, priceStepMinor: 1, taxRate: 0.21, shippingTaxed: true },
  USD: { decimals: 2, perEuro: 1.1, priceStepMinor: 5, taxRate: 0.0825, shippingTaxed: false },
  GBP: { decimals: 2, perEuro: 0.85, priceStepMinor: 5, taxRate: 0.2, shippingTaxed: true },
  JPY: { decimals: 0, perEuro: 160, priceStepMinor: 10, taxRate: 0.1, shippingTaxed: true },
  KWD: { decimals: 3, perEuro: 0.335, priceStepMinor: 5, taxRate: 0, shippingTaxed: false },
};
export type CurrencyCode = keyof typeof CURRENCIES;

/** A shop's price in minor units for an item priced in euros. */
export function priceIn(currency: CurrencyCode, euros: number): number {
  const { decimals, perEuro, priceStepMinor } = CURRENCIES[currency];
  return Math.round((euros * perEuro * 10 ** decimals) / priceStepMinor) * priceStepMinor;
}

/** For display. */
export function formatMoney(amountMinor: number, currency: CurrencyCode): string {
  const amount = amountMinor / 10 ** CURRENCIES[currency].decimals;
  return new Intl.NumberFormat('en', { style: 'currency', currency }).format(amount);
}

/**
 * Splits an amount by weights into whole parts that add up exactly; the largest remainders receive the
 * rounding difference.
 */
export function apportion(amountMinor: number, weights: readonly number[]): number[] {
  const sum = weights.reduce((total, weight) => total + weight, 0);
  if (sum === 0) return weights.map(() => 0);
  const exact = weights.map((weight) => (amountMinor * weight) / sum);
  const parts = exact.map(Math.floor);
  const remaining = amountMinor - parts.reduce((total, part) => total + part, 0);
  const byRemainder = exact
    .map((value, index) => ({ index, remainder: value % 1 }))
    .sort((a, b) => b.remainder - a.remainder);
  for (const { index } of byRemainder.slice(0, remaining)) parts[index] = (parts[index] ?? 0) + 1;
  return parts;
}

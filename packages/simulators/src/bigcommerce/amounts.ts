/** ISO 4217: what a currency of the seeded orders has in decimals. */
const DECIMALS: Readonly<Record<string, number>> = { JPY: 0, KWD: 3 };

export const decimalsOf = (currency: string): number => DECIMALS[currency] ?? 2;

const unitsOf = (currency: string): number => 10 ** decimalsOf(currency);

/** As v2 writes money: `"12.3400"`. */
export const formatAmount = (minor: number, currency: string): string =>
  (minor / unitsOf(currency)).toFixed(4);

/** As v3 and the costs of consignments write it: a JSON number. */
export const toAmount = (minor: number, currency: string): number => minor / unitsOf(currency);

/** A JSON number in minor units; null where it is none, or below nothing. */
export const toMinor = (value: unknown, currency: string): number | null =>
  typeof value === 'number' && Number.isFinite(value) && value >= 0
    ? Math.round(value * unitsOf(currency))
    : null;

/** "A non-negative 2 decimal place rounded value": of a currency with three, the last is lost. */
export function refundableByProviders(minor: number, currency: string): number {
  const step = decimalsOf(currency) > 2 ? 10 : 1;
  return Math.round(minor / step) * step;
}

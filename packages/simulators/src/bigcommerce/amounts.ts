/** ISO 4217: the decimals of the seeded orders' currencies. */
const DECIMALS: Readonly<Record<string, number>> = { JPY: 0, KWD: 3 };

const decimalsOf = (currency: string): number => DECIMALS[currency] ?? 2;

const unitsOf = (currency: string): number => 10 ** decimalsOf(currency);

/** The v2 money format: `"12.3400"`. */
export const formatAmount = (minor: number, currency: string): string =>
  (minor / unitsOf(currency)).toFixed(4);

/** The money format of v3 and of consignment costs: a JSON number. */
export const toAmount = (minor: number, currency: string): number => minor / unitsOf(currency);

/** A JSON number in minor units; null when it is not a number or is negative. */
export const toMinor = (value: unknown, currency: string): number | null =>
  typeof value === 'number' && Number.isFinite(value) && value >= 0
    ? Math.round(value * unitsOf(currency))
    : null;

/** "A non-negative 2 decimal place rounded value": for a currency with three decimals, the last is lost. */
export function refundableByProviders(minor: number, currency: string): number {
  const step = decimalsOf(currency) > 2 ? 10 : 1;
  return Math.round(minor / step) * step;
}

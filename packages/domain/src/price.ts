import { decimalsOf } from './money.js';

/**
 * A cost by a price list: in millionths of the currency, because a single request costs less than its
 * smallest unit.
 */
export interface Price {
  readonly amountMicros: number;
  /** ISO 4217, upper case. */
  readonly currency: string;
}

const MICROS = 1_000_000;
const DIGITS = 6;

export const price = (amountMicros: number, currency: string): Price => {
  if (!Number.isSafeInteger(amountMicros)) throw new Error(`not an amount in millionths: ${amountMicros}`);
  return { amountMicros, currency };
};

/** Null when all are null. */
export const sumOfPrices = (prices: readonly (Price | null)[]): Price | null =>
  prices.reduce((sum, one) => {
    if (!sum || !one) return sum ?? one;
    if (sum.currency !== one.currency)
      throw new Error(`cannot add amounts in ${sum.currency} and ${one.currency}`);
    return price(sum.amountMicros + one.amountMicros, sum.currency);
  }, null);

/** The currency's decimals, and more where needed: 200000 USD → "0.20", 15000 USD → "0.015". */
export function formatPrice({ amountMicros, currency }: Price): string {
  const whole = Math.floor(amountMicros / MICROS);
  const fraction = String(amountMicros % MICROS)
    .padStart(DIGITS, '0')
    .replace(/0+$/, '')
    .padEnd(decimalsOf(currency), '0');
  return fraction === '' ? String(whole) : `${whole}.${fraction}`;
}

import { decimalsOf } from '@switchboard/platform-kit';
import { parseExact, EXACT_DECIMALS, type ExactAmount } from '@switchboard/platform-kit/exact-amount';

const HUNDREDTH = 1_000_000n;

/** Rounds to hundredths, as Magento does for every currency, half away from zero. */
export function rounded(amount: ExactAmount): ExactAmount {
  const half = amount < 0n ? -HUNDREDTH / 2n : HUNDREDTH / 2n;
  return ((amount + half) / HUNDREDTH) * HUNDREDTH;
}

/** The share of a whole that a number of its units has. */
export const shareOf = (whole: ExactAmount, part: ExactAmount, of: ExactAmount): ExactAmount =>
  (whole * part) / of;

export const maxOf = (one: ExactAmount, other: ExactAmount): ExactAmount => (one > other ? one : other);

export const fromMinor = (amountMinor: number, currency: string): ExactAmount =>
  BigInt(amountMinor) * 10n ** BigInt(EXACT_DECIMALS - decimalsOf(currency));

/** As a JSON number; the amount has at most two decimals. */
export const toNumber = (amount: ExactAmount): number => Number(amount / (HUNDREDTH / 100n)) / 10_000;

export const isWholeHundredths = (amount: ExactAmount): boolean => amount % HUNDREDTH === 0n;
export const isWhole = (quantity: ExactAmount): boolean => quantity % 100_000_000n === 0n;
export const wholeOf = (quantity: ExactAmount): number => Number(quantity / 100_000_000n);
export const unitsOf = (quantity: number): ExactAmount => parseExact(quantity.toFixed(EXACT_DECIMALS));

import { decimalsOf } from '@switchboard/domain';
import { exact, EXACT_DECIMALS, type Exact } from '../kit/exact.js';

const HUNDREDTH = 1_000_000n;

/** To hundredths, which is what Magento rounds every currency to, a half away from zero. */
export function rounded(amount: Exact): Exact {
  const half = amount < 0n ? -HUNDREDTH / 2n : HUNDREDTH / 2n;
  return ((amount + half) / HUNDREDTH) * HUNDREDTH;
}

/** So many of so many units' worth of a whole. */
export const shareOf = (whole: Exact, part: Exact, of: Exact): Exact => (whole * part) / of;

export const most = (one: Exact, other: Exact): Exact => (one > other ? one : other);

export const fromMinor = (amountMinor: number, currency: string): Exact =>
  BigInt(amountMinor) * 10n ** BigInt(EXACT_DECIMALS - decimalsOf(currency));

/** As a JSON number, of an amount that has no more than hundredths. */
export const toNumber = (amount: Exact): number => Number(amount / (HUNDREDTH / 100n)) / 10_000;

export const isWholeHundredths = (amount: Exact): boolean => amount % HUNDREDTH === 0n;
export const isWhole = (quantity: Exact): boolean => quantity % 100_000_000n === 0n;
export const wholeOf = (quantity: Exact): number => Number(quantity / 100_000_000n);
export const unitsOf = (quantity: number): Exact => exact(quantity.toFixed(EXACT_DECIMALS));

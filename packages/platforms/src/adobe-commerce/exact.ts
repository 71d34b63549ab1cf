import { decimalsOf, type Money } from '@switchboard/domain';
import { moneyOf } from '../kit/decimal.js';

/** An amount or a quantity in hundred-millionths: Magento keeps four decimals, and shares of those have more. */
export type Exact = bigint;

const DECIMALS = 8;
const HUNDREDTH = 1_000_000n;

export function exact(text: string): Exact {
  const [, sign = '', whole = '0', fraction = ''] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(text) ?? [];
  const size = BigInt(whole + fraction.slice(0, DECIMALS).padEnd(DECIMALS, '0'));
  return sign === '-' ? -size : size;
}

/** To hundredths, which is what Magento rounds every currency to, a half away from zero. */
export function rounded(amount: Exact): Exact {
  const half = amount < 0n ? -HUNDREDTH / 2n : HUNDREDTH / 2n;
  return ((amount + half) / HUNDREDTH) * HUNDREDTH;
}

/** So many of so many units' worth of a whole. */
export const shareOf = (whole: Exact, part: Exact, of: Exact): Exact => (whole * part) / of;

export const sum = (some: readonly Exact[]): Exact => some.reduce((all, one) => all + one, 0n);

export const least = (one: Exact, other: Exact): Exact => (one < other ? one : other);

export const most = (one: Exact, other: Exact): Exact => (one > other ? one : other);

export const fromMinor = (amountMinor: number, currency: string): Exact =>
  BigInt(amountMinor) * 10n ** BigInt(DECIMALS - decimalsOf(currency));

export function toMoney(amount: Exact, currency: string): Money {
  const digits = String(amount < 0n ? -amount : amount).padStart(DECIMALS + 1, '0');
  return moneyOf(
    `${amount < 0n ? '-' : ''}${digits.slice(0, -DECIMALS)}.${digits.slice(-DECIMALS)}`,
    currency,
  );
}

/** As a JSON number, of an amount that has no more than hundredths. */
export const toNumber = (amount: Exact): number => Number(amount / (HUNDREDTH / 100n)) / 10_000;

export const isWholeHundredths = (amount: Exact): boolean => amount % HUNDREDTH === 0n;
export const isWhole = (quantity: Exact): boolean => quantity % 100_000_000n === 0n;
export const wholeOf = (quantity: Exact): number => Number(quantity / 100_000_000n);
export const unitsOf = (quantity: number): Exact => exact(quantity.toFixed(DECIMALS));

import { decimalsOf, money, type Money } from '@switchboard/domain';
import { moneyOf } from './decimal.js';

/** A decimal in hundred-millionths, so that sums are exact: more decimals than any currency has. */
export type ExactAmount = bigint;

export const EXACT_DECIMALS = 8;

/** Digits beyond hundred-millionths are truncated. */
export function parseExact(text: string): ExactAmount {
  const [, sign = '', whole = '0', fraction = ''] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(text) ?? [];
  const size = BigInt(whole + fraction.slice(0, EXACT_DECIMALS).padEnd(EXACT_DECIMALS, '0'));
  return sign === '-' ? -size : size;
}

export const sumExact = (some: readonly ExactAmount[]): ExactAmount =>
  some.reduce((all, one) => all + one, 0n);

export const minOf = (one: ExactAmount, other: ExactAmount): ExactAmount => (one < other ? one : other);

export const sumMoney = (amounts: readonly Money[], currency: string): Money =>
  money(
    amounts.reduce((sum, { amountMinor }) => sum + amountMinor, 0),
    currency,
  );

/** In the currency's smallest unit, rounded half away from zero. */
export function moneyOfExact(amount: ExactAmount, currency: string): Money {
  const digits = String(amount < 0n ? -amount : amount).padStart(EXACT_DECIMALS + 1, '0');
  const text = `${digits.slice(0, -EXACT_DECIMALS)}.${digits.slice(-EXACT_DECIMALS)}`;
  return moneyOf(amount < 0n ? `-${text}` : text, currency);
}

/** Each in the currency's smallest unit, so that together they are their rounded sum. */
export function roundTogether(amounts: readonly ExactAmount[], currency: string): readonly Money[] {
  let exact = 0n;
  let rounded = 0;
  return amounts.map((amount) => {
    exact += amount;
    const part = moneyOfExact(exact, currency).amountMinor - rounded;
    rounded += part;
    return money(part, currency);
  });
}

/** The refundable part of an amount: a whole number of the currency's smallest unit, never negative. */
export function wholeUnitsOf(amount: ExactAmount, currency: string): Money {
  const unit = 10n ** BigInt(EXACT_DECIMALS - decimalsOf(currency));
  return money(amount > 0n ? Number(amount / unit) : 0, currency);
}

/**
 * The captured and the refunded amount. A store may keep fractions of the smallest unit, such as 1000.60 yen,
 * which no refund can express: a fraction counts neither as captured nor as refundable, so that no more is
 * refundable than the store has.
 */
export function settledAmounts(
  captured: ExactAmount,
  refunded: ExactAmount,
  currency: string,
): Readonly<Record<'captured' | 'refunded' | 'refundable', Money>> {
  const whole = wholeUnitsOf(captured, currency);
  const refundable = wholeUnitsOf(captured - refunded, currency);
  return {
    captured: whole,
    refunded: money(Math.max(0, whole.amountMinor - refundable.amountMinor), currency),
    refundable,
  };
}

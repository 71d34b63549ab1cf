import { decimalsOf, money, type Money } from '@switchboard/domain';
import { moneyOf } from '../kit/decimal.js';
import { PLACES } from './wire.js';

/** A decimal with all its places as a whole number, so that sums are exact; what is smaller than that is cut off. */
export function exact(text: string): bigint {
  const [, sign = '', whole = '0', fraction = ''] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(text) ?? [];
  const digits = BigInt(whole + fraction.slice(0, PLACES).padEnd(PLACES, '0'));
  return sign === '-' ? -digits : digits;
}

export const sumOf = (amounts: readonly bigint[]): bigint => amounts.reduce((sum, one) => sum + one, 0n);

/** As the currency writes it, the half away from zero. */
export function moneyOfExact(amount: bigint, currency: string): Money {
  const digits = (amount < 0n ? -amount : amount).toString().padStart(PLACES + 1, '0');
  return moneyOf(`${amount < 0n ? '-' : ''}${digits.slice(0, -PLACES)}.${digits.slice(-PLACES)}`, currency);
}

/** What of an amount can be refunded: whole units of the currency's smallest, never less than nothing. */
export function wholeUnitsOf(amount: bigint, currency: string): Money {
  const unit = 10n ** BigInt(PLACES - decimalsOf(currency));
  return money(amount > 0n ? Number(amount / unit) : 0, currency);
}

/** Shares of an amount by weight, which come to the amount exactly: what rounding leaves goes to the largest rests. */
export function shares(amountMinor: number, weights: readonly bigint[]): readonly number[] {
  const all = sumOf(weights);
  if (all <= 0n) return weights.map((_, at) => (at === 0 ? amountMinor : 0));
  const whole = weights.map((weight) => (BigInt(amountMinor) * weight) / all);
  const rests = weights.map((weight, at) => ({ at, rest: (BigInt(amountMinor) * weight) % all }));
  const missing = amountMinor - Number(sumOf(whole));
  const first = new Set(
    rests
      .sort((one, other) => (one.rest > other.rest ? -1 : one.rest < other.rest ? 1 : one.at - other.at))
      .slice(0, missing)
      .map(({ at }) => at),
  );
  return whole.map((share, at) => Number(share) + (first.has(at) ? 1 : 0));
}

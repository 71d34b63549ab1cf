import { decimalsOf, money, type Money } from '@switchboard/domain';
import { z } from 'zod';

/** A decimal as stores write it: `"12.3400"`, or a JSON number that floating point has frayed (`25.990000000000002`). */
export const decimal = z
  .union([z.number().transform((value) => value.toFixed(FLOAT_DIGITS)), z.string().regex(/^-?\d+(\.\d+)?$/)])
  // A JSON number above this has lost digits, and a text is above what `Money` counts exactly.
  .refine((text) => Math.abs(Number(text)) <= AMOUNT_MAX, 'an amount is too large to be exact');

/** More decimals than any currency has, fewer than those in which floating point errs. */
const FLOAT_DIGITS = 8;
/** The largest integer that a double holds exactly, in units of a currency of two decimals. */
const AMOUNT_MAX = Number.MAX_SAFE_INTEGER / 100;

/**
 * A decimal in the currency's smallest unit. What the store has in smaller parts is rounded to the nearest, a half away
 * from zero: stores round like this where they show and settle.
 */
export function moneyOf(text: string, currency: string): Money {
  const [, sign = '', whole = '0', fraction = ''] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(text) ?? [];
  const decimals = decimalsOf(currency);
  const stored = BigInt(whole + fraction.slice(0, decimals).padEnd(decimals, '0'));
  const minor = Number(stored + ((fraction[decimals] ?? '0') >= '5' ? 1n : 0n));
  return money(sign === '-' && minor !== 0 ? -minor : minor, currency);
}

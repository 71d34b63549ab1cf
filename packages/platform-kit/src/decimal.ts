import { decimalsOf, money, type Money } from '@switchboard/domain';
import { z } from 'zod';

/**
 * A decimal as stores write it: `"12.3400"`, or a JSON number with a floating-point error
 * (`25.990000000000002`).
 */
export const decimal = z
  .union([z.number().transform((value) => value.toFixed(FLOAT_DIGITS)), z.string().regex(/^-?\d+(\.\d+)?$/)])
  // A JSON number above this has lost digits; a string above this exceeds what `Money` represents exactly.
  .refine((text) => Math.abs(Number(text)) <= AMOUNT_MAX, 'an amount is too large to be exact');

/** More decimals than any currency has, fewer than those affected by floating-point errors. */
const FLOAT_DIGITS = 8;
/** The largest integer that a double represents exactly, in units of a currency with two decimals. */
const AMOUNT_MAX = Number.MAX_SAFE_INTEGER / 100;

/**
 * A decimal in the currency's smallest unit. Smaller fractions are rounded half away from zero, as stores do
 * when they display and settle amounts.
 */
export function moneyOf(text: string, currency: string): Money {
  const [, sign = '', whole = '0', fraction = ''] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(text) ?? [];
  const decimals = decimalsOf(currency);
  const stored = BigInt(whole + fraction.slice(0, decimals).padEnd(decimals, '0'));
  const minor = Number(stored + ((fraction[decimals] ?? '0') >= '5' ? 1n : 0n));
  return money(sign === '-' && minor !== 0 ? -minor : minor, currency);
}

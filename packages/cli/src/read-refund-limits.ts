import { decimalsOf, isCurrency, ok, parseAmount, type Result } from '@switchboard/domain';
import type { RefundCeiling } from '@switchboard/domain/access';
import { usageError } from './command-result.js';

/**
 * `EUR:50/500`: at most 50 EUR per refund and 500 EUR per UTC day. Only `none` means no ceiling, which is
 * null.
 */
export function readRefundLimits(texts: readonly string[]): Result<readonly RefundCeiling[] | null> {
  if (texts.includes('none')) {
    return texts.length === 1 ? ok(null) : usageError('--refund-limit none cannot be combined.');
  }
  const ceilings: RefundCeiling[] = [];
  for (const text of texts) {
    const ceiling = readRefundLimit(text);
    if (!ceiling.ok) return ceiling;
    if (ceilings.some(({ currency }) => currency === ceiling.value.currency)) {
      return usageError(`--refund-limit names ${ceiling.value.currency} twice.`);
    }
    ceilings.push(ceiling.value);
  }
  return ok(ceilings);
}

function readRefundLimit(text: string): Result<RefundCeiling> {
  const invalid = (reason: string) =>
    usageError(
      `--refund-limit ${text}: ${reason}. Write CURRENCY:PER_REFUND/PER_DAY such as EUR:50/500, or none.`,
    );
  const [, currency = '', perRefund = '', perDay = ''] = /^([^:/]*):([^:/]*)\/([^:/]*)$/.exec(text) ?? [];
  if (perDay === '') return invalid('invalid format');
  if (!isCurrency(currency)) return invalid(`${JSON.stringify(currency)} is not an ISO 4217 currency code`);
  const [perRefundMinor, perDayMinor] = [parseAmount(perRefund, currency), parseAmount(perDay, currency)];
  if (perRefundMinor === null || perDayMinor === null) {
    return invalid(`${currency} amounts are plain numbers with at most ${decimalsOf(currency)} decimals`);
  }
  if (perRefundMinor === 0) return invalid('the limit per refund must be greater than zero');
  if (perRefundMinor > perDayMinor) return invalid('the limit per day is below the limit per refund');
  return ok({ currency, perRefundMinor, perDayMinor });
}

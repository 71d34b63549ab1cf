import {
  decimalsOf,
  isCurrency,
  ok,
  parseAmount,
  type RefundCeiling,
  type Result,
} from '@switchboard/domain';
import { misused } from './outcome.js';

/**
 * `EUR:50/500`: at most 50 EUR a refund and 500 EUR a UTC day. `none` alone means no ceiling, which is null.
 */
export function readRefundLimits(texts: readonly string[]): Result<readonly RefundCeiling[] | null> {
  if (texts.includes('none')) {
    return texts.length === 1 ? ok(null) : misused('--refund-limit none stands alone.');
  }
  const ceilings: RefundCeiling[] = [];
  for (const text of texts) {
    const ceiling = readOne(text);
    if (!ceiling.ok) return ceiling;
    if (ceilings.some(({ currency }) => currency === ceiling.value.currency)) {
      return misused(`--refund-limit names ${ceiling.value.currency} twice.`);
    }
    ceilings.push(ceiling.value);
  }
  return ok(ceilings);
}

function readOne(text: string): Result<RefundCeiling> {
  const wrong = (why: string) =>
    misused(`--refund-limit ${text}: ${why}. Write CURRENCY:PER_REFUND/PER_DAY such as EUR:50/500, or none.`);
  const [, currency = '', perRefund = '', perDay = ''] = /^([^:/]*):([^:/]*)\/([^:/]*)$/.exec(text) ?? [];
  if (perDay === '') return wrong('it is not understood');
  if (!isCurrency(currency)) return wrong(`${JSON.stringify(currency)} is not an ISO 4217 currency code`);
  const [perRefundMinor, perDayMinor] = [parseAmount(perRefund, currency), parseAmount(perDay, currency)];
  if (perRefundMinor === null || perDayMinor === null) {
    return wrong(`${currency} amounts are plain numbers with at most ${decimalsOf(currency)} decimals`);
  }
  if (perRefundMinor === 0) return wrong('a refund of nothing is no refund');
  if (perRefundMinor > perDayMinor) return wrong('a day allows less than one refund');
  return ok({ currency, perRefundMinor, perDayMinor });
}

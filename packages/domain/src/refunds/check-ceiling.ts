import type { CeilingRemaining } from '../access/refund-ceiling.js';
import { refuse } from '../failure.js';
import { nextCall } from '../next-call.js';
import { formatAmount, money, type Money } from '../money.js';
import { ok, type Result } from '../result.js';
import { quoteUpTo } from './with-next-step.js';

/**
 * Whether a key may refund this amount, given the remainder of its ceiling. A currency without an entry is
 * rejected.
 */
export function checkCeiling(
  remaining: readonly CeilingRemaining[] | null,
  amount: Money,
  orderId: string,
): Result<undefined, 'key.refund_ceiling_exceeded'> {
  if (remaining === null) return ok();
  const entry = remaining.find(({ currency }) => currency === amount.currency);
  if (entry && amount.amountMinor <= entry.perRefundMinor && amount.amountMinor <= entry.perDayLeftMinor)
    return ok();
  const message = entry
    ? 'The refund exceeds what this key may refund in one refund or in total today (UTC).'
    : `This key may not refund in ${amount.currency}.`;
  return refuse('key.refund_ceiling_exceeded', message, {
    whoCanFix: 'operator',
    details: { ceilingRemaining: remaining.map(toDetails) },
    next: entry
      ? quoteUpTo(orderId, money(Math.min(entry.perRefundMinor, entry.perDayLeftMinor), amount.currency))
      : nextCall.getMe(),
  });
}

const toDetails = ({ currency, perRefundMinor, perDayLeftMinor }: CeilingRemaining) => ({
  currency,
  per_refund: formatAmount(money(perRefundMinor, currency)),
  per_day_left: formatAmount(money(perDayLeftMinor, currency)),
});

import { refuse, type Problem } from '../failure.js';
import { parseAmount } from '../money.js';
import type { OrderQuery } from '../ports/orders.js';
import { ok, type Result } from '../result.js';
import type { ListOrdersCommand } from './list-orders.js';

/** Builds the query for every store from the caller's input. An amount requires its currency. */
export function readOrderQuery(
  command: ListOrdersCommand,
): Result<OrderQuery, 'orders.currency_required' | 'request.invalid'> {
  const { currency, minTotal, maxTotal } = command;
  if (currency === undefined && (minTotal !== undefined || maxTotal !== undefined)) {
    return refuse('orders.currency_required', 'min_total and max_total require `currency`.', {
      problems: [{ path: 'currency', code: 'field.required', message: 'is required with a total' }],
    });
  }
  const minTotalMinor = readTotal(minTotal, currency);
  const maxTotalMinor = readTotal(maxTotal, currency);
  const problems = [
    ...(minTotalMinor === null ? [notAnAmount('min_total')] : []),
    ...(maxTotalMinor === null ? [notAnAmount('max_total')] : []),
  ];
  if (minTotalMinor === null || maxTotalMinor === null) {
    return refuse('request.invalid', 'An amount is not valid in this currency.', { problems });
  }
  return ok({
    sort: command.sort,
    statuses: command.status,
    paymentStatuses: command.paymentStatus,
    fulfillmentStatuses: command.fulfillmentStatus,
    createdAfter: command.createdAfter,
    createdBefore: command.createdBefore,
    updatedAfter: command.updatedAfter,
    updatedBefore: command.updatedBefore,
    number: command.number,
    email: command.email,
    minTotalMinor,
    maxTotalMinor,
    currency,
  });
}

const readTotal = (text: string | undefined, currency: string | undefined): number | null | undefined =>
  text === undefined || currency === undefined ? undefined : parseAmount(text, currency);

const notAnAmount = (path: string): Problem => ({
  path,
  code: 'invalid_amount',
  message: 'A decimal number such as "12.34", with no more decimals than the currency has.',
});

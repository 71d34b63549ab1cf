import { formatAmount, money } from '../money.js';
import type { Manifest } from '../ports/manifest.js';
import type { Quote } from './refund.js';

/**
 * The consequences of a refund in plain sentences of this service: for a person to read before confirming.
 */
export function describeConsequences(manifest: Pick<Manifest, 'name'>, quote: Quote): readonly string[] {
  const { amount, payments, extent, notifyCustomer, refundableAfter } = quote;
  const formatSum = (amountMinor: number) =>
    `${formatAmount(money(amountMinor, amount.currency))} ${amount.currency}`;
  const offlineMinor = payments
    .filter(({ moneyMoved }) => !moneyMoved)
    .reduce((sum, part) => sum + part.amountMinor, 0);
  const onlineMinor = amount.amountMinor - offlineMinor;
  const restocked = extent.lines
    .filter(({ restock }) => restock)
    .reduce((sum, { quantity }) => sum + quantity, 0);
  return [
    ...(onlineMinor > 0
      ? [`${manifest.name} returns ${formatSum(onlineMinor)} to the customer. This cannot be undone.`]
      : []),
    ...(offlineMinor > 0
      ? [
          `${formatSum(offlineMinor)} is only recorded: no money moves, and you must return it to the customer.`,
        ]
      : []),
    restocked > 0
      ? `${restocked} ${restocked === 1 ? 'item is' : 'items are'} restocked.`
      : 'Nothing is restocked.',
    notifyCustomer === null
      ? 'The store decides whether to notify the customer.'
      : notifyCustomer
        ? 'The store notifies the customer.'
        : 'The store does not notify the customer.',
    refundableAfter.amountMinor === 0
      ? 'Afterwards nothing more of this order can be refunded.'
      : `Afterwards ${formatSum(refundableAfter.amountMinor)} of this order can still be refunded.`,
  ];
}

import { formatAmount, money } from '../money.js';
import type { Manifest } from '../ports/platform.js';
import type { Quote } from './refund.js';

/** What a refund would bring about, in plain sentences of ours: for a person to read before saying yes. */
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
      ? [`${manifest.name} sends ${formatSum(onlineMinor)} back to the customer. This cannot be undone.`]
      : []),
    ...(offlineMinor > 0
      ? [`${formatSum(offlineMinor)} is only booked: no money moves, and you return it to the customer yourself.`]
      : []),
    restocked > 0
      ? `${restocked} ${restocked === 1 ? 'item goes' : 'items go'} back into stock.`
      : 'Nothing is restocked.',
    notifyCustomer === null
      ? 'The store decides whether the customer is told.'
      : notifyCustomer
        ? 'The store tells the customer.'
        : 'The store does not tell the customer.',
    refundableAfter.amountMinor === 0
      ? 'Nothing can be refunded of this order afterwards.'
      : `${formatSum(refundableAfter.amountMinor)} can still be refunded of this order afterwards.`,
  ];
}

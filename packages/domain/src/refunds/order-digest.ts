import type { RemoteOrder } from '../orders/order.js';
import type { Tokens } from '../ports/tokens.js';

/**
 * The data that a quote depends on: the order's money and what is left of it. A changed note or address does
 * not invalidate a quote.
 */
export function orderDigest(tokens: Pick<Tokens, 'digestHex'>, order: RemoteOrder): string {
  const { captured, refunded, refundable } = order.totals;
  return tokens.digestHex(
    JSON.stringify([
      order.externalId,
      order.currency,
      [captured, refunded, refundable].map(({ amountMinor }) => amountMinor),
      order.lines.map((line) => [line.id, line.quantity, line.refundableQuantity, line.total.amountMinor]),
      order.shippingLines.map((line) => [line.id, line.refundable.amountMinor]),
      order.payments.map((payment) => [payment.id, payment.refundable.amountMinor, payment.refundableOnline]),
    ]),
  );
}

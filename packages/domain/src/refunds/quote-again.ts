import { formatAmount, money } from '../money.js';
import { nextCall, type NextCall } from '../next-call.js';
import { formatOrderId } from '../orders/order-id.js';
import type { Quote } from './refund.js';

/** The call that asks again for what was quoted. */
export function quoteAgain(quote: Quote): NextCall {
  const { connectionId, orderExternalId: externalId, extent, amount, ...said } = quote;
  const lines = extent.lines.map(({ id, quantity, restock, locationId }) => ({
    id,
    quantity,
    ...(restock && { restock }),
    ...(locationId !== null && { location_id: locationId }),
  }));
  const asText = (amountMinor: number) => formatAmount(money(amountMinor, amount.currency));
  const how = {
    payment_id: said.paymentId ?? undefined,
    reason: said.reason ?? undefined,
    note: said.note ?? undefined,
    notify_customer: said.notifyCustomer ?? undefined,
    allow_offline: said.allowOffline || undefined,
  };
  const what = {
    full: { full: true },
    amount: {
      amount: asText(amount.amountMinor),
      ...(lines.length > 0 && { line_items: lines, lines_are: 'restock_only' }),
    },
    lines: {
      ...(lines.length > 0 && { line_items: lines }),
      ...(extent.shippingMinor > 0 && { shipping: asText(extent.shippingMinor) }),
    },
  }[extent.kind];
  return nextCall.quoteRefund(formatOrderId({ connectionId, externalId }), { ...what, ...how });
}

import { formatAmount, money } from '../money.js';
import { nextCall, type NextCall } from '../next-call.js';
import { formatOrderId } from '../orders/order-id.js';
import type { Quote } from './refund.js';

/** The call that requests the same quote again. */
export function requoteCall(quote: Quote): NextCall {
  const { connectionId, orderExternalId: externalId, extent, amount, ...fields } = quote;
  const lines = extent.lines.map(({ id, quantity, restock, locationId }) => ({
    id,
    quantity,
    ...(restock && { restock }),
    ...(locationId !== null && { location_id: locationId }),
  }));
  const asText = (amountMinor: number) => formatAmount(money(amountMinor, amount.currency));
  const how = {
    payment_id: fields.paymentId ?? undefined,
    reason: fields.reason ?? undefined,
    note: fields.note ?? undefined,
    notify_customer: fields.notifyCustomer ?? undefined,
    allow_offline: fields.allowOffline || undefined,
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

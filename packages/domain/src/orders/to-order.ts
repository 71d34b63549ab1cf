import type { Call } from '../call.js';
import type { Connection } from '../connections/connection.js';
import { money } from '../money.js';
import type { Order } from './list-orders.js';
import { formatOrderId } from './order-id.js';
import type { RemoteOrder } from './order.js';
import { redactForCaller } from './personal-data.js';

/** A store's order as a caller may see it. */
export const toOrder = (call: Call, connection: Connection, order: RemoteOrder): Order => ({
  id: formatOrderId({ connectionId: connection.id, externalId: order.externalId }),
  connectionId: connection.id,
  platform: connection.platform,
  order: addUpTotals(redactForCaller(call, order)),
});

/**
 * Stores disagree on what their totals include. Here all of them include tax, and they add up: subtotal −
 * discount + shipping = total, shipping is the sum of the shipping lines where the store lists them, and
 * subtotal contains everything else (lines and fees). `tax` is the part of the total that is tax.
 */
function addUpTotals(order: RemoteOrder): RemoteOrder {
  const { shippingLines, totals, currency } = order;
  const shippingMinor =
    shippingLines.length === 0
      ? totals.shipping.amountMinor
      : shippingLines.reduce((sum, line) => sum + line.total.amountMinor, 0);
  const subtotalMinor = totals.total.amountMinor - shippingMinor + totals.discount.amountMinor;
  return {
    ...order,
    totals: {
      ...totals,
      subtotal: money(subtotalMinor, currency),
      shipping: money(shippingMinor, currency),
    },
  };
}

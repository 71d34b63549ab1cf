import type { Call } from '../call.js';
import type { Connection } from '../connections/connection.js';
import { money, type Money } from '../money.js';
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
 * Stores disagree on what their totals include. Here all of them include tax, and they add up exactly: the lines are
 * subtotal − discount, the shipping lines (of a store that lists them) are shipping, and what the total contains
 * beyond both is `adjustments`. `tax` is the part of the total that is tax.
 */
function addUpTotals(order: RemoteOrder): Order['order'] {
  const { lines, shippingLines, totals, currency } = order;
  const lineMinor = sumOf(lines);
  const shippingMinor = shippingLines.length === 0 ? totals.shipping.amountMinor : sumOf(shippingLines);
  return {
    ...order,
    totals: {
      ...totals,
      subtotal: money(lineMinor + totals.discount.amountMinor, currency),
      shipping: money(shippingMinor, currency),
      adjustments: money(totals.total.amountMinor - lineMinor - shippingMinor, currency),
    },
  };
}

const sumOf = (lines: readonly { readonly total: Money }[]): number =>
  lines.reduce((sum, { total }) => sum + total.amountMinor, 0);

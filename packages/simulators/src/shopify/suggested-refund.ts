import type { Order, OrderLine } from './seed-orders.js';
import { globalId, numberOf } from './access.js';
import { proportionalShare, type MinorUnits } from './money.js';
import { remainingOf, netOf, paymentsOf, receivedOf, refundedOf } from './order.js';

export interface LineInput {
  readonly lineItemId: string;
  readonly quantity: number;
  readonly restockType?: string | null;
  readonly locationId?: string | null;
}

export interface SuggestionInput {
  readonly refundLineItems?: readonly LineInput[] | null;
  readonly refundShipping?: boolean | null;
  /** The documentation does not specify whether it is in the shop's or the customer's currency. */
  readonly shippingAmount?: string | null;
}

/** The cost of the next `quantity` units of a line, and their tax. */
function netOfUnits(
  line: OrderLine,
  quantity: number,
): { readonly net: MinorUnits; readonly tax: MinorUnits } {
  const part = (total: MinorUnits) =>
    proportionalShare(total, line.refunded + quantity, line.quantity) -
    proportionalShare(total, line.refunded, line.quantity);
  return { net: part(netOf(line)), tax: part(line.tax) };
}

export const remainingShippingOf = (order: Order): MinorUnits =>
  order.shippingLines.reduce((remaining, { price, refunded }) => remaining + price - refunded, 0);

function shippingTaxOf(order: Order, amount: MinorUnits): MinorUnits {
  const price = order.shippingLines.reduce((sum, line) => sum + line.price, 0);
  const tax = order.shippingLines.reduce((sum, line) => sum + line.tax, 0);
  return Math.round(price === 0 ? 0 : (tax * amount) / price);
}

/** Shopify's suggestion for these lines and this shipping, without any effect. */
export function suggestedRefund(
  order: Order,
  input: SuggestionInput,
  { bag, locationId }: { readonly bag: (minor: MinorUnits) => unknown; readonly locationId: number },
) {
  const lines = (input.refundLineItems ?? []).flatMap((one) => {
    const line = order.lines.find(({ id }) => id === numberOf('LineItem', one.lineItemId));
    return line ? [{ ...one, line, ...netOfUnits(line, one.quantity) }] : [];
  });
  const remaining = remainingShippingOf(order);
  if (typeof input.shippingAmount === 'string')
    throw new Error('an amount of shipping is not simulated here');
  const shipping = input.refundShipping ? remaining : 0;
  const shippingTax = shippingTaxOf(order, shipping);
  const net = lines.reduce((sum, one) => sum + one.net, 0);
  const tax = lines.reduce((sum, one) => sum + one.tax, 0);
  const onTop = order.taxesIncluded ? 0 : tax + shippingTax;
  const amount = Math.min(net + shipping + onTop, receivedOf(order) - refundedOf(order, false));
  return {
    amountSet: bag(amount),
    totalTaxSet: bag(tax + shippingTax),
    refundLineItems: lines.map(({ line, quantity, ...one }) => ({
      id: null,
      lineItem: { id: globalId('LineItem', line.id), unfulfilledQuantity: line.unfulfilled },
      quantity,
      restockType: one.restockType ?? (line.unfulfilled >= quantity ? 'CANCEL' : 'RETURN'),
      restocked: false,
      location: () => ({ id: globalId('Location', locationId) }),
      priceSet: bag(line.unit),
      totalTaxSet: bag(one.tax),
    })),
    shipping: { amountSet: bag(shipping), taxSet: bag(shippingTax), maximumRefundableSet: bag(remaining) },
    suggestedTransactions: paymentsOf(order).map((payment) => ({
      gateway: payment.gateway,
      kind: 'SUGGESTED_REFUND',
      amountSet: bag(Math.min(amount, remainingOf(order, payment.id) ?? 0)),
      parentTransaction: { id: globalId('OrderTransaction', payment.id) },
    })),
  };
}

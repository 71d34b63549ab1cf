import { formatAmount, money, type RefundInstruction, type RefundLine } from '@switchboard/domain';
import { formatReferenceMarker } from '../kit/reference-marker.js';
import { globalId } from './ids.js';
import { remainingShipping } from './remaining-shipping.js';
import type { BeforeRefund } from './wire.js';

/**
 * `RefundInput` of the Admin schema. What is sent is exactly `amountMinor`, by payment; the lines and the shipping say what
 * it is for. Where they come to another amount Shopify books the difference itself. Null when the order has not that payment.
 */
export function refundInput(instruction: RefundInstruction, before: BeforeRefund) {
  const { reference, reason, note, currency, notifyCustomer } = instruction;
  const orderId = globalId('Order', instruction.orderExternalId);
  const shipping = shippingOf(instruction, before);
  const transactions = instruction.payments.flatMap(({ id, amountMinor }) => {
    const gateway = before.transactions.find((one) => one.id === id)?.gateway;
    const amount = formatAmount(money(amountMinor, currency));
    const parentId = globalId('OrderTransaction', id);
    return typeof gateway === 'string' ? [{ orderId, kind: 'REFUND', parentId, gateway, amount }] : [];
  });
  if (transactions.length < instruction.payments.length) return null;
  return {
    orderId,
    currency,
    note: formatReferenceMarker(reference, reason, note),
    ...(notifyCustomer !== null && { notify: notifyCustomer }),
    refundLineItems: instruction.lines.flatMap((line) => linesOf(line, before)),
    ...(shipping && { shipping }),
    transactions,
  };
}

/** The lines as they are named when something is only asked about them. */
export const toLineInputs = (lines: readonly RefundLine[]) =>
  lines.map(({ id, quantity }) => ({ lineItemId: globalId('LineItem', id), quantity }));

/** What was not sent yet is cancelled, what was sent comes back: one line may be both. */
function linesOf({ id, quantity, restock, locationId }: RefundLine, before: BeforeRefund) {
  const lineItemId = globalId('LineItem', id);
  if (!restock) return [{ lineItemId, quantity, restockType: 'NO_RESTOCK' }];
  const suggested = before.suggestedRefund?.refundLineItems.find(({ lineItem }) => lineItem.id === id);
  const cancelled = Math.min(quantity, suggested?.lineItem.unfulfilledQuantity ?? 0);
  const place = locationId ?? suggested?.location?.id;
  const at = place === undefined ? {} : { locationId: globalId('Location', place) };
  return [
    { lineItemId, quantity: cancelled, restockType: 'CANCEL', ...at },
    { lineItemId, quantity: quantity - cancelled, restockType: 'RETURN', ...at },
  ].filter((part) => part.quantity > 0);
}

/**
 * Shopify wants the fees, and adds the tax on them where prices are without it. What is to move has their tax in it, so that
 * a part is taken apart in the proportion of the whole.
 */
function shippingOf({ kind, shippingMinor, currency }: RefundInstruction, before: BeforeRefund) {
  if (shippingMinor === 0) return null;
  if (kind === 'full') return { fullRefund: true };
  const suggested = before.suggestedRefund?.shipping;
  const remaining = suggested && remainingShipping(suggested, before.taxesIncluded, currency);
  // Nothing is left: Shopify is to say so.
  if (!remaining || remaining.wholeMinor === 0)
    return { amount: formatAmount(money(shippingMinor, currency)) };
  const { feeMinor, wholeMinor } = remaining;
  if (shippingMinor >= wholeMinor) return { fullRefund: true };
  const amountMinor = Math.round((shippingMinor * feeMinor) / wholeMinor);
  return { amount: formatAmount(money(amountMinor, currency)) };
}

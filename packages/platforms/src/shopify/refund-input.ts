import { formatAmount, money } from '@switchboard/domain';
import type { RefundInstruction } from '@switchboard/domain/ports';
import type { RefundLine } from '@switchboard/domain/refunds';
import { formatReferenceMarker } from '../kit/reference-marker.js';
import { globalId } from './ids.js';
import { remainingShipping } from './remaining-shipping.js';
import type { BeforeRefund } from './wire.js';

/**
 * `RefundInput` of the Admin schema. Exactly `amountMinor` is sent, by payment; the lines and the shipping
 * describe its purpose. Shopify records a difference between the two itself. Null if the order does not have
 * that payment.
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

/** The format of the lines for a quote. */
export const toLineInputs = (lines: readonly RefundLine[]) =>
  lines.map(({ id, quantity }) => ({ lineItemId: globalId('LineItem', id), quantity }));

/** Unshipped units are cancelled, shipped ones returned: one line may have both. */
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
 * Shopify expects the shipping fee and adds the tax if prices exclude it. The requested amount includes tax,
 * so a part is split in the proportion of the whole.
 */
function shippingOf({ kind, shippingMinor, currency }: RefundInstruction, before: BeforeRefund) {
  if (shippingMinor === 0) return null;
  if (kind === 'full') return { fullRefund: true };
  const suggested = before.suggestedRefund?.shipping;
  const remaining = suggested && remainingShipping(suggested, before.taxesIncluded, currency);
  // Nothing remains: Shopify refuses it.
  if (!remaining || remaining.wholeMinor === 0)
    return { amount: formatAmount(money(shippingMinor, currency)) };
  const { feeMinor, wholeMinor } = remaining;
  if (shippingMinor >= wholeMinor) return { fullRefund: true };
  const amountMinor = Math.round((shippingMinor * feeMinor) / wholeMinor);
  return { amount: formatAmount(money(amountMinor, currency)) };
}

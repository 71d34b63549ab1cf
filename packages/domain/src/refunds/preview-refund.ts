import type { RefundPreview } from '../approvals/approval.js';
import type { RemoteOrder } from '../orders/order.js';
import { valueOfUnits } from './plan-refund.js';
import type { Refund, RefundExtent } from './refund.js';

const LINES_MAX = 100;
const TITLE_CHARACTERS = 200;

/**
 * What a refund does to its order, which is corrected by the ledger and does not include the refund. A line has an
 * amount where the amounts add up to the refund: a store may calculate them itself.
 */
export function previewRefund(
  order: RemoteOrder,
  { extent, amount }: Pick<Refund, 'extent' | 'amount'>,
): RefundPreview {
  const lines = requestedLines(order, extent).flatMap(({ id, quantity, restock }) => {
    const line = order.lines.find((one) => one.id === id);
    return line ? [{ title: line.title, quantity, restock, amountMinor: valueOfUnits(line, quantity) }] : [];
  });
  const totalMinor = lines.reduce((sum, line) => sum + line.amountMinor, extent.shippingMinor);
  const addsUp = extent.kind !== 'amount' && totalMinor === amount.amountMinor;
  return {
    orderNumber: order.number,
    lines: lines.slice(0, LINES_MAX).map(({ title, amountMinor, ...line }) => ({
      ...line,
      title: title.slice(0, TITLE_CHARACTERS).toWellFormed(),
      amountMinor: addsUp ? amountMinor : null,
    })),
    shippingMinor: extent.shippingMinor,
    refundableAfterMinor: Math.max(0, order.totals.refundable.amountMinor - amount.amountMinor),
  };
}

/** Of a full refund everything that remains. */
export const requestedLines = (order: RemoteOrder, { kind, lines }: RefundExtent) =>
  kind === 'full'
    ? order.lines
        .filter(({ refundableQuantity }) => refundableQuantity > 0)
        .map(({ id, refundableQuantity: quantity }) => ({ id, quantity, restock: false }))
    : lines;

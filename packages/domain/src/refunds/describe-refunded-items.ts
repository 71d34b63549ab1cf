import { formatAmount, money } from '../money.js';
import type { RemoteOrder } from '../orders/order.js';
import { plainName } from '../plain-name.js';
import { valueOfUnits } from './plan-refund.js';
import { requestedLines } from './preview-refund.js';
import type { Quote } from './refund.js';

const LINES_MAX = 20;
const TITLE_CHARACTERS = 80;

/**
 * What a quoted refund covers, one sentence for each line of the order: for the person who confirms it. Titles
 * are third-party text, reduced to names. A line has an amount where the amounts add up to the refund: a store
 * may calculate them itself.
 */
export function describeRefundedItems(
  order: RemoteOrder,
  { extent, amount }: Pick<Quote, 'extent' | 'amount'>,
): readonly string[] {
  if (extent.kind === 'amount') {
    return [
      'An amount, not particular items.',
      ...limitLines(linesOf(order, extent.lines).map(({ text }) => `Only restocked: ${text}.`)),
    ];
  }
  const lines = linesOf(order, requestedLines(order, extent));
  const { shippingMinor } = extent;
  const totalMinor = lines.reduce((sum, { amountMinor }) => sum + amountMinor, shippingMinor);
  const suffix = (amountMinor: number) =>
    totalMinor === amount.amountMinor
      ? `: ${formatAmount(money(amountMinor, amount.currency))} ${amount.currency}`
      : '';
  return [
    ...(extent.kind === 'full' ? ['Everything that remains of the order.'] : []),
    ...limitLines(lines.map(({ text, amountMinor }) => `${text}${suffix(amountMinor)}.`)),
    ...(shippingMinor > 0 ? [`Shipping${suffix(shippingMinor)}.`] : []),
  ];
}

const linesOf = (
  order: RemoteOrder,
  lines: readonly { readonly id: string; readonly quantity: number }[],
): readonly { readonly text: string; readonly amountMinor: number }[] =>
  lines.map(({ id, quantity }) => {
    const line = order.lines.find((candidate) => candidate.id === id);
    const title = plainName(line?.title ?? '', TITLE_CHARACTERS);
    return {
      text: title === '' ? `${quantity} × an item without a name` : `${quantity} × “${title}”`,
      amountMinor: line ? valueOfUnits(line, quantity) : 0,
    };
  });

const limitLines = (lines: readonly string[]): readonly string[] =>
  lines.length <= LINES_MAX
    ? lines
    : [...lines.slice(0, LINES_MAX), `And ${lines.length - LINES_MAX} more lines.`];

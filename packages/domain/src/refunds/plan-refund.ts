import { refuse, type Problem } from '../failure.js';
import { formatAmount, money, type Money } from '../money.js';
import type { OrderLine, RemoteOrder, OrderPayment } from '../orders/order.js';
import type { RefundFacts } from '../ports/manifest.js';
import { ok, type Result } from '../result.js';
import { invalidLine, type RequestedExtent } from './extent.js';
import type { RefundExtent, RefundLine, RefundPayment } from './refund.js';

/** The exact amounts of a refund. */
export interface RefundPlan {
  readonly amount: Money;
  readonly extent: RefundExtent;
  readonly payments: readonly RefundPayment[];
  readonly breakdown: RefundBreakdown;
  readonly refundableAfter: Money;
}

/** The components of the amount; `otherMinor` belongs to neither lines nor shipping. */
export interface RefundBreakdown {
  readonly linesMinor: number;
  readonly shippingMinor: number;
  readonly otherMinor: number;
}

export type PlanFailure =
  | 'refund.exceeds_refundable'
  | 'refund.offline_only'
  | 'refund.unsupported_option'
  | 'request.invalid';

/** The request validated against the order: existing lines and shipping, and their amounts. */
export interface MeasuredRefund {
  readonly amountMinor: number;
  readonly linesMinor: number;
  readonly extent: RefundExtent;
}

/** The same with the store's own amounts of the lines and the shipping. */
export const withCalculatedAmounts = (
  { extent }: MeasuredRefund,
  { linesMinor, shippingMinor }: { readonly linesMinor: number; readonly shippingMinor: number },
): MeasuredRefund => ({
  amountMinor: linesMinor + shippingMinor,
  linesMinor,
  extent: { ...extent, shippingMinor },
});

/** Determines the payments that the money comes from. All amounts are exact; nothing is rounded. */
export function planRefund(
  order: RemoteOrder,
  facts: RefundFacts,
  { amountMinor, linesMinor, extent }: MeasuredRefund,
  options: { readonly paymentId: string | null; readonly allowOffline: boolean },
): Result<RefundPlan, PlanFailure> {
  const { refundable } = order.totals;
  if (amountMinor < 1 || amountMinor > refundable.amountMinor) return exceedsRefundable(refundable);
  const payments = allocate(order, facts, amountMinor, options);
  if (!payments.ok) return payments;
  const shippingMinor = Math.min(extent.shippingMinor, amountMinor - Math.min(linesMinor, amountMinor));
  const inLines = Math.min(linesMinor, amountMinor);
  return ok({
    amount: money(amountMinor, order.currency),
    extent,
    payments: payments.value,
    breakdown: { linesMinor: inLines, shippingMinor, otherMinor: amountMinor - inLines - shippingMinor },
    refundableAfter: money(refundable.amountMinor - amountMinor, order.currency),
  });
}

/** Validates the request against the remainder and the store's capabilities. */
export function measureRefund(
  order: RemoteOrder,
  facts: RefundFacts,
  requested: RequestedExtent,
): Result<MeasuredRefund, PlanFailure> {
  const shippingLeft = order.shippingLines.reduce((sum, { refundable }) => sum + refundable.amountMinor, 0);
  if (requested.kind === 'full') {
    const left = order.lines.filter(({ refundableQuantity }) => refundableQuantity > 0);
    const lines = left.map(({ id, refundableQuantity }) => ({
      id,
      quantity: refundableQuantity,
      restock: false,
      locationId: null,
    }));
    const linesMinor = sumOf(order.lines, lines);
    const shippingMinor = facts.shipping ? Math.min(shippingLeft, order.totals.refundable.amountMinor) : 0;
    const extent = { kind: 'full', lines: facts.lines ? lines : [], shippingMinor } as const;
    return ok({ amountMinor: order.totals.refundable.amountMinor, linesMinor, extent });
  }
  const lines = requested.kind === 'amount' ? requested.restock : requested.lines;
  const checked = checkLines(order, facts, lines);
  if (!checked.ok) return checked;
  if (requested.kind === 'amount') {
    const { amountMinor } = requested;
    return ok({ amountMinor, linesMinor: 0, extent: { kind: 'amount', lines, shippingMinor: 0 } });
  }
  if (requested.shipping !== 'none' && !facts.shipping) {
    return refuse('refund.unsupported_option', 'This store cannot refund shipping separately. Use `amount`.');
  }
  const { shipping } = requested;
  const shippingMinor = shipping === 'none' ? 0 : shipping === 'full' ? shippingLeft : shipping;
  if (shippingMinor > shippingLeft) return exceedsRefundable(order.totals.refundable);
  const linesMinor = sumOf(order.lines, lines);
  return ok({
    amountMinor: linesMinor + shippingMinor,
    linesMinor,
    extent: { kind: 'lines', lines, shippingMinor },
  });
}

function checkLines(
  order: RemoteOrder,
  facts: RefundFacts,
  lines: readonly RefundLine[],
): Result<undefined, PlanFailure> {
  if (lines.length > 0 && !facts.lines) {
    return refuse('refund.unsupported_option', 'This store cannot refund by line. Use `amount`.');
  }
  if (lines.some(({ restock }) => restock) && !facts.restock) {
    return refuse('refund.unsupported_option', 'This store cannot restock with a refund. Omit `restock`.');
  }
  if (!facts.restockByLine && new Set(lines.map(({ restock }) => restock)).size > 1) {
    return refuse(
      'refund.unsupported_option',
      'This store restocks all lines of a refund or none. Send two refunds.',
    );
  }
  if (lines.some(({ locationId }) => locationId !== null) && !facts.locations) {
    return refuse(
      'refund.unsupported_option',
      'This store cannot restock at a chosen location. Omit `location_id`.',
    );
  }
  for (const [at, { id, quantity }] of lines.entries()) {
    const line = order.lines.find((candidate) => candidate.id === id);
    if (!line)
      return invalidLine(`line_items.${at}.id`, 'unknown_line', 'The order has no line with this id.');
    if (quantity > line.refundableQuantity) {
      const message = `At most ${line.refundableQuantity} of this line can still be refunded.`;
      const path = `line_items.${at}.quantity`;
      return exceedsRefundable(order.totals.refundable, [{ path, code: 'exceeds_refundable', message }]);
    }
  }
  return ok();
}

const sumOf = (lines: readonly OrderLine[], refunded: readonly RefundLine[]): number =>
  refunded.reduce((sum, { id, quantity }) => {
    const line = lines.find((candidate) => candidate.id === id);
    return sum + (line ? valueOfUnits(line, quantity) : 0);
  }, 0);

/**
 * The value of the next `quantity` units of a line. It is counted from the units refunded before, so that a
 * line refunded unit by unit adds up to its total to the last cent: 10.00 in three is 3.33, 3.33 and 3.34.
 */
export function valueOfUnits(line: OrderLine, quantity: number): number {
  const before = line.quantity - line.refundableQuantity;
  const upTo = (units: number) =>
    Number((BigInt(line.total.amountMinor) * BigInt(units)) / BigInt(line.quantity));
  return line.quantity === 0 ? 0 : upTo(before + quantity) - upTo(before);
}

/** The failure for an amount above the remainder, with the remainder. */
export const exceedsRefundable = (refundable: Money, problems?: readonly Problem[]) =>
  refuse(
    'refund.exceeds_refundable',
    problems?.[0]?.message ??
      `At most ${formatAmount(refundable)} ${refundable.currency} can still be refunded.`,
    {
      problems,
      details: { refundable: { amount: formatAmount(refundable), currency: refundable.currency } },
    },
  );

/**
 * Determines which payments the money comes from: a single one where it suffices, since that is one step at
 * the store; payments that the store can return before those that it only records. An order without payment
 * data in its store has none.
 */
function allocate(
  order: RemoteOrder,
  facts: RefundFacts,
  amountMinor: number,
  { paymentId, allowOffline }: { readonly paymentId: string | null; readonly allowOffline: boolean },
): Result<
  readonly RefundPayment[],
  'refund.exceeds_refundable' | 'refund.offline_only' | 'refund.unsupported_option' | 'request.invalid'
> {
  if (order.payments.length === 0 && paymentId === null) return ok([]);
  const named = paymentId === null ? order.payments : order.payments.filter(({ id }) => id === paymentId);
  if (named.length === 0) {
    return refuse('request.invalid', 'The order has no such payment.', {
      problems: [
        { path: 'payment_id', code: 'unknown_payment', message: 'The order has no payment with this id.' },
      ],
    });
  }
  const left = named.filter(({ refundable }) => refundable.amountMinor > 0);
  const online = left.filter(({ refundableOnline }) => refundableOnline);
  const offline = left.filter(({ refundableOnline }) => !refundableOnline);
  const single = online.find(({ refundable }) => refundable.amountMinor >= amountMinor);
  if (single) return ok([{ id: single.id, amountMinor, moneyMoved: true }]);

  if (total(left) < amountMinor) {
    return refuse('refund.exceeds_refundable', 'The amount exceeds what the payments still allow.', {
      details: {
        refundable: { amount: formatAmount(money(total(left), order.currency)), currency: order.currency },
      },
    });
  }
  if (total(online) < amountMinor && !allowOffline) {
    return refuse(
      'refund.offline_only',
      'This money cannot be returned through the store. With `allow_offline: true` the refund is only recorded there, and you must return the money outside the store.',
    );
  }
  if (total(online) < amountMinor && !facts.offline) {
    return refuse('refund.unsupported_option', 'This store cannot record a refund that it does not send.');
  }
  return ok(splitAmount([...online, ...offline], amountMinor));
}

function splitAmount(payments: readonly OrderPayment[], amountMinor: number): RefundPayment[] {
  const taken: RefundPayment[] = [];
  let rest = amountMinor;
  for (const { id, refundable, refundableOnline } of payments) {
    const share = Math.min(rest, refundable.amountMinor);
    if (share > 0) taken.push({ id, amountMinor: share, moneyMoved: refundableOnline });
    rest -= share;
  }
  return taken;
}

const total = (payments: readonly OrderPayment[]): number =>
  payments.reduce((sum, { refundable }) => sum + refundable.amountMinor, 0);

import { refuse } from '../failure.js';
import { formatAmount, money } from '../money.js';
import type { OrderPayment, RemoteOrder } from '../orders/order.js';
import type { RefundFacts } from '../ports/manifest.js';
import { ok, type Result } from '../result.js';
import type { RefundPayment } from './refund.js';

/**
 * Determines which payments the money comes from: a single one where it suffices, since that is one step at
 * the store; payments that the store can return before those that it only records. An order without payment
 * data in its store has none.
 */
export function allocate(
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

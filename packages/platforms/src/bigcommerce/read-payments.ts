import type { OrderPayment, RemoteRefund } from '@switchboard/platform-kit';
import { moneyOf } from '@switchboard/platform-kit/decimal';
import {
  parseExact,
  minOf,
  sumExact as sumOfExact,
  wholeUnitsOf,
  type ExactAmount,
  sumMoney,
} from '@switchboard/platform-kit/exact-amount';
import { parseReferenceMarker } from '@switchboard/platform-kit/reference-marker';
import { isMarkedRefunded, isCaptured, isPaidOffline, isPlaced } from './statuses.js';
import type { WireOrder, WireRefund } from './wire.js';

/**
 * An order is paid by one provider, by store credit and by gift certificates, or by several of them. v2 names
 * the provider only by its display name; the quote of a refund has its ID.
 */
type PaymentId = 'provider' | 'giftcertificate' | 'storecredit';

export const paymentIdOf = (providerId: string | null | undefined): PaymentId =>
  providerId === 'giftcertificate' || providerId === 'storecredit' ? providerId : 'provider';

export type RefundPayment = WireRefund['payments'][number];

/** Credit is the store's own, and an offline refund moves nothing; a provider refund has a transaction. */
export const leavesTransaction = ({
  offline,
  is_declined: declined,
  provider_id: id,
}: RefundPayment): boolean => offline !== true && declined !== true && paymentIdOf(id) === 'provider';

/**
 * Whether money has left, as its transaction reports if that was read, otherwise as the refund itself does.
 * If it does not report whether the payment was declined, no money has left.
 */
export function refundPaymentStatus(payment: RefundPayment): RemoteRefund['status'] {
  if (payment.is_declined === true) return 'failed';
  if (payment.status) return payment.status;
  if (typeof payment.is_declined !== 'boolean') return 'pending';
  return !leavesTransaction(payment) || (payment.transaction_id ?? '') !== '' ? 'succeeded' : 'pending';
}

/**
 * The store issues credit itself, also where it marks that as offline, as in a response of the documentation.
 */
const isRecordedOnly = ({ offline, provider_id: id }: RefundPayment): boolean =>
  offline === true && paymentIdOf(id) === 'provider';

const hasFailed = (payment: RefundPayment): boolean => refundPaymentStatus(payment) === 'failed';

/** Whether any of it was refunded or is being refunded. */
export const countsAsRefunded = ({ payments }: Pick<WireRefund, 'payments'>): boolean =>
  payments.length === 0 || !payments.every(hasFailed);

export function readRefund(wire: WireRefund, currency: string): RemoteRefund {
  const stored = wire.payments.filter((payment) => !hasFailed(payment));
  const reported = stored.length > 0 ? stored : wire.payments;
  const statuses = reported.map(refundPaymentStatus);
  // Next to the items, as in the documentation's responses, or with each item, as in its requests.
  const reasons = [wire.reason, ...(wire.items ?? []).map(({ reason }) => reason)];
  const marks = reasons.map(parseReferenceMarker);
  const { reference, words } =
    marks.find((mark) => mark.reference !== null) ?? marks.find((mark) => mark.words !== null) ?? NO_MARKER;
  const [only] = wire.payments;
  return {
    externalId: wire.id,
    // A refund without payments does not report what happened to its money.
    status: statuses.includes('pending') ? 'pending' : (statuses[0] ?? 'pending'),
    amount: sumMoney(
      (reported.length > 0 ? reported : [{ amount: wire.total_amount }]).map(({ amount }) =>
        moneyOf(amount, currency),
      ),
      currency,
    ),
    reference,
    reason: words,
    paymentId: only && wire.payments.length === 1 ? paymentIdOf(only.provider_id) : null,
    moneyMoved: reported.length === 0 || !reported.every(isRecordedOnly),
    createdAt: wire.created,
  };
}

const NO_MARKER = { reference: null, words: null };

/** What was received by each method, what of it was refunded, and what remains. */
export function readPayments(order: WireOrder, refunds: readonly WireRefund[]): readonly OrderPayment[] {
  const currency = order.default_currency_code;
  const credit = parseExact(order.store_credit_amount);
  const certificate = parseExact(order.gift_certificate_amount);
  const rest = parseExact(order.total_inc_tax) - credit - certificate;
  const sources = [
    { id: 'provider', due: rest, captured: isCaptured(order) ? rest : 0n, online: !isPaidOffline(order) },
    { id: 'giftcertificate', due: certificate, captured: isPlaced(order) ? certificate : 0n, online: true },
    { id: 'storecredit', due: credit, captured: isPlaced(order) ? credit : 0n, online: true },
  ].filter(({ due }) => due > 0n);

  const back = sources.map(() => ({ gone: 0n, pending: 0n }));
  /** Money is refunded by its own method, or by another, which reduces the remainder of the others. */
  function deductRefund(id: string, amount: ExactAmount, how: 'gone' | 'pending') {
    let remaining = amount;
    const own = sources.findIndex((connectMethod) => connectMethod.id === id);
    for (const at of [own, ...sources.keys()]) {
      const [connectMethod, given] = [sources[at], back[at]];
      if (!connectMethod || !given) continue;
      const part = minOf(remaining, connectMethod.captured - given.gone - given.pending);
      given[how] += part;
      remaining -= part;
    }
  }
  for (const { payments, total_amount: whole } of refunds) {
    if (payments.length === 0) deductRefund('provider', parseExact(whole), 'pending');
  }
  const sent = refunds.flatMap(({ payments }) => payments);
  for (const payment of sent) {
    const status = refundPaymentStatus(payment);
    if (status === 'failed') continue;
    deductRefund(
      paymentIdOf(payment.provider_id),
      parseExact(payment.amount),
      status === 'pending' ? 'pending' : 'gone',
    );
  }
  // If a merchant refunded everything at the provider, only the status shows it. The status of a failed
  // refund may persist.
  if (isMarkedRefunded(order) && !sent.some(hasFailed))
    deductRefund('', sumOfExact(sources.map(({ captured }) => captured)), 'gone');

  return sources.map(({ id, captured, online }, at) => {
    const { gone = 0n, pending = 0n } = back[at] ?? {};
    return {
      id,
      gateway: id === 'provider' ? (order.payment_method ?? '') || 'unknown' : id,
      method: null,
      // A fraction of the smallest unit cannot be refunded.
      captured: wholeUnitsOf(captured, currency),
      refunded: wholeUnitsOf(gone, currency),
      refundable: wholeUnitsOf(captured - gone - pending, currency),
      refundableOnline: online,
    };
  });
}

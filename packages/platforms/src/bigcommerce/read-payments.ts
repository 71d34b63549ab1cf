import { money, type Money, type OrderPayment, type RemoteRefund } from '@switchboard/domain';
import { moneyOf } from '../kit/decimal.js';
import {
  parseExact,
  minOf,
  sumExact as sumOfExact,
  wholeUnitsOf,
  type ExactAmount,
} from '../kit/exact-amount.js';
import { parseReferenceMarker } from '../kit/reference-marker.js';
import { isMarkedRefunded, isCaptured, isPaidOffline, isPlaced } from './statuses.js';
import type { WireOrder, WireRefund } from './wire.js';

/**
 * An order is paid by one provider, by store credit and by gift certificates, or by several of them. Which provider it is
 * v2 says by its display name only; the quote of a refund knows its id.
 */
export type PaymentId = 'provider' | 'giftcertificate' | 'storecredit';

export const paymentIdOf = (providerId: string | null | undefined): PaymentId =>
  providerId === 'giftcertificate' || providerId === 'storecredit' ? providerId : 'provider';

export type RefundPayment = WireRefund['payments'][number];

/** Credit is the store's own, and what is only noted moves nothing; a provider leaves a transaction. */
export const leavesTransaction = ({
  offline,
  is_declined: declined,
  provider_id: id,
}: RefundPayment): boolean => offline !== true && declined !== true && paymentIdOf(id) === 'provider';

/**
 * Whether money has left, as its transaction tells where that was read, else as the refund itself does. Where it does not say
 * whether the payment was declined, nothing has.
 */
export function refundPaymentStatus(payment: RefundPayment): RemoteRefund['status'] {
  if (payment.is_declined === true) return 'failed';
  if (payment.status) return payment.status;
  if (typeof payment.is_declined !== 'boolean') return 'pending';
  return !leavesTransaction(payment) || (payment.transaction_id ?? '') !== '' ? 'succeeded' : 'pending';
}

/** Credit is given by the store itself, also where it calls that offline, as an answer in the documentation does. */
const isRecordedOnly = ({ offline, provider_id: id }: RefundPayment): boolean =>
  offline === true && paymentIdOf(id) === 'provider';

const hasFailed = (payment: RefundPayment): boolean => refundPaymentStatus(payment) === 'failed';

/** Whether anything of it has gone back, or is on its way. */
export const countsAsRefunded = ({ payments }: Pick<WireRefund, 'payments'>): boolean =>
  payments.length === 0 || !payments.every(hasFailed);

export function readRefund(wire: WireRefund, currency: string): RemoteRefund {
  const stored = wire.payments.filter((payment) => !hasFailed(payment));
  const reported = stored.length > 0 ? stored : wire.payments;
  const statuses = reported.map(refundPaymentStatus);
  // Beside the items, where the documentation's answers have it; or with each, where its requests have it.
  const reasons = [wire.reason, ...(wire.items ?? []).map(({ reason }) => reason)];
  const marks = reasons.map(parseReferenceMarker);
  const { reference, words } =
    marks.find((mark) => mark.reference !== null) ?? marks.find((mark) => mark.words !== null) ?? NO_MARKER;
  const [only] = wire.payments;
  return {
    externalId: wire.id,
    // A refund without payments does not say what became of its money.
    status: statuses.includes('pending') ? 'pending' : (statuses[0] ?? 'pending'),
    amount: reported.length > 0 ? sumOf(reported, currency) : moneyOf(wire.total_amount, currency),
    reference,
    reason: words,
    paymentId: only && wire.payments.length === 1 ? paymentIdOf(only.provider_id) : null,
    moneyMoved: reported.length === 0 || !reported.every(isRecordedOnly),
    createdAt: wire.created,
  };
}

const NO_MARKER = { reference: null, words: null };

const sumOf = (payments: readonly RefundPayment[], currency: string): Money =>
  money(
    payments.reduce((sum, { amount }) => sum + moneyOf(amount, currency).amountMinor, 0),
    currency,
  );

/** What came in each way, what of it has gone back, and what is neither gone nor on its way. */
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
  /** Money goes back the way it came, or another way, and then there is less to give back of the others. */
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
  // A merchant who gave all back at the provider says so by the status alone. That of a refund that failed may just have stayed.
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

import { money, type Money, type OrderPayment, type RemoteRefund } from '@switchboard/domain';
import { moneyOf } from '../kit/decimal.js';
import { readMark } from '../kit/mark.js';
import { isCalledRefunded, isCaptured, isOutside, isPlaced } from './statuses.js';
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
const isOnlyNoted = ({ offline, provider_id: id }: RefundPayment): boolean =>
  offline === true && paymentIdOf(id) === 'provider';

const hasFailed = (payment: RefundPayment): boolean => refundPaymentStatus(payment) === 'failed';

/** Whether anything of it has gone back, or is on its way. */
export const stands = ({ payments }: Pick<WireRefund, 'payments'>): boolean =>
  payments.length === 0 || !payments.every(hasFailed);

export function readRefund(wire: WireRefund, currency: string): RemoteRefund {
  const kept = wire.payments.filter((payment) => !hasFailed(payment));
  const told = kept.length > 0 ? kept : wire.payments;
  const statuses = told.map(refundPaymentStatus);
  // Beside the items, where the documentation's answers have it; or with each, where its requests have it.
  const reasons = [wire.reason, ...(wire.items ?? []).map(({ reason }) => reason)];
  const marks = reasons.map(readMark);
  const { reference, words } =
    marks.find((mark) => mark.reference !== null) ?? marks.find((mark) => mark.words !== null) ?? NO_MARK;
  const [only] = wire.payments;
  return {
    externalId: wire.id,
    // A refund without payments does not say what became of its money.
    status: statuses.includes('pending') ? 'pending' : (statuses[0] ?? 'pending'),
    amount: told.length > 0 ? sumOf(told, currency) : moneyOf(wire.total_amount, currency),
    reference,
    reason: words,
    paymentId: only && wire.payments.length === 1 ? paymentIdOf(only.provider_id) : null,
    moneyMoved: told.length === 0 || !told.every(isOnlyNoted),
    createdAt: wire.created,
  };
}

const NO_MARK = { reference: null, words: null };

const sumOf = (payments: readonly RefundPayment[], currency: string): Money =>
  money(
    payments.reduce((sum, { amount }) => sum + moneyOf(amount, currency).amountMinor, 0),
    currency,
  );

/** What came in each way, what of it has gone back, and what is neither gone nor on its way. */
export function readPayments(order: WireOrder, refunds: readonly WireRefund[]): readonly OrderPayment[] {
  const currency = order.default_currency_code;
  const minor = (text: string) => moneyOf(text, currency).amountMinor;
  const credit = minor(order.store_credit_amount);
  const certificate = minor(order.gift_certificate_amount);
  const rest = Math.max(0, minor(order.total_inc_tax) - credit - certificate);
  const ways = [
    { id: 'provider', due: rest, captured: isCaptured(order) ? rest : 0, online: !isOutside(order) },
    { id: 'giftcertificate', due: certificate, captured: isPlaced(order) ? certificate : 0, online: true },
    { id: 'storecredit', due: credit, captured: isPlaced(order) ? credit : 0, online: true },
  ].filter(({ due }) => due > 0);

  const back = ways.map(() => ({ gone: 0, pending: 0 }));
  /** Money goes back the way it came, or another way, and then there is less to give back of the others. */
  function giveBack(id: string, amountMinor: number, how: 'gone' | 'pending') {
    let left = amountMinor;
    const own = ways.findIndex((way) => way.id === id);
    for (const at of [own, ...ways.keys()]) {
      const [way, given] = [ways[at], back[at]];
      if (!way || !given) continue;
      const part = Math.min(left, way.captured - given.gone - given.pending);
      given[how] += part;
      left -= part;
    }
  }
  for (const { payments, total_amount: whole } of refunds) {
    if (payments.length === 0) giveBack('provider', minor(whole), 'pending');
  }
  const sent = refunds.flatMap(({ payments }) => payments);
  for (const payment of sent) {
    const status = refundPaymentStatus(payment);
    if (status === 'failed') continue;
    giveBack(
      paymentIdOf(payment.provider_id),
      minor(payment.amount),
      status === 'pending' ? 'pending' : 'gone',
    );
  }
  // A merchant who gave all back at the provider says so by the status alone. That of a refund that failed may just have stayed.
  if (isCalledRefunded(order) && !sent.some(hasFailed)) giveBack('', Infinity, 'gone');

  return ways.map(({ id, captured, online }, at) => {
    const { gone = 0, pending = 0 } = back[at] ?? {};
    return {
      id,
      gateway: id === 'provider' ? (order.payment_method ?? '') || 'unknown' : id,
      method: null,
      captured: money(captured, currency),
      refunded: money(gone, currency),
      refundable: money(captured - gone - pending, currency),
      refundableOnline: online,
    };
  });
}

import {
  money,
  type Money,
  type OrderPayment,
  type PaymentStatus,
  type RemoteRefund,
} from '@switchboard/platform-kit';
import { parseReferenceMarker } from '@switchboard/platform-kit/reference-marker';
import type { RelatedRecords } from './read-related.js';
import { paymentReferencesOf } from './read-payments.js';
import type { WireOrder, WirePayment, WireRefund } from './wire.js';

/** A mapped payment, with the fields that only its order needs. */
interface PaidPayment extends OrderPayment {
  readonly status: string | null;
  readonly buyerEmail: string | null;
  readonly buyerName: string | null;
}

/** Money that Square never held: its refund is only a record. */
const RECORDED_ONLY: ReadonlySet<string> = new Set(['CASH', 'EXTERNAL']);

/**
 * The payments and refunds of an order. A tender whose payment Square does not return has nothing refundable.
 */
export function readOrderPayments(
  order: WireOrder,
  currency: string,
  { payments, refunds }: RelatedRecords,
): { readonly payments: readonly PaidPayment[]; readonly refunds: readonly RemoteRefund[] } {
  const none = money(0, currency);
  const read = paymentReferencesOf(order).map(({ id, type }) => {
    const payment = payments.get(id);
    const refundIds = payment?.refund_ids ?? [];
    const created = refundIds
      .flatMap((refundId) => refunds.get(refundId) ?? [])
      .map((refund) => readRefund(refund, { id, source_type: payment?.source_type ?? type }));
    const areAllShown = created.length === refundIds.length;
    return { payment: readPayment(id, type, payment, { made: created, areAllShown }, none), made: created };
  });
  return { payments: read.map(({ payment }) => payment), refunds: read.flatMap(({ made }) => made) };
}

function readPayment(
  id: string,
  tenderType: string,
  payment: WirePayment | undefined,
  { made, areAllShown }: { readonly made: readonly RemoteRefund[]; readonly areAllShown: boolean },
  none: Money,
): PaidPayment {
  const captured = payment?.status === 'COMPLETED' ? (payment.total_money ?? none) : none;
  const refunded = refundedOf(payment, made);
  const { first_name: first, last_name: last } = payment?.billing_address ?? {};
  return {
    id,
    gateway: 'square',
    method: (payment?.source_type ?? tenderType).toLowerCase(),
    captured,
    refunded: money(refunded, none.currency),
    // A refund that Square names but does not return may be pending, in any amount.
    refundable: areAllShown ? money(Math.max(0, captured.amountMinor - refunded), none.currency) : none,
    refundableOnline:
      payment !== undefined &&
      !RECORDED_ONLY.has(payment.source_type ?? tenderType) &&
      payment.card_details?.refund_requires_card_presence !== true,
    status: payment?.status ?? null,
    buyerEmail: payment?.buyer_email_address ?? null,
    buyerName: [first, last].filter(Boolean).join(' ') || null,
  };
}

/** Square counts completed refunds; pending ones count as refunded too. */
export function refundedOf(
  payment: Pick<WirePayment, 'refunded_money'> | undefined,
  created: readonly RemoteRefund[],
): number {
  const ofRefunds = created.reduce(
    (sum, { status, amount }) => sum + (status === 'failed' ? 0 : amount.amountMinor),
    0,
  );
  return Math.max(ofRefunds, payment?.refunded_money?.amountMinor ?? 0);
}

export function readRefund(
  refund: WireRefund,
  payment: Pick<WirePayment, 'id' | 'source_type'>,
): RemoteRefund {
  const { reference, words } = parseReferenceMarker(refund.reason);
  return {
    externalId: refund.id,
    status: REFUND_STATUSES[refund.status ?? ''] ?? 'pending',
    amount: refund.amount_money,
    reference,
    reason: words,
    paymentId: refund.payment_id ?? payment.id,
    moneyMoved: !RECORDED_ONLY.has(refund.destination_type ?? payment.source_type ?? ''),
    createdAt: refund.created_at,
  };
}

const REFUND_STATUSES: Readonly<Record<string, RemoteRefund['status']>> = {
  COMPLETED: 'succeeded',
  REJECTED: 'failed',
  FAILED: 'failed',
};

/** The sums of an order's payments. A sale of zero is paid. */
export function paymentStatusOf(
  state: string | null,
  total: Money,
  { payments }: { readonly payments: readonly PaidPayment[] },
): PaymentStatus {
  const sum = (of: (paid: PaidPayment) => Money) =>
    payments.reduce((all, paid) => all + of(paid).amountMinor, 0);
  const [captured, refunded] = [sum((paid) => paid.captured), sum((paid) => paid.refunded)];
  if (captured > 0 && refunded > 0) return refunded >= captured ? 'refunded' : 'partially_refunded';
  if (captured > 0) return captured >= total.amountMinor ? 'paid' : 'partially_paid';
  // A payment with an unknown status is not captured; its refunded amount counts.
  if (refunded > 0) return refunded >= total.amountMinor ? 'refunded' : 'partially_refunded';
  const are = (status: string) => payments.some((paid) => paid.status === status);
  if (are('APPROVED')) return 'authorized';
  if (are('PENDING')) return 'pending';
  if (state === 'CANCELED' || are('CANCELED')) return 'voided';
  if (are('FAILED')) return 'failed';
  return state === 'COMPLETED' && total.amountMinor === 0 ? 'paid' : 'pending';
}

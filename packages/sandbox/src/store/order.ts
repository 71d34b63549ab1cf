export const ORDER_STATUSES = ['open', 'completed', 'cancelled'] as const;
export const PAYMENT_STATUSES = [
  'pending',
  'authorized',
  'paid',
  'partially_paid',
  'partially_refunded',
  'refunded',
  'voided',
  'failed',
] as const;
export type OrderStatus = (typeof ORDER_STATUSES)[number];
export type PaymentStatus = (typeof PAYMENT_STATUSES)[number];
export type FulfillmentStatus = 'unfulfilled' | 'partial' | 'fulfilled' | 'returned';

export interface Payment {
  readonly id: string;
  readonly gateway: 'sandpay' | 'bank_transfer';
  readonly method: string;
  /** Whether the gateway can send money back. */
  readonly online: boolean;
  readonly status: 'pending' | 'authorized' | 'captured' | 'voided' | 'failed';
  readonly amount: number;
  readonly captured: number;
  readonly created_at: string;
}

export interface RefundedLine {
  readonly id: string;
  readonly quantity: number;
}

/** A refund as created. Whether it is still pending depends on the time. Named as on the wire. */
export interface Refund {
  readonly id: string;
  readonly order_id: string;
  readonly payment_id: string;
  readonly amount: number;
  readonly currency: string;
  readonly offline: boolean;
  readonly line_items: readonly RefundedLine[];
  readonly shipping: number;
  readonly reason: string | null;
  readonly note: string | null;
  readonly reference: string | null;
  readonly restock: boolean;
  readonly customer_notified: boolean;
  readonly created_at: string;
  readonly settles_at: string;
  readonly outcome: 'succeeded' | 'failed';
}

type RefundStatus = 'pending' | 'succeeded' | 'failed';

export function statusOf(refund: Refund, now: Date): RefundStatus {
  return Date.parse(refund.settles_at) <= now.getTime() ? refund.outcome : 'pending';
}

export function presentRefund(refund: Refund, now: Date) {
  const { settles_at, outcome: _outcome, ...rest } = refund;
  const status = statusOf(refund, now);
  return {
    ...rest,
    status,
    money_moved: status === 'succeeded' && !refund.offline,
    settled_at: status === 'pending' ? null : settles_at,
  };
}

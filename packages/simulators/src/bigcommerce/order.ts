import type { Order } from './seeded-orders.js';

export interface RefundedItem {
  readonly item_type: string;
  readonly item_id: number;
  readonly quantity?: number;
  /** In minor units, as requested. */
  readonly asked: number | null;
  readonly reason: string;
}

export interface RefundPayment {
  readonly id: number;
  readonly provider: string;
  readonly minor: number;
  readonly offline: boolean;
  declined: string | null;
  transactionId: number | null;
}

export interface Refund {
  readonly id: number;
  readonly orderId: number;
  readonly created: Date;
  readonly reason: string;
  readonly minor: number;
  readonly taxMinor: number;
  readonly items: readonly RefundedItem[];
  readonly payments: readonly RefundPayment[];
  /** The number of reads since then. */
  reads: number;
}

export interface Transaction {
  readonly id: number;
  readonly event: 'purchase' | 'authorization' | 'refund';
  readonly gateway: string;
  readonly method: string;
  readonly minor: number;
  readonly status: 'ok' | 'error';
  readonly created: Date;
}

/** Providers whose payments the store never received. */
const OFFLINE = ['cod', 'bankdeposit', 'cheque', 'moneyorder', 'instore', 'custom'];
export const isOffline = (provider: string): boolean => OFFLINE.includes(provider);

export const linesOf = <Line>({
  consignments,
  downloads,
}: {
  readonly consignments: readonly { readonly lines: readonly Line[] }[];
  readonly downloads: readonly Line[];
}): readonly Line[] => [...consignments.flatMap(({ lines }) => lines), ...downloads];

/** The amount paid excluding store credit and gift certificates. */
const providerAmount = ({ total, storeCredit, giftCertificate }: Order): number =>
  total - storeCredit - giftCertificate;

const SETTLED = ['captured', 'paid', 'partially refunded', 'refunded'];
/** Statuses in which a merchant has confirmed an offline payment. */
const RECEIVED = [2, 3, 4, 8, 9, 10, 11, 14];

/** The received amount by kind of payment. */
export function capturedBySource(
  order: Order,
): Readonly<Record<'provider' | 'storecredit' | 'giftcertificate', number>> {
  const { statusId, paymentStatus, provider, storeCredit, giftCertificate } = order;
  const arrived = isOffline(provider) ? RECEIVED.includes(statusId) : SETTLED.includes(paymentStatus);
  const placed = statusId !== 0 && statusId !== 6;
  return {
    provider: arrived ? providerAmount(order) : 0,
    storecredit: placed ? storeCredit : 0,
    giftcertificate: placed ? giftCertificate : 0,
  };
}

/** Declined by its provider, or in a failed transaction. */
export const hasFailed = ({ transactions }: Order, { declined, transactionId }: RefundPayment): boolean =>
  declined !== null || transactions.some(({ id, status }) => id === transactionId && status === 'error');

/** The amount that has been refunded or is being refunded. */
export const refundedMinor = (order: Order, fits: (payment: RefundPayment) => boolean = () => true): number =>
  order.refunds
    .flatMap(({ payments }) => payments)
    .filter((payment) => !hasFailed(order, payment) && fits(payment))
    .reduce((sum, { minor }) => sum + minor, 0);

export const capturedMinor = (order: Order): number =>
  Object.values(capturedBySource(order)).reduce((sum, minor) => sum + minor, 0);

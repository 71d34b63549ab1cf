export interface OrderLine {
  readonly id: number;
  readonly name: string;
  readonly sku: string;
  readonly quantity: number;
  /** For all its units, after discounts, in minor units. */
  readonly exTax: number;
  readonly incTax: number;
  /** The cost of all its units before discounts, with tax. */
  readonly listed: number;
}

export interface Consignment {
  readonly id: number;
  readonly method: string;
  readonly exTax: number;
  readonly incTax: number;
  readonly handlingExTax: number;
  readonly handlingIncTax: number;
  readonly lines: readonly OrderLine[];
}

interface OrderFee {
  readonly id: number;
  readonly name: string;
  readonly exTax: number;
  readonly incTax: number;
}

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

/** An order in the store's internal model; amounts in the smallest unit of the shopper's currency. */
export interface Order {
  readonly id: number;
  readonly customerId: number;
  readonly name: string;
  readonly email: string;
  readonly currency: string;
  statusId: number;
  paymentStatus: string;
  readonly paymentMethod: string;
  /** Providers through which the store can send money back; offline ones cannot. */
  readonly provider: string;
  readonly taxPercent: number;
  readonly taxInclusive: boolean;
  readonly consignments: readonly Consignment[];
  readonly downloads: readonly OrderLine[];
  readonly fees: readonly OrderFee[];
  readonly discount: number;
  readonly totalExTax: number;
  readonly total: number;
  readonly storeCredit: number;
  readonly giftCertificate: number;
  readonly itemsShipped: number;
  readonly note: string;
  readonly created: Date;
  modified: Date;
  readonly transactions: Transaction[];
  readonly refunds: Refund[];
}

/** Providers whose payments the store never received. */
const OFFLINE = ['cod', 'bankdeposit', 'cheque', 'moneyorder', 'instore', 'custom'];
export const isOffline = (provider: string): boolean => OFFLINE.includes(provider);

export const linesOf = ({
  consignments,
  downloads,
}: Pick<Order, 'consignments' | 'downloads'>): readonly OrderLine[] => [
  ...consignments.flatMap(({ lines }) => lines),
  ...downloads,
];

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

import type { Order } from './seeded-orders.js';
import { fieldsOf } from '../wire/exchange.js';
import { toMinor } from './amounts.js';
import { capturedMinor, refundedMinor, type Refund, type RefundPayment } from './order.js';
import { quoteRefund, type PaymentOption } from './quote.js';

interface RefundRules {
  readonly now: () => Date;
  /** The number of reads after which a refund's payment settles automatically; omitted: never. */
  readonly settleAfterReads: number | undefined;
  /** Whether a refund shows its first item's reason next to the items, as in the documentation's example. */
  readonly keepsReason: boolean;
  /** Whether an order's status is restored after its refund failed. */
  readonly takesStatusBack: boolean;
  /** Whether the gateway records transactions; not all gateways do. */
  readonly leavesTransactions: boolean;
}

/** `RefundRequest_Post` of the API description, plus the fields of its examples. */
const REQUEST_FIELDS = ['items', 'merchant_calculated_override', 'order_id', 'tax_adjustment_amount'];

/** The quote of a valid request with its payments. A rejection is an error text. */
function acceptedRefund(order: Order, asked: unknown) {
  const quote = quoteRefund(order, asked);
  if (typeof quote === 'string') return quote;
  const { payments, ...others } = fieldsOf(asked);
  const unknown = Object.keys(others).find((field) => !REQUEST_FIELDS.includes(field));
  if (unknown !== undefined) return `${unknown}: error.unexpected`;
  if (!Array.isArray(payments) || payments.length === 0) return 'payments: error.path.missing';
  const wanted = payments.map(fieldsOf);
  if (order.customerId === 0 && wanted.some(({ provider_id: name }) => name === 'storecredit')) {
    return 'Unable to provide store credit for a guest customer.';
  }
  const method = quote.methods.find((options) => matchesOptions(order, options, wanted));
  return method ? { quote, method } : 'The requested refund had invalid split payment.';
}

const isScheduled = ({ offline, declined, transactionId }: RefundPayment) =>
  !offline && declined === null && transactionId === null;
const scheduled = (refund: Refund) => refund.payments.filter(isScheduled);

/** What gateways make of refunds, and the status of an order that follows from it. */
function refundSettlement(orders: readonly Order[], rules: RefundRules, nextId: () => number) {
  const { now, takesStatusBack, leavesTransactions } = rules;
  const untouched = new Map(
    orders.map((order) => [order, { statusId: order.statusId, paymentStatus: order.paymentStatus }]),
  );
  const orderOf = (refund: Refund) => orders.find(({ id }) => id === refund.orderId);

  /** The order status changes as soon as the refund exists. */
  function mark(order: Order): void {
    order.modified = now();
    const refunded = refundedMinor(order);
    if (refunded === 0) return void Object.assign(order, untouched.get(order));
    const whole = refunded >= capturedMinor(order);
    order.statusId = whole ? 4 : 14;
    if (order.paymentStatus !== '') order.paymentStatus = whole ? 'refunded' : 'partially refunded';
  }

  function unmark(refund: Refund): void {
    const order = orderOf(refund);
    if (order && takesStatusBack) mark(order);
  }

  function settle(refund: Refund, status: 'ok' | 'error' = 'ok'): void {
    if (!leavesTransactions) return;
    for (const payment of scheduled(refund)) {
      payment.transactionId = nextId();
      orderOf(refund)?.transactions.push({
        id: payment.transactionId,
        event: 'refund',
        gateway: payment.provider,
        method: 'credit_card',
        // Store credit is internal and involves no gateway.
        minor: payment.minor,
        status: isCredit(payment) ? 'ok' : status,
        created: now(),
      });
    }
  }

  return {
    mark,
    settle,
    fail: (refund: Refund): void => {
      settle(refund, 'error');
      unmark(refund);
    },
    decline: (refund: Refund, words: string): void => {
      for (const payment of scheduled(refund)) if (!isCredit(payment)) payment.declined = words;
      settle(refund);
      unmark(refund);
    },
  };
}

/** The refunds of a store. A rejection is an error text. */
export function refundStore(orders: readonly Order[], rules: RefundRules) {
  let made = 0;
  let ids = 900_000;
  const { mark, settle, fail, decline } = refundSettlement(orders, rules, () => ++ids);
  const pending = () =>
    orders.flatMap(({ refunds }) => refunds).filter((refund) => scheduled(refund).length > 0);

  return {
    create(order: Order, asked: unknown): Refund | string {
      const accepted = acceptedRefund(order, asked);
      if (typeof accepted === 'string') return accepted;
      const { quote, method } = accepted;
      const refund: Refund = {
        id: ++ids,
        orderId: order.id,
        created: rules.now(),
        minor: quote.minor,
        taxMinor: quote.taxMinor,
        reads: 0,
        reason: rules.keepsReason ? (quote.items[0]?.reason ?? '') : '',
        items: quote.items,
        payments: method.map(({ provider, minor, offline }) => ({
          id: ++ids,
          provider,
          minor,
          offline,
          declined: null,
          transactionId: null,
        })),
      };
      made++;
      order.refunds.push(refund);
      mark(order);
      return refund;
    },
    /** The number of refunds made by request. */
    createdCount: () => made,
    settleAll: () => pending().forEach((refund) => settle(refund)),
    failAll: () => pending().forEach(fail),
    declineAll: (words = 'Insufficient funds in merchant account') =>
      pending().forEach((refund) => decline(refund, words)),
    /** The refunds of some orders, or all, oldest first. */
    read(orderIds: readonly number[] | null): readonly { refund: Refund; currency: string }[] {
      const found = orders
        .filter(({ id }) => orderIds === null || orderIds.includes(id))
        .flatMap(({ refunds, currency }) => refunds.map((refund) => ({ refund, currency })))
        .sort((one, other) => one.refund.id - other.refund.id);
      for (const { refund } of found) if (++refund.reads === rules.settleAfterReads) settle(refund);
      return found;
    },
  };
}

const isCredit = ({ provider }: RefundPayment): boolean =>
  provider === 'storecredit' || provider === 'giftcertificate';

/** "The amount given in the array must match the amount used in the refund request." */
function matchesOptions(
  order: Order,
  options: readonly PaymentOption[],
  wanted: readonly Readonly<Record<string, unknown>>[],
): boolean {
  return (
    options.length === wanted.length &&
    options.every(({ provider, minor, offline }) =>
      wanted.some(
        (one) =>
          one['provider_id'] === provider &&
          toMinor(one['amount'], order.currency) === minor &&
          // Every online refund may be recorded as offline instead.
          (one['offline'] === true || one['offline'] === offline),
      ),
    )
  );
}

import { okResponse, fieldsOf, textOf, type WireResponse } from '../wire/exchange.js';
import { badRequest, isErrorResponse, missingField, squareError } from './errors.js';
import type { MerchantData, Money, Payment } from './model.js';

const KEY_MAX = 45;
const REASON_MAX = 192;
const SETTLED_IMMEDIATELY: readonly string[] = ['CASH', 'EXTERNAL'];

type RefundStatus = 'PENDING' | 'COMPLETED' | 'REJECTED' | 'FAILED';

interface RefundStoreOptions {
  readonly settlesAfterReads?: number | null;
  readonly strictKeys?: boolean;
}

const tooLong = (field: string, max: number) =>
  badRequest('VALUE_TOO_LONG', field, `Field must not be greater than ${max} in length.`);

function readRequest(body: unknown) {
  const fields = fieldsOf(body);
  const key = textOf(fields['idempotency_key']);
  if (key === '') return missingField('idempotency_key');
  if (key.length > KEY_MAX) return tooLong('idempotency_key', KEY_MAX);
  const money = readMoney(fields['amount_money']);
  if (isErrorResponse(money)) return money;
  const reason = textOf(fields['reason']);
  if (reason.length > REASON_MAX) return tooLong('reason', REASON_MAX);
  const paymentId = textOf(fields['payment_id']);
  if (paymentId === '') return missingField('payment_id');
  return { fields, key, money, reason, paymentId };
}

/** Why the payment cannot be refunded with this amount; null: it can. */
function refusalOf(payment: Payment, money: Money, version: unknown, completed: number): WireResponse | null {
  const problems: readonly (readonly [isSo: boolean, code: string, field?: string])[] = [
    [version !== undefined && version !== payment.version_token, 'VERSION_MISMATCH', 'payment_version_token'],
    [payment.status === 'APPROVED', 'REFUND_ERROR_PAYMENT_NEEDS_COMPLETION'],
    [payment.status !== 'COMPLETED', 'PAYMENT_NOT_REFUNDABLE'],
    [payment.card_details?.refund_requires_card_presence === true, 'CARD_PRESENCE_REQUIRED'],
    [money.currency !== payment.total_money.currency, 'CURRENCY_MISMATCH', 'amount_money.currency'],
    // As published: only completed refunds count against the payment.
    [money.amount > payment.total_money.amount - completed, 'REFUND_AMOUNT_INVALID', 'amount_money.amount'],
  ];
  const [, code, field] = problems.find(([isSo]) => isSo) ?? [];
  return code === undefined ? null : badRequest(code, field);
}

const completedOf = ({ refunds }: MerchantData, refundIds: readonly string[] = []): number =>
  refundIds
    .flatMap((id) => refunds.get(id) ?? [])
    .reduce((sum, { status, amount_money: money }) => sum + (status === 'COMPLETED' ? money.amount : 0), 0);

const buildRefund = (payment: Payment, money: Money, reason: string, number: number, at: string) => ({
  id: `${payment.id}_R${number}`,
  payment_id: payment.id,
  order_id: `RETURN${number}`,
  location_id: payment.location_id,
  status: (SETTLED_IMMEDIATELY.includes(payment.source_type) ? 'COMPLETED' : 'PENDING') as RefundStatus,
  destination_type: payment.source_type,
  amount_money: money,
  ...(reason !== '' && { reason }),
  created_at: at,
  updated_at: at,
});
export type Refund = ReturnType<typeof buildRefund>;

/** A merchant's refunds, and their effect on its payments and orders. */
function refundBook(books: MerchantData, now: () => Date) {
  let versions = 0;

  function count(payment: Payment, refundIds = payment.refund_ids ?? []): void {
    books.past.set(payment.id, [...(books.past.get(payment.id) ?? []), structuredClone(payment)]);
    payment.refund_ids = [...refundIds];
    payment.refunded_money = {
      amount: completedOf(books, refundIds),
      currency: payment.total_money.currency,
    };
    payment.updated_at = now().toISOString();
    payment.version_token = `${payment.id}v${++versions}`;
  }

  return {
    make: (payment: Payment, money: Money, reason: string): Refund => {
      const refund = buildRefund(payment, money, reason, books.refunds.size + 1, now().toISOString());
      books.refunds.set(refund.id, refund);
      books.orders.push(returnOrder(refund, payment));
      count(payment, [...(payment.refund_ids ?? []), refund.id]);
      return refund;
    },
    conclude: (refund: Refund, status: 'COMPLETED' | 'REJECTED' | 'FAILED'): void => {
      if (refund.status !== 'PENDING') return;
      refund.status = status;
      refund.updated_at = now().toISOString();
      const payment = books.payments.get(refund.payment_id);
      if (payment) count(payment);
    },
  };
}

/** All refunds of a merchant, by any creator. */
export function refundStore(
  books: MerchantData,
  now: () => Date,
  { settlesAfterReads = null, strictKeys = false }: RefundStoreOptions,
) {
  const { make, conclude } = refundBook(books, now);
  const keys = new Map<string, { readonly sent: string; readonly refund: Refund }>();
  const reads = new Map<string, number>();
  let moneyMoves = true;

  /** `RefundPayment`. */
  function create(body: unknown): WireResponse {
    const request = readRequest(body);
    if (isErrorResponse(request)) return request;
    const { fields, key, money, reason, paymentId } = request;
    const sent = JSON.stringify(strictKeys ? fields : [paymentId, money]);
    const before = keys.get(key);
    if (before?.sent === sent) return okResponse({ refund: before.refund });
    if (before) return badRequest('IDEMPOTENCY_KEY_REUSED', 'idempotency_key');
    const payment = books.payments.get(paymentId);
    if (!payment) return squareError(404, 'NOT_FOUND', `Could not find payment with id: ${paymentId}`);
    const completed = completedOf(books, payment.refund_ids);
    const refused = refusalOf(payment, money, fields['payment_version_token'], completed);
    if (refused) return refused;
    if (!moneyMoves) return badRequest('REFUND_DECLINED');
    const refund = make(payment, money, reason);
    keys.set(key, { sent, refund });
    return okResponse({ refund });
  }
  const concludeAll = (status: 'COMPLETED' | 'REJECTED' | 'FAILED') => () =>
    books.refunds.forEach((refund) => conclude(refund, status));

  return {
    create,
    read(id: string): WireResponse {
      const refund = books.refunds.get(id);
      if (!refund) return squareError(404, 'NOT_FOUND', `Could not find refund with id: ${id}`);
      const times = (reads.get(id) ?? 0) + 1;
      reads.set(id, times);
      if (settlesAfterReads !== null && times > settlesAfterReads) conclude(refund, 'COMPLETED');
      return okResponse({ refund });
    },
    /** The number of refunds ever made, including the store's own. */
    createdCount: () => books.refunds.size,
    all: (): readonly Refund[] => [...books.refunds.values()],
    /** Refunds part of a payment at the counter, or changes it in another way. */
    makeInStore(paymentId: string, amount: number): Refund {
      const payment = books.payments.get(paymentId);
      if (!payment) throw new Error(`there is no payment ${paymentId}`);
      const refund = make(payment, { amount, currency: payment.total_money.currency }, 'Returned goods');
      conclude(refund, 'COMPLETED');
      return refund;
    },
    /** Pending refunds complete, or fail. */
    settle: concludeAll('COMPLETED'),
    reject: concludeAll('REJECTED'),
    fail: concludeAll('FAILED'),
    /** Whether card issuers accept or decline refunds from now on. */
    takeRefunds: (accepted: boolean) => void (moneyMoves = accepted),
  };
}

function readMoney(value: unknown): Money | WireResponse {
  if (value === undefined) return missingField('amount_money');
  const { amount, currency } = fieldsOf(value);
  if (amount === undefined) return missingField('amount_money.amount');
  if (typeof amount !== 'number' || !Number.isInteger(amount)) {
    return badRequest('EXPECTED_INTEGER', 'amount_money.amount');
  }
  if (amount < 1) return badRequest('VALUE_TOO_LOW', 'amount_money.amount');
  return textOf(currency) === ''
    ? missingField('amount_money.currency')
    : { amount, currency: textOf(currency) };
}

/** A refund appears in the order list as an order of its own, with returns and without line items. */
function returnOrder(refund: Refund, payment: Payment) {
  const nothing = { amount: 0, currency: refund.amount_money.currency };
  const { created_at: at } = refund;
  return {
    id: refund.order_id,
    location_id: refund.location_id,
    state: 'COMPLETED' as const,
    returns: [
      {
        uid: `${refund.order_id}u`,
        source_order_id: payment.order_id,
        return_line_items: [
          {
            uid: `${refund.order_id}l`,
            quantity: '1',
            item_type: 'CUSTOM_AMOUNT',
            total_money: refund.amount_money,
          },
        ],
      },
    ],
    refunds: [
      {
        id: refund.id,
        location_id: refund.location_id,
        created_at: at,
        reason: refund.reason ?? '',
        amount_money: refund.amount_money,
        status: 'APPROVED',
      },
    ],
    total_money: nothing,
    total_tax_money: nothing,
    total_discount_money: nothing,
    total_service_charge_money: nothing,
    created_at: at,
    updated_at: at,
    closed_at: at,
  };
}

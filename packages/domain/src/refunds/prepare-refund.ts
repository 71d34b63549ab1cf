import type { Call } from '../call.js';
import type { Connection } from '../connections/connection.js';
import { refuse } from '../failure.js';
import { type Money, formatAmount, money } from '../money.js';
import type { RemoteOrder } from '../orders/order.js';
import { readOrder, type ReadOrderPorts } from '../orders/read-order.js';
import type { Ports } from '../ports/index.js';
import { ok, type Result } from '../result.js';
import { nextCall, type NextCall } from '../next-call.js';
import { formatOrderId } from '../orders/order-id.js';
import { describeConsequences } from './describe-consequences.js';
import { describeRefundedItems } from './describe-refunded-items.js';
import type { RefundFields } from './extent.js';
import { orderDigest } from './order-digest.js';
import { findOrderAccount, settledAccount, applyOrderAccount } from './order-account.js';
import { planRefundOfOrder, type PlanRefundFailure } from './plan-refund-of-order.js';
import { orderIdOf } from './refund-record.js';
import type { Quote, RefundExtent, RefundPayment } from './refund.js';

/** A refund that was validated against the live order and is ready to be reserved. */
export interface PreparedRefund {
  readonly connection: Connection;
  /** As the store returns it. */
  readonly order: RemoteOrder;
  readonly amount: Money;
  readonly extent: RefundExtent;
  readonly payments: readonly RefundPayment[];
  readonly reason: string | null;
  readonly note: string | null;
  readonly notifyCustomer: boolean | null;
  readonly allowDuplicate: boolean;
  readonly quote: Quote | null;
  /** What the refund covers, for the person who confirms it; empty without a quote. */
  readonly items: readonly string[];
  /** The consequences that a person confirmed; empty without a quote. */
  readonly consequences: readonly string[];
}

type PrepareRefundPorts = ReadOrderPorts & Pick<Ports, 'refunds' | 'tokens'>;
export type PrepareFailure = PlanRefundFailure | 'quote.expired' | 'quote.changed';

/** From the fields of a request. */
export async function prepareFromFields(
  ports: PrepareRefundPorts,
  call: Call,
  orderId: string,
  { allowDuplicate = false, ...fields }: RefundFields & { readonly allowDuplicate?: boolean | undefined },
): Promise<Result<PreparedRefund, PrepareFailure>> {
  const planned = await planRefundOfOrder(ports, call, orderId, fields);
  if (!planned.ok) return planned;
  const { reading, plan } = planned.value;
  return ok({
    connection: reading.connection,
    order: reading.order,
    amount: plan.amount,
    extent: plan.extent,
    payments: plan.payments,
    reason: fields.reason ?? null,
    note: fields.note ?? null,
    notifyCustomer: fields.notifyCustomer ?? null,
    allowDuplicate,
    quote: null,
    items: [],
    consequences: [],
  });
}

/** From a quote: exactly its content, if the order is unchanged. */
export async function prepareFromQuote(
  ports: PrepareRefundPorts,
  call: Call,
  quote: Quote,
): Promise<Result<PreparedRefund, PrepareFailure>> {
  if (quote.expiresAt <= ports.clock.now())
    return refuse('quote.expired', 'The quote is older than 30 minutes. Create a new one.', {
      next: requoteCall(quote),
    });
  const reading = await readOrder(ports, call, orderIdOf(quote));
  if (!reading.ok) return reading;
  const { connection, order, platform } = reading.value;
  const settled = settledAccount(await findOrderAccount(ports, reading.value));
  const known = applyOrderAccount(order, settled);
  if (orderDigest(ports.tokens, known) !== quote.orderDigest) {
    return refuse('quote.changed', 'The order’s money has changed since it was quoted. Create a new quote.', {
      next: requoteCall(quote),
    });
  }
  const { amount, extent, payments, reason, note, notifyCustomer } = quote;
  return ok({
    connection,
    order,
    amount,
    extent,
    payments,
    reason,
    note,
    notifyCustomer,
    allowDuplicate: true,
    quote,
    items: describeRefundedItems(known, quote),
    consequences: describeConsequences(platform.manifest, quote),
  });
}

/** The call that requests the same quote again. */
function requoteCall(quote: Quote): NextCall {
  const { connectionId, orderExternalId: externalId, extent, amount, ...fields } = quote;
  const lines = extent.lines.map(({ id, quantity, restock, locationId }) => ({
    id,
    quantity,
    ...(restock && { restock }),
    ...(locationId !== null && { location_id: locationId }),
  }));
  const asText = (amountMinor: number) => formatAmount(money(amountMinor, amount.currency));
  const how = {
    payment_id: fields.paymentId ?? undefined,
    reason: fields.reason ?? undefined,
    note: fields.note ?? undefined,
    notify_customer: fields.notifyCustomer ?? undefined,
    allow_offline: fields.allowOffline || undefined,
  };
  const what = {
    full: { full: true },
    amount: {
      amount: asText(amount.amountMinor),
      ...(lines.length > 0 && { line_items: lines, lines_are: 'restock_only' }),
    },
    lines: {
      ...(lines.length > 0 && { line_items: lines }),
      ...(extent.shippingMinor > 0 && { shipping: asText(extent.shippingMinor) }),
    },
  }[extent.kind];
  return nextCall.quoteRefund(formatOrderId({ connectionId, externalId }), { ...what, ...how });
}

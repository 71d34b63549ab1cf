import type { ApiKey } from '../access/api-key.js';
import { getRemainingCeilings, type CeilingRemaining } from '../access/refund-ceiling.js';
import { keyOf, type Call } from '../call.js';
import type { Money } from '../money.js';
import { describePauseScope } from '../pauses/describe-pause-scope.js';
import type { Ports } from '../ports/index.js';
import { ok, type Result } from '../result.js';
import { describeConsequences } from './describe-consequences.js';
import type { RefundFields } from './extent.js';
import { orderDigest } from './order-digest.js';
import { planRefundOfOrder, type PlanRefundFailure } from './plan-refund-of-order.js';
import type { Quote } from './refund.js';
import type { RefundBreakdown } from './plan-refund.js';

export interface QuoteRefundCommand extends RefundFields {
  readonly orderId: string;
}

export interface QuotedRefund {
  readonly quote: Quote;
  readonly orderId: string;
  readonly breakdown: RefundBreakdown;
  readonly restock: boolean;
  readonly customerNotified: 'yes' | 'no' | 'store_decides';
  readonly ceilingRemaining: readonly CeilingRemaining[] | null;
  /** The consequences, in sentences of this service. */
  readonly consequences: readonly string[];
}

const VALIDITY_MS = 30 * 60_000;

/** The first consequence of a quote that its key cannot use: a quote is valid for its own key only. */
export const NOT_WITH_THIS_KEY =
  'This key lacks the permission or ceiling for this refund. Quote it again with a key that may refund that much.';

/**
 * Returns the exact effect of a refund without executing it. Valid for 30 minutes, once, for this key and
 * this state of the order.
 */
export async function quoteRefund(
  ports: Pick<
    Ports,
    | 'apiKeys'
    | 'clock'
    | 'connections'
    | 'ids'
    | 'pauses'
    | 'platforms'
    | 'refunds'
    | 'sessions'
    | 'tokens'
    | 'transactions'
  >,
  call: Call,
  { orderId, ...fields }: QuoteRefundCommand,
): Promise<Result<QuotedRefund, PlanRefundFailure>> {
  const planned = await planRefundOfOrder(ports, call, orderId, fields);
  if (!planned.ok) return planned;
  const { reading, order, plan } = planned.value;
  const now = ports.clock.now();
  const quote: Quote = {
    id: ports.ids.next('quo'),
    workspaceId: call.workspaceId,
    connectionId: reading.connection.id,
    orderExternalId: reading.order.externalId,
    keyLineage: keyOf(call).lineage,
    extent: plan.extent,
    amount: plan.amount,
    payments: plan.payments,
    paymentId: fields.paymentId ?? null,
    reason: fields.reason ?? null,
    note: fields.note ?? null,
    notifyCustomer: fields.notifyCustomer ?? null,
    allowOffline: fields.allowOffline ?? false,
    orderDigest: orderDigest(ports.tokens, order),
    refundableAfter: plan.refundableAfter,
    expiresAt: new Date(now.getTime() + VALIDITY_MS),
    usedBy: null,
    createdAt: now,
  };
  await ports.transactions.run<undefined, never>(async (tx) => {
    await tx.refunds.insertQuote(quote);
    return ok();
  });
  const key = keyOf(call);
  const holds = await ports.pauses.listHolds([quote.connectionId]);
  const heldBy = holds.get(quote.connectionId);
  const ceilingRemaining = await getRemainingCeilings(ports, call.workspaceId, key);
  return ok({
    quote,
    orderId,
    breakdown: plan.breakdown,
    restock: plan.extent.lines.some(({ restock }) => restock),
    customerNotified: quote.notifyCustomer === null ? 'store_decides' : quote.notifyCustomer ? 'yes' : 'no',
    ceilingRemaining,
    consequences: [
      ...(mayRefund(key, ceilingRemaining, quote.amount) ? [] : [NOT_WITH_THIS_KEY]),
      ...(heldBy
        ? [
            `Refunding is paused for ${describePauseScope(heldBy)}: the refund is held, with its money reserved, and made when that is resumed.`,
          ]
        : []),
      ...describeConsequences(reading.platform.manifest, quote),
    ],
  });
}

function mayRefund(key: ApiKey, ceiling: readonly CeilingRemaining[] | null, amount: Money): boolean {
  if (!key.scopes.includes('refunds:write')) return false;
  if (ceiling === null) return true;
  const left = ceiling.find(({ currency }) => currency === amount.currency);
  return left !== undefined && amount.amountMinor <= Math.min(left.perRefundMinor, left.perDayLeftMinor);
}

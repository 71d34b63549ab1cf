import { chargedLineages } from '../access/api-key.js';
import { toApprovalState } from '../approvals/approval.js';
import { findRefundRequirement, requestRefundApproval } from '../approvals/refund-approval.js';
import { getRemainingCeilings, type CeilingRemaining } from '../access/refund-ceiling.js';
import { keyOf, type Call } from '../call.js';
import { refuse } from '../failure.js';
import { nextCall } from '../next-call.js';
import { formatAmount, money, type Money } from '../money.js';
import { safeOrderNumber } from '../orders/safe-order-number.js';
import type { Tools, Tx } from '../ports/index.js';
import type { LedgerEntry } from '../ports/refunds.js';
import { ok, type Result } from '../result.js';
import type { RemoteOrder } from '../orders/order.js';
import { findEarlierRefund } from './find-earlier-refund.js';
import { applyOrderAccount } from './order-account.js';
import type { PreparedRefund } from './prepare-refund.js';
import { exceedsRefundable } from './plan-refund.js';
import { findVisibleRefund, refuseInFlight } from './refuse-in-flight.js';
import type { Quote, Refund } from './refund.js';
import { appendRefundEvent, ledgerKeyOf, newRefund, orderIdOf } from './refund-record.js';
import { withNextStep, quoteUpTo } from './with-next-step.js';

const DUPLICATE_WINDOW_MS = 10 * 60_000;

export type ReserveFailure =
  | 'quote.not_found'
  | 'idempotency.key_reused'
  | 'key.refund_ceiling_exceeded'
  | 'refund.currency_mismatch'
  | 'refund.exceeds_refundable'
  | 'refund.in_doubt'
  | 'refund.in_progress'
  | 'refund.not_confirmed'
  | 'refund.possible_duplicate';

/** The reserved refund, or the one that the same request or quote reserved earlier. */
interface ReservedRefund {
  readonly refund: Refund;
  readonly isNew: boolean;
}

/**
 * Reserves the amount and stores the refund, in one transaction, before anything is sent. Refunds that count
 * against one ceiling are serialized, so that it holds, and so are refunds of one order, so that never more
 * than the captured amount is reserved. A refund that needs a person's approval is reserved as well, and waits for it.
 */
export async function reserveRefund(
  tx: Tx,
  tools: Pick<Tools, 'clock' | 'ids' | 'manifests' | 'tokens'>,
  call: Call,
  prepared: PreparedRefund,
  sendAfter: Date,
): Promise<Result<ReservedRefund, ReserveFailure>> {
  const { amount, connection, quote } = prepared;
  const key = keyOf(call);
  await tx.ledger.lockLineages(chargedLineages(key));
  const earlier = await findEarlierRefund(tx.refunds, call, quote?.id, undefined);
  if (!earlier.ok) return earlier;
  if (earlier.value.refund) return ok({ refund: earlier.value.refund, isNew: false });

  const requested = newRefund(tools, call, prepared);
  const order = ledgerKeyOf(requested);
  const entry = await tx.ledger.lock(order, amount.currency);
  const requirement = await findRefundRequirement(tx, call, order, amount);
  const refund: Refund = requirement ? { ...requested, status: 'awaiting_approval' } : requested;
  const free = await refuseInFlight(tx, call, orderIdOf(refund), entry.inFlight);
  if (!free.ok) return free;
  if (!call.idempotency && !prepared.allowDuplicate) {
    const duplicate = await tx.refunds.findRecentDuplicate(
      order,
      amount.amountMinor,
      new Date(refund.createdAt.getTime() - DUPLICATE_WINDOW_MS),
    );
    if (duplicate) {
      const visible = await findVisibleRefund(tx, call, await tx.refunds.find(refund.workspaceId, duplicate));
      return refuseDuplicate(visible?.id ?? null, orderIdOf(refund));
    }
  }
  const orderId = orderIdOf(refund);
  const request = { orderId, platform: refund.platform, byAmount: true };
  const [account] = await tx.refunds.listAccounts(refund.workspaceId, [order]);
  const known = applyOrderAccount(prepared.order, account && { ...account, entry });
  const next = withNextStep(reserveAmount(entry, known, refund), request);
  if (!next.ok) return next;
  const within = checkCeiling(
    await getRemainingCeilings(
      { apiKeys: tx.apiKeys, refunds: tx.refunds, clock: tools.clock },
      call.workspaceId,
      key,
    ),
    amount,
    orderId,
  );
  if (!within.ok) return within;
  if (quote && call.confirmed === false) return notConfirmed(prepared, quote, orderId);

  await tx.refunds.insert(refund, call.idempotency);
  await tx.ledger.charge(refund, chargedLineages(key));
  await tx.ledger.save(order, next.value);
  if (quote && !(await tx.refunds.useQuote(quote.id, refund.id)))
    throw new Error('a quote was used despite its lock');
  await appendRefundEvent(tx, 'refund.created', refund, connection.profileId);
  if (requirement) {
    const about = { refund, order: known, connection };
    const approval = await requestRefundApproval(tx, tools, call, about, requirement);
    return ok({ refund: { ...refund, approval: toApprovalState(approval) }, isNew: true });
  }
  await tx.jobs.enqueue(
    { name: 'settle_refund', workspaceId: refund.workspaceId, refundId: refund.id },
    { startAfter: sendAfter },
  );
  const holds = await tx.pauses.listHolds([refund.connectionId]);
  return ok({ refund: { ...refund, heldBy: holds.get(refund.connectionId) ?? null }, isNew: true });
}

/** The account after the reservation, of an order that was corrected by the account. */
function reserveAmount(
  entry: LedgerEntry,
  order: RemoteOrder,
  { id, amount }: Refund,
): Result<LedgerEntry, 'refund.exceeds_refundable' | 'refund.currency_mismatch'> {
  const { captured, refunded, refundable } = order.totals;
  if (entry.currency !== amount.currency)
    return refuse('refund.currency_mismatch', `The currency of this order is ${entry.currency}.`);
  const refundedMinor = refunded.amountMinor;
  const left = Math.min(refundable.amountMinor, captured.amountMinor - refundedMinor - entry.reservedMinor);
  if (amount.amountMinor > left) return exceedsRefundable(money(Math.max(0, left), amount.currency));
  const reservedMinor = entry.reservedMinor + amount.amountMinor;
  return ok({
    ...entry,
    capturedMinor: captured.amountMinor,
    refundedMinor,
    reservedMinor,
    inFlight: id,
  });
}

/** All other checks have passed: only the user's confirmation is missing. Nothing has been written. */
const notConfirmed = (
  { amount, order, items, consequences }: PreparedRefund,
  quote: Quote,
  orderId: string,
) =>
  refuse('refund.not_confirmed', 'The user of this client must confirm the refund first.', {
    details: {
      orderId,
      orderNumber: safeOrderNumber(order.number),
      amount: { amount: formatAmount(amount), currency: amount.currency },
      expiresAt: quote.expiresAt,
      items,
      consequences,
    },
  });

const refuseDuplicate = (id: string | null, orderId: string) =>
  refuse(
    'refund.possible_duplicate',
    'The same amount of this order was refunded within the last ten minutes. If that is intended, send `allow_duplicate: true` or an idempotency key.',
    id === null
      ? {}
      : { details: { id }, next: nextCall.getRefund(id), fallback: nextCall.listRefunds(orderId) },
  );

/**
 * Whether a key may refund this amount, given the remainder of its ceiling. A currency without an entry is
 * rejected.
 */
function checkCeiling(
  remaining: readonly CeilingRemaining[] | null,
  amount: Money,
  orderId: string,
): Result<undefined, 'key.refund_ceiling_exceeded'> {
  if (remaining === null) return ok();
  const entry = remaining.find(({ currency }) => currency === amount.currency);
  if (entry && amount.amountMinor <= entry.perRefundMinor && amount.amountMinor <= entry.perDayLeftMinor)
    return ok();
  const message = entry
    ? 'The refund exceeds what this key may refund in one refund or in total today (UTC).'
    : `This key may not refund in ${amount.currency}.`;
  return refuse('key.refund_ceiling_exceeded', message, {
    whoCanFix: 'operator',
    details: { ceilingRemaining: remaining.map(toDetails) },
    next: entry
      ? quoteUpTo(orderId, money(Math.min(entry.perRefundMinor, entry.perDayLeftMinor), amount.currency))
      : nextCall.getMe(),
  });
}

const toDetails = ({ currency, perRefundMinor, perDayLeftMinor }: CeilingRemaining) => ({
  currency,
  per_refund: formatAmount(money(perRefundMinor, currency)),
  per_day_left: formatAmount(money(perDayLeftMinor, currency)),
});

import { remainingOfCeiling } from '../access/refund-ceiling.js';
import { keyOf, type Call } from '../call.js';
import { refuse } from '../failure.js';
import { nextCall } from '../next-call.js';
import { formatAmount, money } from '../money.js';
import { plainNumber } from '../orders/plain-number.js';
import type { Tools, Tx } from '../ports/index.js';
import type { LedgerEntry } from '../ports/refunds.js';
import { ok, type Result } from '../result.js';
import { checkCeiling } from './ceiling.js';
import { findEarlierRefund } from './find-earlier-refund.js';
import type { PreparedRefund } from './prepare-refund.js';
import { exceeds } from './refundable.js';
import type { Quote, Refund } from './refund.js';
import { appendRefundEvent, ledgerKeyOf, newRefund, orderIdOf } from './refund-record.js';
import { withWayOn } from './way-on.js';

const TWIN_MS = 10 * 60_000;
const ASK_AGAIN_SECONDS = 5;

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

/**
 * Sets the money aside and writes the refund down, in one transaction, before anything is sent. Refunds of one key take turns, so
 * that its ceiling holds, and refunds of one order do, so that no more than what was captured is ever set aside.
 */
export async function reserveRefund(
  tx: Tx,
  tools: Pick<Tools, 'clock' | 'ids'>,
  call: Call,
  prepared: PreparedRefund,
  sendAfter: Date,
): Promise<Result<Refund, ReserveFailure>> {
  const { amount, connection, quote } = prepared;
  const key = keyOf(call);
  await tx.ledger.lockLineage(key.lineage);
  const earlier = await findEarlierRefund(tx.refunds, call, quote?.id);
  if (!earlier.ok) return earlier;
  if (earlier.value.refund) return ok(earlier.value.refund);

  const refund = newRefund(tools, call, prepared);
  const order = ledgerKeyOf(refund);
  const entry = await tx.ledger.lock(order, amount.currency);
  const free = await checkInFlight(tx, refund, entry);
  if (!free.ok) return free;
  if (!call.idempotency && !prepared.allowDuplicate) {
    const twin = await tx.refunds.findRecentTwin(
      order,
      amount.amountMinor,
      new Date(refund.createdAt.getTime() - TWIN_MS),
    );
    if (twin) return refusedTwin(twin, orderIdOf(refund));
  }
  const orderId = orderIdOf(refund);
  const asked = { orderId, platform: refund.platform, byAmount: true };
  const next = withWayOn(afterReserving(entry, prepared, refund), asked);
  if (!next.ok) return next;
  const within = checkCeiling(
    await remainingOfCeiling({ ...tools, refunds: tx.refunds }, call.workspaceId, key),
    amount,
    orderId,
  );
  if (!within.ok) return within;
  if (quote && call.confirmed === false) return notConfirmed(prepared, quote, orderId);

  await tx.refunds.insert(refund, call.idempotency);
  await tx.ledger.save(order, next.value);
  if (quote && !(await tx.refunds.useQuote(quote.id, refund.id)))
    throw new Error('a quote was used behind its lock');
  await appendRefundEvent(tx, 'refund.created', refund, connection.profileId);
  await tx.jobs.enqueue(
    { name: 'settle_refund', workspaceId: refund.workspaceId, refundId: refund.id },
    { startAfter: sendAfter },
  );
  return ok(refund);
}

/** The account after the reservation, from the store's own numbers and from ours, whichever leave less. */
function afterReserving(
  entry: LedgerEntry,
  { order, amount }: PreparedRefund,
  refund: Refund,
): Result<LedgerEntry, 'refund.exceeds_refundable' | 'refund.currency_mismatch'> {
  const { captured, refunded, refundable } = order.totals;
  if (entry.currency !== amount.currency)
    return refuse('refund.currency_mismatch', `This order is kept in ${entry.currency}.`);
  // What we have just refunded may be missing from what the store told us a moment before.
  const refundedMinor = Math.max(entry.refundedMinor, refunded.amountMinor);
  const left = Math.min(refundable.amountMinor, captured.amountMinor - refundedMinor - entry.reservedMinor);
  if (amount.amountMinor > left) return exceeds(money(Math.max(0, left), amount.currency));
  const reservedMinor = entry.reservedMinor + amount.amountMinor;
  return ok({
    ...entry,
    capturedMinor: captured.amountMinor,
    refundedMinor,
    reservedMinor,
    inFlight: refund.id,
  });
}

async function checkInFlight(
  tx: Pick<Tx, 'refunds'>,
  refund: Refund,
  { inFlight }: LedgerEntry,
): Promise<Result<undefined, 'refund.in_doubt' | 'refund.in_progress'>> {
  if (inFlight === null) return ok();
  const other = await tx.refunds.find(refund.workspaceId, inFlight);
  const look = { next: nextCall.getRefund(inFlight), otherwise: nextCall.listRefunds(orderIdOf(refund)) };
  if (other?.status === 'pending' || other?.status === 'awaiting_approval') {
    return refuse(
      'refund.in_progress',
      'Another refund of this order is under way. Ask again when it has settled.',
      {
        retryAfterSeconds: ASK_AGAIN_SECONDS,
        details: { id: inFlight },
        ...look,
      },
    );
  }
  return refuse(
    'refund.in_doubt',
    'An earlier refund of this order may have happened. Recheck or resolve it first.',
    {
      details: { id: inFlight },
      ...look,
      next: nextCall.recheckRefund(inFlight),
    },
  );
}

/** All that can be checked has been: only the person's yes is missing. Nothing has been written. */
const notConfirmed = ({ amount, order, consequences }: PreparedRefund, quote: Quote, orderId: string) =>
  refuse('refund.not_confirmed', 'The person beside this client has to agree first.', {
    details: {
      orderId,
      orderNumber: plainNumber(order.number),
      amount: { amount: formatAmount(amount), currency: amount.currency },
      expiresAt: quote.expiresAt,
      consequences,
    },
  });

const refusedTwin = (id: string, orderId: string) =>
  refuse(
    'refund.possible_duplicate',
    'The same amount of this order was refunded within the last ten minutes. If that is not a mistake, send `allow_duplicate: true` or an idempotency key.',
    { details: { id }, next: nextCall.getRefund(id), otherwise: nextCall.listRefunds(orderId) },
  );

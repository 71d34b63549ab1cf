import { reaches, reachOf, type Call } from '../call.js';
import { refuse } from '../failure.js';
import type { RefundId } from '../ids.js';
import { nextCall } from '../next-call.js';
import type { ReadPorts } from '../ports/index.js';
import { ok, type Result } from '../result.js';
import type { Refund } from './refund.js';

const RETRY_AFTER_SECONDS = 5;
/** A person decides within minutes or hours. */
const AWAITING_RETRY_SECONDS = 300;
const SETTLED_RETRY_SECONDS = 1;

type RefundLookupPorts = {
  readonly connections: Pick<ReadPorts['connections'], 'find'>;
  readonly refunds: Pick<ReadPorts['refunds'], 'find'>;
};

/**
 * The refund with this id if the key reaches its connection's profile: only then it may be named to the
 * caller.
 */
export async function findVisibleRefund(
  ports: RefundLookupPorts,
  call: Call,
  refund: Refund | null,
): Promise<Refund | null> {
  if (!refund || reachOf(call) === null) return refund;
  const connection = await ports.connections.find(refund.workspaceId, refund.connectionId);
  return connection && reaches(call, connection.profileId) ? refund : null;
}

/**
 * Rejects another refund of an order while one is in flight. Without the lock of the order's account, the
 * refund may have settled since the account was read: what was planned with that account is then outdated.
 */
export async function refuseInFlight(
  ports: RefundLookupPorts,
  call: Call,
  orderId: string,
  inFlight: RefundId | null,
): Promise<Result<undefined, 'refund.in_doubt' | 'refund.in_progress'>> {
  if (inFlight === null) return ok();
  const other = await ports.refunds.find(call.workspaceId, inFlight);
  const visible = await findVisibleRefund(ports, call, other);
  const fallback = nextCall.listRefunds(orderId);
  if (other?.status === 'pending' || other?.status === 'awaiting_approval') {
    const isAwaiting = other.status === 'awaiting_approval';
    return refuse(
      'refund.in_progress',
      isAwaiting
        ? 'Another refund of this order waits for a person’s approval. Retry when it is decided.'
        : 'Another refund of this order is in progress. Retry when it has settled.',
      {
        retryAfterSeconds: isAwaiting ? AWAITING_RETRY_SECONDS : RETRY_AFTER_SECONDS,
        ...(visible ? { details: { id: visible.id }, next: nextCall.getRefund(visible.id), fallback } : {}),
      },
    );
  }
  if (other?.status === 'succeeded' || other?.status === 'failed') {
    return refuse('refund.in_progress', 'Another refund of this order has settled just now. Retry.', {
      retryAfterSeconds: SETTLED_RETRY_SECONDS,
    });
  }
  if (!visible) {
    return refuse(
      'refund.in_doubt',
      'The outcome of an earlier refund of this order, created through another connection to the store, is unknown. Use a key with access to that connection to recheck or resolve it.',
      { whoCanFix: 'operator' },
    );
  }
  return refuse(
    'refund.in_doubt',
    'The outcome of an earlier refund of this order is unknown. Recheck or resolve it first.',
    { details: { id: visible.id }, next: nextCall.recheckRefund(visible.id), fallback },
  );
}

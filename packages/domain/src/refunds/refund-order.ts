import type { Call } from '../call.js';
import { refuse } from '../failure.js';
import type { Ports } from '../ports/index.js';
import type { Result } from '../result.js';
import { LEASE_SECONDS } from '../lease.js';
import { awaitRefund } from './await-refund.js';
import type { RefundFields } from './extent.js';
import { findEarlierRefund } from './find-earlier-refund.js';
import { prepareFromFields, prepareFromQuote, type PrepareFailure } from './prepare-refund.js';
import { toRefundResponse, type RefundResponseFailure } from './to-refund-response.js';
import { reserveRefund, type ReserveFailure } from './reserve-refund.js';
import type { Refund } from './refund.js';
import { findVisibleRefund } from './refuse-in-flight.js';
import type { SendRefundPorts } from './send-refund.js';

export interface RefundOrderCommand extends RefundFields {
  /** May be omitted with a quote, which contains its order. */
  readonly orderId?: string | undefined;
  readonly quoteId?: string | undefined;
  readonly allowDuplicate?: boolean | undefined;
}

export type RefundOrderFailure =
  PrepareFailure | ReserveFailure | RefundResponseFailure | 'key.policy_exceeded';

/** `replayed`: the same request, or another one with the same quote, created this refund earlier. */
export interface RefundOrderResult extends Refund {
  readonly replayed: boolean;
}

/** Read the order, reserve, send: the response is the last. */
const STEPS = 3;

/**
 * Refunds an order: reserves, sends and returns the result. With a quote, exactly what was quoted; the
 * quote's id, like an idempotency key, creates the refund only once regardless of how often it is sent.
 */
export async function refundOrder(
  ports: Pick<
    Ports,
    | 'changes'
    | 'clock'
    | 'connections'
    | 'ids'
    | 'platforms'
    | 'refunds'
    | 'sessions'
    | 'tokens'
    | 'transactions'
  >,
  call: Call,
  { orderId, quoteId, ...fields }: RefundOrderCommand,
): Promise<Result<RefundOrderResult, RefundOrderFailure>> {
  if (quoteId !== undefined && Object.values(fields).some((value) => value !== undefined)) {
    return refuse('refund.extent_conflict', 'Send `quote_id` without other fields.');
  }
  const earlier = await findEarlierRefund(ports.refunds, call, quoteId, orderId);
  if (!earlier.ok) return earlier;
  const { refund, quote } = earlier.value;
  if (refund) return replay(ports, call, refund);

  const prepared = quote
    ? await prepareFromQuote(ports, call, quote)
    : await prepareFromFields(ports, call, orderId ?? '', fields);
  if (!prepared.ok) {
    // A concurrent identical request may have refunded during the read, which explains the changed order.
    const meanwhile = await findEarlierRefund(ports.refunds, call, quoteId, orderId);
    if (!meanwhile.ok || !meanwhile.value.refund) return prepared;
    return replay(ports, call, meanwhile.value.refund);
  }

  call.onProgress?.({ done: 1, total: STEPS, message: 'Order read from the store' });
  // The job covers a crash of this process: until then the request itself does the work.
  const waitMs = call.waitSeconds > 0 ? (LEASE_SECONDS + 1) * 1000 : 0;
  const sendAfter = new Date(ports.clock.now().getTime() + waitMs);
  const reserved = await ports.transactions.run((tx) =>
    reserveRefund(tx, ports, call, prepared.value, sendAfter),
  );
  if (!reserved.ok) return reserved;
  call.onProgress?.({
    done: 2,
    total: STEPS,
    message: 'Amount reserved; sending the refund to the store',
  });
  const { refund: current, isNew } = reserved.value;
  return toRefundResponse(await awaitRefund(ports, call, current), !isNew);
}

/** Returns an earlier refund, if the key reaches it under its current policy. */
async function replay(
  ports: SendRefundPorts & Pick<Ports, 'changes' | 'refunds'>,
  call: Call,
  refund: Refund,
): Promise<Result<RefundOrderResult, RefundResponseFailure | 'key.policy_exceeded'>> {
  if (await findVisibleRefund(ports, call, refund))
    return toRefundResponse(await awaitRefund(ports, call, refund), true);
  return refuse('key.policy_exceeded', 'This key cannot access the refund that the same request created.');
}

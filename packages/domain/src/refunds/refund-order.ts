import { type Call, actorName } from '../call.js';
import { refuse, failures } from '../failure.js';
import type { Ports } from '../ports/index.js';
import { type Result, ok } from '../result.js';
import { LEASE_SECONDS } from '../lease.js';
import { nextCall } from '../next-call.js';
import { formatOrderId } from '../orders/order-id.js';
import { withReconnectStep } from '../connections/needs-reauth.js';
import type { SessionFailureCode } from '../ports/authorizers.js';
import type { PlatformFailureCode } from '../ports/session.js';
import type { RefundFields } from './extent.js';
import { findEarlierRefund } from './find-earlier-refund.js';
import { prepareFromFields, prepareFromQuote, type PrepareFailure } from './prepare-refund.js';
import { reserveRefund, type ReserveFailure } from './reserve-refund.js';
import type { Refund } from './refund.js';
import { findVisibleRefund } from './refuse-in-flight.js';
import { type SendRefundPorts, sendRefund } from './send-refund.js';
import { readUntil, type WaitLimit } from '../read-until.js';

export interface RefundOrderCommand extends RefundFields {
  /** May be omitted with a quote, which contains its order. */
  readonly orderId?: string | undefined;
  readonly quoteId?: string | undefined;
  readonly allowDuplicate?: boolean | undefined;
}

type RefundOrderFailure = PrepareFailure | ReserveFailure | RefundResponseFailure | 'key.policy_exceeded';

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
    | 'approvals'
    | 'changes'
    | 'clock'
    | 'connections'
    | 'ids'
    | 'manifests'
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

type RefundResponseFailure =
  | PlatformFailureCode
  | SessionFailureCode
  | 'connection.not_found'
  | 'order.not_found'
  | 'refund.exceeds_refundable'
  | 'refund.refused';

/**
 * The response for a refund request. A failed refund is a refusal, with the store's message where it rejected
 * it, and the effect `none`; a replay with the same key returns the store's rejection again.
 */
function toRefundResponse(
  refund: Refund,
  replayed: boolean,
): Result<Refund & { readonly replayed: boolean }, RefundResponseFailure> {
  const { status, error, connectionId, orderExternalId: externalId } = refund;
  const response = { ...refund, replayed };
  if (status !== 'failed' || error === null) return ok(response);
  const { code, message, platform, details, retryAfterSeconds } = error;
  const extras = {
    platform,
    effect: 'none',
    retryAfterSeconds,
    replayed,
    details: { ...details, id: refund.id },
  } as const;
  if (code === 'platform.refused' || code === 'refund.refused') {
    const reason = code === 'refund.refused' ? message : 'The store rejected the refund. No money moved.';
    const next = nextCall.getOrder(formatOrderId({ connectionId, externalId }));
    return refuse('refund.refused', reason, { ...extras, next });
  }
  return isReportableCode(code)
    ? withReconnectStep({ id: connectionId }, refuse(code, message, extras))
    : ok(response);
}

const isReportableCode = (code: string): code is RefundResponseFailure =>
  code in failures &&
  (code === 'refund.exceeds_refundable' || /^(platform|vault|connection|order)\./.test(code));

/**
 * Sends a refund and waits for its result, for as long as the caller allows. A reserved refund continues
 * without the caller: in this process, and in the worker if it crashes.
 */
async function awaitRefund(
  ports: SendRefundPorts & Pick<Ports, 'changes' | 'refunds'>,
  call: Call,
  refund: Refund,
): Promise<Refund> {
  if (refund.status === 'awaiting_approval') return awaitDecision(ports, call, refund);
  if (call.waitSeconds > 0 && isOpen(refund)) {
    const deadline = new AbortController();
    const limit = { waitMs: call.waitSeconds * 1000, signal: deadline.signal };
    await Promise.race([
      sendOrAwaitResult(ports, refund, actorName(call), limit),
      ports.clock.sleep(limit.waitMs, deadline.signal),
    ]);
    deadline.abort();
  }
  return (await ports.refunds.find(refund.workspaceId, refund.id)) ?? refund;
}

/** Only a caller that sets a wait itself waits for a person: the default is meant for the store. */
async function awaitDecision(
  ports: Pick<Ports, 'changes' | 'clock' | 'refunds'>,
  { requestsWait = false, waitSeconds, signal }: Call,
  { workspaceId, id, ...refund }: Refund,
): Promise<Refund> {
  const read = () => ports.refunds.find(workspaceId, id);
  const isDecided = ({ status }: Refund) => status !== 'awaiting_approval';
  const limit = { waitMs: requestsWait ? waitSeconds * 1000 : 0, signal };
  return (await readUntil(ports, id, read, isDecided, limit)) ?? { ...refund, workspaceId, id };
}

async function sendOrAwaitResult(
  ports: SendRefundPorts & Pick<Ports, 'changes' | 'refunds'>,
  { workspaceId, id }: Refund,
  actor: string,
  limit: WaitLimit,
): Promise<void> {
  if (await sendRefund(ports, workspaceId, id, { actor })) return;
  // Another request or the worker holds its lease: that result is also the result of this request.
  const read = () => ports.refunds.find(workspaceId, id);
  await readUntil(ports, id, read, (current) => !isOpen(current) || current.heldBy !== null, limit);
}

/**
 * No result yet. A refund that the store accepted and settles later counts as a result, and so does an
 * unknown outcome.
 */
const isOpen = ({ status, externalId }: Refund): boolean => status === 'pending' && externalId === null;

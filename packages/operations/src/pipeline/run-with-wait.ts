import { readUntil, withWaitingSlot, type Call } from '@switchboard/domain';
import type { Ports } from '@switchboard/domain/ports';
import type { OperationResponse } from './operation-response.js';
import type { Operation, SettlingPolicy } from '../define.js';
import type { IdempotencyRecord } from './open-idempotency-record.js';
import { presentOutcome, type RunOutcome } from './run-operation.js';

/** A run of the operation, and what happens when only the wait for its outcome fails. */
interface WaitableRun {
  /** Runs the operation with this wait in its use case. */
  readonly run: (waitSeconds: number) => Promise<RunOutcome>;
  readonly idempotency: IdempotencyRecord;
  /** Whether the caller itself set the wait; otherwise it is the default of the operation. */
  readonly requestsWait: boolean;
  /** The operation succeeded; only its settled state is unknown. */
  readonly onWaitError: (error: unknown) => void;
}

/**
 * Runs an operation and waits for its outcome, for at most as long as the caller requested and only with a
 * waiting slot. Either the use case itself does the work that is waited for, or its value settles later and
 * takes a slot only when there is something to wait for.
 */
export async function runWithWait(
  ports: Ports,
  operation: Operation,
  call: Call,
  { run, idempotency, requestsWait, onWaitError }: WaitableRun,
): Promise<OperationResponse> {
  const { settling, replaySettling } = operation;
  if (settling === null && operation.waitSeconds > 0 && call.waitSeconds > 0) {
    const respond = async (waitSeconds: number) => {
      const startMs = ports.clock.now().getTime();
      const outcome = await run(waitSeconds);
      const { status, replayed } = outcome.response;
      if (replaySettling === null || !requestsWait || waitSeconds === 0 || !replayed || status >= 400)
        return withoutWait(outcome);
      const elapsedSeconds = (ports.clock.now().getTime() - startMs) / 1000;
      const rest = { ...call, waitSeconds: Math.max(0, waitSeconds - elapsedSeconds) };
      return ports.callerQueries
        .run({ workspaceId: call.workspaceId, signal: null }, () =>
          waitWithReplay(ports, operation, replaySettling, rest, outcome, holdsSlot),
        )
        .catch((error: unknown) => {
          onWaitError(error);
          return withoutWait(outcome);
        });
    };
    return waitWithSlot(
      ports,
      call,
      () => respond(call.waitSeconds),
      () => respond(0),
    );
  }
  const outcome = await run(call.waitSeconds);
  if (settling === null || outcome.response.status >= 400 || call.waitSeconds === 0) return outcome.response;
  return ports.callerQueries
    .run({ workspaceId: call.workspaceId, signal: null }, () =>
      isReplay(outcome)
        ? waitWithReplay(ports, operation, settling, call, outcome)
        : waitUntilSettled(ports, operation, settling, call, outcome, idempotency),
    )
    .catch((error: unknown) => {
      onWaitError(error);
      return outcome.response;
    });
}

const isReplay = ({ value, response }: RunOutcome) => value === undefined && response.replayed;

/** A stored response is repeated at once, although the caller would have waited. */
const withoutWait = (outcome: RunOutcome): OperationResponse =>
  isReplay(outcome) ? { ...outcome.response, waited: false } : outcome.response;

/**
 * A replay that waits returns the current representation with its entity tag. The stored response stays the first:
 * a replay that does not wait returns its bytes.
 */
async function waitWithReplay(
  ports: Ports,
  operation: Operation,
  settling: SettlingPolicy<unknown>,
  call: Call,
  outcome: RunOutcome,
  takeSlot = waitWithSlot,
): Promise<OperationResponse> {
  const current = await settling.readAgain(ports, call, outcome.response.value);
  if (!current.ok) return withoutWait(outcome);
  const latest = presentOutcome(ports, operation, call, current.value);
  const response = await waitUntilSettled(ports, operation, settling, call, latest, null, takeSlot);
  return { ...response, replayed: true };
}

/** Without a free slot the response is returned immediately, and says that no wait was applied. */
const waitWithSlot = (
  ports: Ports,
  { workspaceId }: Call,
  wait: () => Promise<OperationResponse>,
  respondAtOnce: () => Promise<OperationResponse>,
): Promise<OperationResponse> =>
  withWaitingSlot(ports, workspaceId, wait, async () => ({ ...(await respondAtOnce()), waited: false }));

/** For a wait within one that has a slot already. */
const holdsSlot: typeof waitWithSlot = (_ports, _call, wait) => wait();

/**
 * The response with the settled value, or with its state at the end of the requested wait. It replaces the
 * response of the idempotency record, if one is given.
 */
async function waitUntilSettled(
  ports: Ports,
  operation: Operation,
  settling: SettlingPolicy<unknown>,
  call: Call,
  { value, response }: RunOutcome,
  idempotency: IdempotencyRecord | null,
  takeSlot = waitWithSlot,
): Promise<OperationResponse> {
  const context = { initial: value, isRequested: call.requestsWait ?? false };
  if (settling.isSettled(value, ports.clock.now(), context) || call.signal.aborted) return response;
  call.onProgress?.(settling.progress(value));
  const limit = { waitMs: call.waitSeconds * 1000, signal: call.signal };
  let latest = value;
  const read = async () => {
    const next = await settling.readAgain(ports, call, latest);
    if (!next.ok) return null;
    latest = next.value;
    call.onProgress?.(settling.progress(latest));
    return latest;
  };
  const isSettled = (current: unknown) => settling.isSettled(current, ports.clock.now(), context);
  const wait = async () => {
    const settled = await readUntil(ports, (value as { readonly id: string }).id, read, isSettled, limit);
    if (settled === null) return response;
    const outcome = presentOutcome(ports, operation, call, settled);
    if (idempotency?.token) {
      await ports.transactions.run(async (tx) => {
        await idempotency.replaceResponse(tx, outcome.response);
        return { ok: true, value: undefined };
      });
    }
    return outcome.response;
  };
  return takeSlot(ports, call, wait, () => Promise.resolve(response));
}

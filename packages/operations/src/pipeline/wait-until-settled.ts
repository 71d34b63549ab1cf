import type { Call } from '@switchboard/domain';
import type { Ports } from '@switchboard/domain/ports';
import type { OperationResponse } from './operation-response.js';
import type { Operation } from '../define.js';
import type { IdempotencyRecord } from './open-idempotency-record.js';
import { presentOutcome, type RunOutcome } from './run-operation.js';

/**
 * Waits until the returned value has settled, for at most as long as the caller requested, then returns its
 * current state. When no waiting slot is free, it returns immediately and reports that the preference was not
 * applied.
 */
export async function waitUntilSettled(
  ports: Ports,
  operation: Operation,
  call: Call,
  outcome: RunOutcome,
  idempotency: IdempotencyRecord,
): Promise<OperationResponse> {
  const { settling } = operation;
  if (!settling || outcome.value === undefined || call.waitSeconds === 0) return outcome.response;
  if (settling.isSettled(outcome.value, ports.clock.now()) || call.signal.aborted) return outcome.response;
  call.onProgress?.(settling.progress(outcome.value));
  const slot = await ports.waitingSlots.acquire(call.workspaceId);
  if (!slot) return { ...outcome.response, waited: false };
  const value = await pollUntilSettled(ports, operation, call, outcome.value).finally(() => slot.release());
  if (value === outcome.value) return outcome.response;
  const { response } = presentOutcome(ports, operation, call, value);
  if (idempotency.token) {
    await ports.transactions.run(async (tx) => {
      await idempotency.replaceResponse(tx, response);
      return { ok: true, value: undefined };
    });
  }
  return response;
}

/**
 * The value as last read: settled, or at the end of the requested wait. A value that can no longer be read is
 * returned unchanged.
 */
async function pollUntilSettled(
  ports: Ports,
  operation: Operation,
  call: Call,
  first: unknown,
): Promise<unknown> {
  const { settling } = operation;
  if (!settling) return first;
  const untilMs = ports.clock.now().getTime() + call.waitSeconds * 1000;
  const leftMs = () => untilMs - ports.clock.now().getTime();
  const watch = ports.changes.watch((first as { readonly id: string }).id);
  try {
    for (let value = first; ;) {
      // Read once more after the watch was opened: from here on no change is missed.
      const next = await settling.readAgain(ports, call, value);
      if (!next.ok) return first;
      ({ value } = next);
      call.onProgress?.(settling.progress(value));
      if (settling.isSettled(value, ports.clock.now()) || leftMs() <= 0 || call.signal.aborted) return value;
      await watch.next(leftMs(), call.signal);
    }
  } finally {
    watch.close();
  }
}

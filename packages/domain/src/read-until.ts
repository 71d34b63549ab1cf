import type { WorkspaceId } from './ids.js';
import type { Ports } from './ports/index.js';

/** How long to wait; `signal` aborts when the caller has disconnected or has another result. */
export interface WaitLimit {
  readonly waitMs: number;
  readonly signal: AbortSignal;
}

/**
 * Reads an object now and after each of its changes, until it has reached the wanted state or the wait ends.
 * Returns the value as last read; null when it can no longer be read.
 */
export async function readUntil<Value>(
  { changes, clock }: Pick<Ports, 'changes' | 'clock'>,
  objectId: string,
  read: () => Promise<Value | null>,
  isReached: (value: Value) => boolean,
  { waitMs, signal }: WaitLimit,
): Promise<Value | null> {
  const untilMs = clock.now().getTime() + waitMs;
  const leftMs = () => untilMs - clock.now().getTime();
  const watch = changes.watch(objectId);
  try {
    for (;;) {
      // The watch is already open: a change after this read is not missed.
      const value = await read();
      if (value === null || isReached(value) || leftMs() <= 0 || signal.aborted) return value;
      await watch.next(leftMs(), signal);
    }
  } finally {
    watch.close();
  }
}

/** Runs work that waits, for as long as it holds a waiting slot; the other work when no slot is free. */
export async function withWaitingSlot<Value>(
  { waitingSlots }: Pick<Ports, 'waitingSlots'>,
  workspaceId: WorkspaceId,
  wait: () => Promise<Value>,
  respondAtOnce: () => Promise<Value>,
): Promise<Value> {
  const slot = await waitingSlots.acquire(workspaceId);
  if (!slot) return respondAtOnce();
  try {
    return await wait();
  } finally {
    slot.release();
  }
}

import type { WorkspaceId } from '@switchboard/domain';
import type { WaitingSlots } from '@switchboard/domain/ports';
import type { WaitingCounts } from '@switchboard/persistence';

/** The number of requests of a workspace that may wait at once, over all processes (`SPEC.md` 3). */
const MAX_WAITING = 100;
/** How long the slots of a dead process stay in use. */
const LEASE_MS = 15_000;
const HEARTBEAT_MS = 5000;
/**
 * Released slots are returned together after this delay, so that a burst of short waits causes few writes.
 */
const RELEASE_DELAY_MS = 200;

interface WorkspaceSlots {
  /** The number of slots that the database granted this process. */
  granted: number;
  inUse: number;
  /** Requests that wait for the database response. */
  queue: ((granted: boolean) => void)[];
  isRequesting: boolean;
}

export interface LeasedWaitingSlots extends WaitingSlots {
  close(): void;
}

/**
 * Leases the slots from the count that all processes share. Requests that arrive during a query share the
 * next one. `holder` identifies this process.
 */
export function leasedWaitingSlots(
  counts: WaitingCounts,
  holder: string,
  onError: (error: unknown) => void,
): LeasedWaitingSlots {
  const workspaces = new Map<WorkspaceId, WorkspaceSlots>();
  let releaseTimer: NodeJS.Timeout | null = null;

  /**
   * Requests as many slots as are in use and queued, renews their lease and returns the rest. One statement
   * of a workspace runs at a time: later requests share the next one.
   */
  async function requestSlots(workspaceId: WorkspaceId, slots: WorkspaceSlots): Promise<void> {
    if (slots.isRequesting) return;
    slots.isRequesting = true;
    do {
      const pending = slots.queue.splice(0);
      const requested = Math.min(slots.inUse + pending.length, MAX_WAITING);
      try {
        slots.granted = await counts.set(workspaceId, holder, requested, {
          most: MAX_WAITING,
          leaseMs: LEASE_MS,
        });
      } catch (error) {
        onError(error);
      }
      for (const resolve of pending) {
        const isGranted = slots.inUse < slots.granted;
        if (isGranted) slots.inUse += 1;
        resolve(isGranted);
      }
    } while (slots.queue.length > 0);
    slots.isRequesting = false;
    if (slots.inUse === 0 && slots.granted === 0) workspaces.delete(workspaceId);
    if (slots.inUse < slots.granted) scheduleRelease();
  }

  function scheduleRelease(): void {
    releaseTimer ??= setTimeout(() => {
      releaseTimer = null;
      for (const [workspaceId, slots] of workspaces)
        if (slots.inUse < slots.granted) void requestSlots(workspaceId, slots);
    }, RELEASE_DELAY_MS).unref();
  }

  const heartbeat = setInterval(() => {
    for (const [workspaceId, slots] of workspaces) void requestSlots(workspaceId, slots);
  }, HEARTBEAT_MS).unref();

  return {
    async acquire(workspaceId) {
      const slots = workspaces.get(workspaceId) ?? { granted: 0, inUse: 0, queue: [], isRequesting: false };
      workspaces.set(workspaceId, slots);
      if (slots.inUse < slots.granted) slots.inUse += 1;
      else {
        const decision = new Promise<boolean>((resolve) => slots.queue.push(resolve));
        void requestSlots(workspaceId, slots);
        if (!(await decision)) return null;
      }
      let isReleased = false;
      return {
        release() {
          if (isReleased) return;
          isReleased = true;
          slots.inUse -= 1;
          scheduleRelease();
        },
      };
    },
    close() {
      clearInterval(heartbeat);
      if (releaseTimer) clearTimeout(releaseTimer);
    },
  };
}

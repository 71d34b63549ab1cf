import type { WaitingSlots, WorkspaceId } from '@switchboard/domain';
import type { WaitingCounts } from '@switchboard/persistence';

/** How many requests of a workspace may wait at once, over all processes (`SPEC.md` 3). */
export const MAX_WAITING = 100;
/** How long the slots of a process that died stay taken. */
const LEASE_MS = 15_000;
const HEARTBEAT_MS = 5000;
/** Slots that were left are given back together after this, so that a burst of short waits is no burst of writes. */
const GIVE_BACK_MS = 200;

/** The slots of one workspace in this process. */
interface Held {
  /** What the database granted this process. */
  granted: number;
  inUse: number;
  /** Requests that wait for the answer of the database. */
  queue: ((granted: boolean) => void)[];
  isAsking: boolean;
}

export interface LeasedWaitingSlots extends WaitingSlots {
  close(): void;
}

/**
 * Leases the slots from the count that all processes share. Requests that come while the database is asked are asked for
 * together. `holder` names this process.
 */
export function leasedWaitingSlots(
  counts: WaitingCounts,
  holder: string,
  onError: (error: unknown) => void,
): LeasedWaitingSlots {
  const workspaces = new Map<WorkspaceId, Held>();
  let givingBack: NodeJS.Timeout | null = null;

  /**
   * Asks for as many slots as are in use and in the queue, renews the lease on them and gives back the rest. One statement of a
   * workspace runs at a time: whoever comes meanwhile is asked for by the next one.
   */
  async function ask(workspaceId: WorkspaceId, held: Held): Promise<void> {
    if (held.isAsking) return;
    held.isAsking = true;
    do {
      const asking = held.queue.splice(0);
      const wanted = Math.min(held.inUse + asking.length, MAX_WAITING);
      try {
        held.granted = await counts.set(workspaceId, holder, wanted, {
          most: MAX_WAITING,
          leaseMs: LEASE_MS,
        });
      } catch (error) {
        onError(error);
      }
      for (const answer of asking) {
        const isGranted = held.inUse < held.granted;
        if (isGranted) held.inUse += 1;
        answer(isGranted);
      }
    } while (held.queue.length > 0);
    held.isAsking = false;
    if (held.inUse === 0 && held.granted === 0) workspaces.delete(workspaceId);
    if (held.inUse < held.granted) giveBackSoon();
  }

  function giveBackSoon(): void {
    givingBack ??= setTimeout(() => {
      givingBack = null;
      for (const [workspaceId, held] of workspaces)
        if (held.inUse < held.granted) void ask(workspaceId, held);
    }, GIVE_BACK_MS).unref();
  }

  const heartbeat = setInterval(() => {
    for (const [workspaceId, held] of workspaces) void ask(workspaceId, held);
  }, HEARTBEAT_MS).unref();

  return {
    async enter(workspaceId) {
      const held = workspaces.get(workspaceId) ?? { granted: 0, inUse: 0, queue: [], isAsking: false };
      workspaces.set(workspaceId, held);
      if (held.inUse < held.granted) held.inUse += 1;
      else {
        const answered = new Promise<boolean>((resolve) => held.queue.push(resolve));
        void ask(workspaceId, held);
        if (!(await answered)) return null;
      }
      let isLeft = false;
      return {
        leave() {
          if (isLeft) return;
          isLeft = true;
          held.inUse -= 1;
          giveBackSoon();
        },
      };
    },
    close() {
      clearInterval(heartbeat);
      if (givingBack) clearTimeout(givingBack);
    },
  };
}

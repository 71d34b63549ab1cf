import type { Changes, Clock, WaitingSlots } from '../../src/ports/index.js';

const LOOK_MS = 100;

/** Sends no notifications: waiters poll every tenth of a second of the given clock. */
export const polledChanges = (clock: Clock): Changes => ({
  watch: () => ({
    next: (timeoutMs, signal) => clock.sleep(Math.min(LOOK_MS, timeoutMs), signal),
    close: () => undefined,
  }),
});

export function memoryWaitingSlots(slots = 100): WaitingSlots {
  const taken = new Map<string, number>();
  return {
    acquire: async (workspaceId) => {
      const before = taken.get(workspaceId) ?? 0;
      if (before >= slots) return null;
      taken.set(workspaceId, before + 1);
      let left = false;
      return {
        release: () => {
          if (!left) taken.set(workspaceId, (taken.get(workspaceId) ?? 1) - 1);
          left = true;
        },
      };
    },
  };
}

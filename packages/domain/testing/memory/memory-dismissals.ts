import type { Clock, Dismissal, Dismissals } from '../../src/ports/index.js';
import type { MemoryState } from './memory-state.js';

export type StoredDismissal = Dismissal & { readonly at: Date };

const nameOf = (workspaceId: string, itemId: string) => `${workspaceId} ${itemId}`;

export const memoryDismissals = (state: MemoryState, clock: Clock): Dismissals => ({
  list: async (workspaceId, itemIds) =>
    new Set(itemIds.filter((itemId) => state.dismissals.has(nameOf(workspaceId, itemId)))),
  insert: async (dismissal) => {
    const name = nameOf(dismissal.workspaceId, dismissal.itemId);
    if (!state.dismissals.has(name)) state.dismissals.set(name, { ...dismissal, at: clock.now() });
  },
});

export function forgetHealth(state: MemoryState, connectionId: string): void {
  for (const [name, { kind, object }] of state.dismissals)
    if (object === connectionId && (kind === 'connection_needs_reauth' || kind === 'connection_degraded'))
      state.dismissals.delete(name);
}

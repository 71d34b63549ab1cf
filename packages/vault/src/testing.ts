import type { Canaries, Clock, DataKeys, WorkspaceId, WrappedDataKey } from '@switchboard/domain';

/** Data keys in a map that tests may reach into, as somebody with the database in their hands would. */
export function memoryDataKeys(): DataKeys & { readonly rows: Map<WorkspaceId | null, WrappedDataKey> } {
  const rows = new Map<WorkspaceId | null, WrappedDataKey>();
  return {
    rows,
    find: async (workspaceId) => rows.get(workspaceId) ?? null,
    insert: async (key) => {
      const kept = rows.get(key.workspaceId) ?? key;
      rows.set(key.workspaceId, kept);
      return kept;
    },
  };
}

export function memoryCanaries(): Canaries & { sealed: Uint8Array | null } {
  return {
    sealed: null,
    async find() {
      return this.sealed;
    },
    async insert(sealed) {
      return (this.sealed ??= sealed);
    },
  };
}

/** A clock that moves when it is told to. */
export function steppedClock(): Pick<Clock, 'now'> & { step(ms: number): void } {
  let timeMs = Date.UTC(2026, 0, 1);
  return { now: () => new Date(timeMs), step: (ms) => void (timeMs += ms) };
}

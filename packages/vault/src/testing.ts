import type { WorkspaceId } from '@switchboard/domain';
import type { Canaries, Clock, DataKeys, WrappedDataKey } from '@switchboard/domain/ports';

/** Data keys in a map that tests can modify, as an attacker with write access to the database could. */
export function memoryDataKeys(): DataKeys & { readonly rows: Map<WorkspaceId | null, WrappedDataKey> } {
  const rows = new Map<WorkspaceId | null, WrappedDataKey>();
  const ownerOf = ({ workspaceId }: WrappedDataKey) => workspaceId ?? '';
  const ordered = () => [...rows.values()].sort((one, other) => (ownerOf(one) < ownerOf(other) ? -1 : 1));
  return {
    rows,
    find: async (workspaceId) => rows.get(workspaceId) ?? null,
    countByMasterKey: async () => {
      const counts = new Map<string, number>();
      for (const { masterKeyId } of rows.values())
        counts.set(masterKeyId, (counts.get(masterKeyId) ?? 0) + 1);
      const uses = [...counts].sort(([one], [other]) => (one < other ? -1 : 1));
      return uses.map(([masterKeyId, dataKeys]) => ({ masterKeyId, dataKeys, since: new Date(0) }));
    },
    listWrappedByOtherKeys: async (masterKeyId, after, limit) =>
      ordered()
        .filter((key) => key.masterKeyId !== masterKeyId && (!after || ownerOf(key) > ownerOf(after)))
        .slice(0, limit),
    insert: async (key) => {
      const installation = rows.get(null);
      if (key.workspaceId !== null && installation && installation.masterKeyId !== key.masterKeyId)
        return null;
      const stored = rows.get(key.workspaceId) ?? key;
      rows.set(key.workspaceId, stored);
      return stored;
    },
    rewrap: async (changes) => {
      const unchanged = changes.filter(({ before }) => rows.get(before.workspaceId) === before);
      for (const { after } of unchanged) rows.set(after.workspaceId, after);
      return unchanged.length;
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

export function manualClock(): Pick<Clock, 'now'> & { advance(ms: number): void } {
  let timeMs = Date.UTC(2026, 0, 1);
  return { now: () => new Date(timeMs), advance: (ms) => void (timeMs += ms) };
}

import type { WorkspaceId } from '../../src/ids.js';
import type { Snapshot, Snapshots } from '../../src/ports/index.js';
import type { MemoryState } from './memory-state.js';

export function memorySnapshots(state: MemoryState): Snapshots {
  const ofWorkspace = (workspaceId: WorkspaceId) =>
    [...state.snapshots.values()].filter((row) => row.workspaceId === workspaceId);
  const newest = (rows: readonly Snapshot[]) =>
    rows.reduce<Snapshot | undefined>(
      (best, row) => (best && best.takenAt > row.takenAt ? best : row),
      undefined,
    );
  const latest = <Id>(ids: readonly Id[], rowsOf: (id: Id) => readonly Snapshot[]) =>
    new Map(
      ids.flatMap((id): [Id, Snapshot][] => {
        const row = newest(rowsOf(id));
        return row ? [[id, row]] : [];
      }),
    );

  return {
    listLatest: async (workspaceId, ids) =>
      latest(ids, (id) => ofWorkspace(workspaceId).filter(({ deliveryId }) => deliveryId === id)),
    listLatestOfAccounts: async (workspaceId, ids) =>
      latest(ids, (id) =>
        ofWorkspace(workspaceId).filter((row) => row.deliveryId === null && row.connectionId === id),
      ),
    findFirstTime: async (workspaceId, ids) =>
      ofWorkspace(workspaceId)
        .filter(({ connectionId }) => ids.includes(connectionId))
        .reduce<Date | null>((first, { takenAt }) => (first && first < takenAt ? first : takenAt), null),
    insert: async (snapshots) => {
      for (const row of snapshots) {
        const hour = row.takenAt.toISOString().slice(0, 13);
        const name = `${row.deliveryId ?? row.connectionId} ${hour}`;
        const kept = state.snapshots.get(name);
        if (!kept || kept.takenAt <= row.takenAt) state.snapshots.set(name, row);
      }
    },
  };
}

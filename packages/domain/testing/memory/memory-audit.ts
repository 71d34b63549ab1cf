import type { WorkspaceId } from '../../src/ids.js';
import type { Audit, AuditEntry, AuditTrail, Clock, Ids, Seal, SealedEntry } from '../../src/ports/index.js';
import type { MemoryState } from './memory-state.js';
import { ofWorkspace, pageOf } from './rows.js';

/** How long a row may still be counted. */
const OPEN_MS = 120_000;

export type StoredAuditEntry = Omit<AuditEntry, 'sealed'> & { readonly seal: Seal | null };

const entryOf = ({ seal, ...entry }: StoredAuditEntry): AuditEntry => ({ ...entry, sealed: seal !== null });

export function memoryAuditTrail(state: MemoryState, clock: Clock): AuditTrail {
  const isReady = ({ seal, batch, at }: StoredAuditEntry) =>
    seal === null && (batch === null || at.getTime() < clock.now().getTime() - OPEN_MS);
  const sealedOf = (workspaceId: WorkspaceId): SealedEntry[] =>
    ofWorkspace(state.audit, workspaceId)
      .flatMap((row) => (row.seal ? [{ ...entryOf(row), seal: row.seal }] : []))
      .sort((a, b) => a.seal.seq - b.seal.seq);
  const headOf = (workspaceId: WorkspaceId) => state.auditHeads.get(workspaceId) ?? { seq: 0, rowHash: '' };
  return {
    list: async (workspaceId, { actor, action, object, after, before }, page) => {
      const fitting = ofWorkspace(state.audit, workspaceId).filter(
        (row) =>
          (actor === undefined || row.actor === actor) &&
          (action === undefined || row.action === action) &&
          (object === undefined || row.object === object) &&
          (after === undefined || row.at >= after) &&
          (before === undefined || row.at < before),
      );
      return pageOf(fitting.reverse().map(entryOf), page);
    },
    listUnsealed: async (after, limit) =>
      [...new Set([...state.audit.values()].filter(isReady).map(({ workspaceId }) => workspaceId))]
        .filter((workspaceId) => workspaceId > (after ?? ''))
        .sort()
        .slice(0, limit),
    lockHead: async (workspaceId) => headOf(workspaceId),
    listToSeal: async (workspaceId, limit) =>
      ofWorkspace(state.audit, workspaceId).filter(isReady).slice(0, limit).map(entryOf),
    seal: async (workspaceId, seals) => {
      for (const { id, ...seal } of seals) {
        const row = state.audit.get(id);
        if (row?.workspaceId !== workspaceId || row.seal) throw new Error(`${id} cannot be sealed`);
        state.audit.set(id, { ...row, seal });
      }
      const last = seals.at(-1);
      if (last) state.auditHeads.set(workspaceId, { seq: last.seq, rowHash: last.rowHash });
    },
    listChains: async () => [...state.auditHeads.keys()] as WorkspaceId[],
    findHead: async (workspaceId) => {
      const head = headOf(workspaceId);
      return { ...head, hasMore: sealedOf(workspaceId).some(({ seal }) => seal.seq > head.seq) };
    },
    listSealed: async (workspaceId, afterSeq, limit) =>
      sealedOf(workspaceId)
        .filter(({ seal }) => seal.seq > afterSeq)
        .slice(0, limit),
    findSeal: async (rowHash) => {
      const row = [...state.audit.values()].find(({ seal }) => seal?.rowHash === rowHash);
      return row?.seal ? { workspaceId: row.workspaceId, seq: row.seal.seq } : null;
    },
    countUnsealed: async (workspaceId) =>
      ofWorkspace(state.audit, workspaceId).filter(({ seal }) => seal === null).length,
  };
}

export const memoryAudit = (state: MemoryState, clock: Clock, ids: Ids): Audit => ({
  append: async (row) => {
    const id = ids.next('aud');
    state.audit.set(id, { ...row, id, at: clock.now(), batch: null, count: 1, seal: null });
  },
  tally: async (rows) => {
    for (const { count, ...row } of rows) {
      const known = [...state.audit.values()].find(
        ({ workspaceId, batch, seal }) =>
          workspaceId === row.workspaceId && batch === row.batch && seal === null,
      );
      const id = known?.id ?? ids.next('aud');
      const before = known ?? { ...row, id, at: clock.now(), count: 0, seal: null };
      state.audit.set(id, { ...before, count: before.count + count });
    }
  },
});

import type { AuditId, WorkspaceId } from '../ids.js';
import type { ChainHead } from '../ports/index.js';
import {
  findChainBreak,
  type ChainBreak,
  type ChainBreakKind,
  type ChainVerificationPorts,
} from './find-chain-break.js';

export interface ChainReport {
  readonly workspaceId: WorkspaceId;
  readonly checked: number;
  /** The end of the chain, to be recorded outside of the database; null when the chain is broken. */
  readonly head: ChainHead | null;
  readonly broken: ChainBreak | null;
  /** Rows without a position yet: they cannot be verified. */
  readonly unsealed: number;
}

type ChainWalk = Pick<ChainReport, 'checked' | 'head' | 'broken'>;

const PAGE = 2000;

/**
 * Reads a chain from its beginning, page by page, to the position of its head; rows may be sealed
 * concurrently. `noted` are heads that were recorded outside: a rewritten chain is consistent in itself but
 * differs from them.
 */
export async function verifyChain(
  ports: ChainVerificationPorts,
  workspaceId: WorkspaceId,
  checkpoints: readonly ChainHead[],
  onProgress: (checked: number) => void,
  stop: AbortSignal,
): Promise<ChainReport> {
  const walk = await walkChain(ports, workspaceId, checkpoints, onProgress, stop);
  return { workspaceId, ...walk, unsealed: await ports.auditTrail.countUnsealed(workspaceId) };
}

async function walkChain(
  ports: ChainVerificationPorts,
  workspaceId: WorkspaceId,
  checkpoints: readonly ChainHead[],
  onProgress: (checked: number) => void,
  stop: AbortSignal,
): Promise<ChainWalk> {
  const { auditTrail } = ports;
  let at: ChainHead = { seq: 0, rowHash: '' };
  const end = (broken: ChainBreak): ChainWalk => ({ checked: at.seq, head: null, broken });
  const broken = (kind: ChainBreakKind, seq: number, id: AuditId | null = null) => end({ kind, seq, id });
  for (;;) {
    stop.throwIfAborted();
    const page = await auditTrail.listSealed(workspaceId, at.seq, PAGE);
    for (const entry of page) {
      const wrong = await findChainBreak(ports, entry, at);
      if (wrong) {
        const { seq } = await auditTrail.findHead(workspaceId);
        return end(seq > 0 && wrong.seq > seq ? { ...wrong, kind: 'inserted' } : wrong);
      }
      at = { seq: entry.seal.seq, rowHash: entry.seal.rowHash };
      if (checkpoints.some(({ seq, rowHash }) => seq === at.seq && rowHash !== at.rowHash))
        return broken('rewritten', at.seq, entry.id);
    }
    onProgress(at.seq);
    if (page.length > 0) continue;
    const head = await auditTrail.findHead(workspaceId);
    if (head.hasMore) {
      const [beyond] = await auditTrail.listSealed(workspaceId, head.seq, 1);
      return broken(head.seq === 0 ? 'head_lost' : 'inserted', head.seq + 1, beyond?.id ?? null);
    }
    if (head.seq > at.seq) {
      // Either the chain has grown since the last page, or its end was removed: then no row follows.
      const [next] = await auditTrail.listSealed(workspaceId, at.seq, 1);
      if (next) continue;
      return broken('missing', at.seq + 1);
    }
    if (head.rowHash !== at.rowHash) return broken('rewritten', at.seq);
    if (checkpoints.some(({ seq }) => seq > at.seq)) return broken('missing', at.seq + 1);
    return { checked: at.seq, head: at, broken: null };
  }
}

import type { AuditId, WorkspaceId } from '../ids.js';
import type { AuditTrail, ChainHead, ReadMethods, SealedEntry, Tokens } from '../ports/index.js';
import { hashRow } from './hash-row.js';

/**
 * The first inconsistency of a chain. The position is certain, the kind is the best explanation. `changed`:
 * the content of the row differs from what was sealed. `missing`: a sealed row is gone, also at the end of a
 * chain. `inserted`: the service never sealed this row. `reordered`: the row belongs to another position of
 * this chain. `foreign`: the row belongs to another workspace's chain. `head_lost`: rows without a head.
 * `rewritten`: the chain is consistent but differs from its head or from an externally recorded head.
 */
export type ChainBreakKind =
  | 'changed'
  | 'missing'
  | 'inserted'
  | 'reordered'
  | 'foreign'
  | 'head_lost'
  | 'rewritten';

export interface ChainBreak {
  readonly kind: ChainBreakKind;
  readonly seq: number;
  /** The row at that position; null where there is none. */
  readonly id: AuditId | null;
}

export interface ChainVerificationPorts {
  readonly auditTrail: ReadMethods<AuditTrail>;
  readonly tokens: Pick<Tokens, 'digestHex'>;
}

/** The inconsistency of the row found after `before`; null when it is the expected one. */
export async function findChainBreak(
  ports: ChainVerificationPorts,
  entry: SealedEntry,
  before: ChainHead,
): Promise<ChainBreak | null> {
  const { seal, id, workspaceId } = entry;
  const at = (kind: ChainBreakKind, seq = seal.seq): ChainBreak => ({
    kind,
    seq,
    id: seq === seal.seq ? id : null,
  });
  if (seal.seq !== before.seq + 1) return at('missing', before.seq + 1);
  const fits = hashRow(ports.tokens, entry, seal) === seal.rowHash;
  const follows = seal.prevHash === before.rowHash;
  if (fits && follows) return null;
  if (!fits && (await isForeign(ports, entry))) return at('foreign');
  if (follows) {
    const [next] = await ports.auditTrail.listSealed(workspaceId, seal.seq, 1);
    return at(next?.seal.prevHash === before.rowHash ? 'inserted' : 'changed');
  }
  // The row names another predecessor: find out which one.
  const source = await ports.auditTrail.findSeal(seal.prevHash);
  if (source && source.workspaceId !== workspaceId) return at('foreign');
  if (source && source.seq < before.seq) return at('inserted', source.seq + 1);
  if (source || seal.prevHash === '') return at('reordered');
  // The predecessor does not exist: either the previous row was altered, or it was deleted and this row moved
  // up.
  return fits && before.seq > 0 ? at('changed', before.seq) : at('missing');
}

/** Whether the row is intact and belongs to another workspace. */
async function isForeign(
  { auditTrail, tokens }: ChainVerificationPorts,
  entry: SealedEntry,
): Promise<boolean> {
  const others: readonly WorkspaceId[] = await auditTrail.listChains();
  return others.some(
    (workspaceId) => hashRow(tokens, { ...entry, workspaceId }, entry.seal) === entry.seal.rowHash,
  );
}

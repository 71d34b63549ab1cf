import type { AuditId, WorkspaceId } from '../ids.js';
import type { AuditTrail, ChainHead, ReadMethods, SealedEntry, Tokens } from '../ports/index.js';
import { hashRow } from './hash-row.js';

/**
 * What is wrong at the first place that does not fit. The place is certain, the kind is what explains it best.
 * `changed`: the row says something else than when it was sealed.
 * `missing`: a row that was here is gone; at the end of a chain too.
 * `inserted`: a row stands here that the service never sealed.
 * `reordered`: the row belongs to another place of this chain. `foreign`: it belongs to another workspace's.
 * `head_lost`: rows without a head.
 * `rewritten`: the chain fits and is another one than its head says, or than somebody noted.
 */
export type ChainBreakKind =
  'changed' | 'missing' | 'inserted' | 'reordered' | 'foreign' | 'head_lost' | 'rewritten';

export interface ChainBreak {
  readonly kind: ChainBreakKind;
  readonly seq: number;
  /** The row at that place; null where there is none. */
  readonly id: AuditId | null;
}

export interface ChainVerificationPorts {
  readonly auditTrail: ReadMethods<AuditTrail>;
  readonly tokens: Pick<Tokens, 'digestHex'>;
}

/** What is wrong with a row that is found behind `before`; null when it is the one that belongs there. */
export async function findChainBreak(
  ports: ChainVerificationPorts,
  entry: SealedEntry,
  before: ChainHead,
): Promise<ChainBreak | null> {
  const { seal, id, workspaceId } = entry;
  const at = (kind: ChainBreakKind, seq = seal.seq): ChainBreak => ({ kind, seq, id: seq === seal.seq ? id : null });
  if (seal.seq !== before.seq + 1) return at('missing', before.seq + 1);
  const fits = hashRow(ports.tokens, entry, seal) === seal.rowHash;
  const follows = seal.prevHash === before.rowHash;
  if (fits && follows) return null;
  if (!fits && (await isForeign(ports, entry))) return at('foreign');
  if (follows) {
    const [next] = await ports.auditTrail.listSealed(workspaceId, seal.seq, 1);
    return at(next?.seal.prevHash === before.rowHash ? 'inserted' : 'changed');
  }
  // It says that it follows another row: which?
  const source = await ports.auditTrail.findSeal(seal.prevHash);
  if (source && source.workspaceId !== workspaceId) return at('foreign');
  if (source && source.seq < before.seq) return at('inserted', source.seq + 1);
  if (source || seal.prevHash === '') return at('reordered');
  // One that is nowhere any more: the row before was made to say something else, or it is gone and this one moved up.
  return fits && before.seq > 0 ? at('changed', before.seq) : at('missing');
}

/** Whether the row is whole, and another workspace's. */
async function isForeign({ auditTrail, tokens }: ChainVerificationPorts, entry: SealedEntry): Promise<boolean> {
  const others: readonly WorkspaceId[] = await auditTrail.listChains();
  return others.some(
    (workspaceId) => hashRow(tokens, { ...entry, workspaceId }, entry.seal) === entry.seal.rowHash,
  );
}

import type { WorkspaceId } from '../ids.js';
import type { Ports, Seal } from '../ports/index.js';
import { ok } from '../result.js';
import { hashRow } from './hash-row.js';

/** Rows per transaction, so that no lock is held for long. */
const BATCH = 500;
const WORKSPACES_MAX = 100;

type SealPorts = Pick<Ports, 'transactions' | 'auditTrail' | 'tokens'>;

/**
 * Extends the audit chain: assigns every ready row its position in the chain of its workspace. Returns how
 * many. Several processes may run it concurrently.
 */
export async function sealAudit(ports: SealPorts, stop: AbortSignal): Promise<number> {
  let sealed = 0;
  // Visits each workspace once per pass: starting over at the first busy workspace would starve the last.
  for (let after: WorkspaceId | null = null; ;) {
    const workspaces: readonly WorkspaceId[] = await ports.auditTrail.listUnsealed(after, WORKSPACES_MAX);
    for (const workspaceId of workspaces) {
      let some: number;
      do {
        if (stop.aborted) return sealed;
        some = await sealBatch(ports, workspaceId);
        sealed += some;
      } while (some === BATCH);
    }
    after = workspaces.at(-1) ?? null;
    if (workspaces.length < WORKSPACES_MAX) return sealed;
  }
}

async function sealBatch({ transactions, tokens }: SealPorts, workspaceId: WorkspaceId): Promise<number> {
  const done = await transactions.run<number, never>(async ({ auditTrail }) => {
    const head = await auditTrail.lockHead(workspaceId);
    if (head === null) return ok(0);
    const entries = await auditTrail.listToSeal(workspaceId, BATCH);
    let { seq, rowHash: prevHash } = head;
    const seals = entries.map((entry) => {
      seq += 1;
      const seal: Seal = { seq, prevHash, rowHash: hashRow(tokens, entry, { seq, prevHash }) };
      prevHash = seal.rowHash;
      return { id: entry.id, ...seal };
    });
    if (seals.length > 0) await auditTrail.seal(workspaceId, seals);
    return ok(seals.length);
  });
  return done.ok ? done.value : 0;
}

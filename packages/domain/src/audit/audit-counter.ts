import { canonicalJson } from '../canonical-json.js';
import type { AuditRow, CountedRow, Ports } from '../ports/index.js';
import { ok } from '../result.js';

const MINUTE_MS = 60_000;
/**
 * The maximum number of distinct batches in memory; beyond it they are written before their minute is over.
 */
const BATCHES_MAX = 10_000;
const ROWS_PER_STATEMENT = 500;

interface CountedBatch {
  readonly row: Omit<CountedRow, 'count'>;
  readonly minuteMs: number;
  /** Resolves when the first of them is stored. */
  readonly firstStored: Promise<unknown>;
  /** Repetitions that are not stored yet. */
  pendingCount: number;
}

export function auditCounter({ transactions, clock }: Pick<Ports, 'transactions' | 'clock'>) {
  const batches = new Map<string, CountedBatch>();

  const tally = (rows: readonly CountedRow[]) =>
    transactions.run(async (tx) => ok(await tx.audit.tally(rows)));

  async function flush(which: 'ended' | 'all'): Promise<void> {
    const now = clock.now().getTime();
    const due = [...batches].filter(([, { minuteMs }]) => which === 'all' || now >= minuteMs + MINUTE_MS);
    for (const [batchKey] of due) batches.delete(batchKey);
    // All writers update the rows in one order, so that two processes do not deadlock.
    const counted = due
      .filter(([, { pendingCount }]) => pendingCount > 0)
      .sort(([one], [other]) => (one < other ? -1 : 1));
    for (let from = 0; from < counted.length; from += ROWS_PER_STATEMENT) {
      const some = counted.slice(from, from + ROWS_PER_STATEMENT);
      try {
        await tally(some.map(([, { row, pendingCount }]) => ({ ...row, count: pendingCount })));
      } catch (error) {
        for (const [batchKey, { pendingCount, ...one }] of counted.slice(from))
          batches.set(batchKey, {
            ...one,
            pendingCount: pendingCount + (batches.get(batchKey)?.pendingCount ?? 0),
          });
        throw error;
      }
    }
  }

  return {
    async count(row: AuditRow) {
      const minuteMs = Math.floor(clock.now().getTime() / MINUTE_MS) * MINUTE_MS;
      const { workspaceId, actor, action, object, outcome, details } = row;
      const minute = new Date(minuteMs).toISOString();
      const batch = canonicalJson([minute, actor, action, object, outcome, details]);
      const batchKey = `${workspaceId} ${batch}`;
      const known = batches.get(batchKey);
      if (known) {
        known.pendingCount += 1;
        await known.firstStored;
        return;
      }
      if (batches.size >= BATCHES_MAX) await flush('all');
      const first = tally([{ ...row, batch, count: 1 }]);
      batches.set(batchKey, { row: { ...row, batch }, minuteMs, firstStored: first, pendingCount: 0 });
      try {
        await first;
      } catch (error) {
        batches.delete(batchKey);
        throw error;
      }
    },
    /**
     * Stores the counts of completed minutes, or all of them. Counts that cannot be stored are kept for the
     * next flush.
     */
    flush,
  };
}

import { canonicalJson } from '../canonical-json.js';
import type { AuditCounter, AuditRow, CountedRow, Ports } from '../ports/index.js';
import { ok } from '../result.js';

const MINUTE_MS = 60_000;
/** Kinds of things that are counted at once; beyond it they are written before their minute is over. */
const KINDS_MAX = 10_000;
/** Rows a statement. */
const TOGETHER_MAX = 500;

interface Counted {
  readonly row: Omit<CountedRow, 'count'>;
  readonly minuteMs: number;
  /** Resolves when the first of them is stored. */
  readonly first: Promise<unknown>;
  /** Those that followed and are not stored yet. */
  more: number;
}

export interface OpenAuditCounter extends AuditCounter {
  /** Adds what was counted in minutes that are over, or all of it. What cannot be stored is kept for the next time. */
  flush(which: 'ended' | 'all'): Promise<void>;
}

export function auditCounter({
  transactions,
  clock,
}: Pick<Ports, 'transactions' | 'clock'>): OpenAuditCounter {
  const kinds = new Map<string, Counted>();

  const tally = (rows: readonly CountedRow[]) =>
    transactions.run(async (tx) => ok(await tx.audit.tally(rows)));

  async function flush(which: 'ended' | 'all'): Promise<void> {
    const now = clock.now().getTime();
    const due = [...kinds].filter(([, { minuteMs }]) => which === 'all' || now >= minuteMs + MINUTE_MS);
    for (const [kind] of due) kinds.delete(kind);
    // Whoever adds to several rows does it in one order, so that two processes do not wait for each other.
    const counted = due.filter(([, { more }]) => more > 0).sort(([one], [other]) => (one < other ? -1 : 1));
    for (let from = 0; from < counted.length; from += TOGETHER_MAX) {
      const some = counted.slice(from, from + TOGETHER_MAX);
      try {
        await tally(some.map(([, { row, more }]) => ({ ...row, count: more })));
      } catch (error) {
        for (const [kind, { more, ...one }] of counted.slice(from))
          kinds.set(kind, { ...one, more: more + (kinds.get(kind)?.more ?? 0) });
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
      const kind = `${workspaceId} ${batch}`;
      const known = kinds.get(kind);
      if (known) {
        known.more += 1;
        await known.first;
        return;
      }
      if (kinds.size >= KINDS_MAX) await flush('all');
      const first = tally([{ ...row, batch, count: 1 }]);
      kinds.set(kind, { row: { ...row, batch }, minuteMs, first, more: 0 });
      try {
        await first;
      } catch (error) {
        kinds.delete(kind);
        throw error;
      }
    },
    flush,
  };
}

import type { ApiKey } from '@switchboard/domain';
import type { Ask } from './ask.js';

/** How many requests all processes have taken for a lineage in the window that runs. */
export interface RequestCounts {
  /** Takes some more; begins a new window where the last one is over. Answers all that is taken, and how long the window still runs. */
  add(
    key: Pick<ApiKey, 'lineage' | 'workspaceId'>,
    count: number,
    windowMs: number,
  ): Promise<{ readonly taken: number; readonly leftMs: number }>;
}

/**
 * What ends far beyond a new one was begun by a clock that has been set back since, and would last until that comes again.
 * Not far is what somebody began while we waited for our turn.
 */
const RUNS = `mine.ends_at > excluded.ends_at - $4 * interval '1 millisecond'
           AND mine.ends_at < excluded.ends_at + $4 * interval '1 millisecond'`;

/** One statement, by the database's clock: whose own clock is wrong counts with the others all the same. */
export const requestCounts = (ask: Ask): RequestCounts => ({
  async add({ lineage, workspaceId }, count, windowMs) {
    const [row] = await ask<{ taken: number; left_ms: number }>(
      `INSERT INTO rate_limits AS mine (lineage, workspace_id, taken, ends_at)
       VALUES ($1, $2, $3, clock_timestamp() + $4 * interval '1 millisecond')
       ON CONFLICT (lineage) DO UPDATE SET
         taken = CASE WHEN ${RUNS} THEN mine.taken + excluded.taken ELSE excluded.taken END,
         ends_at = CASE WHEN ${RUNS} THEN mine.ends_at ELSE excluded.ends_at END
       RETURNING taken, (extract(epoch FROM ends_at - clock_timestamp()) * 1000)::float8 AS left_ms`,
      [lineage, workspaceId, count, windowMs],
    );
    if (!row) throw new Error('the count of requests was not answered');
    // What is kept is rounded to the millisecond, at the beginning perhaps to one that is past the window.
    return { taken: row.taken, leftMs: Math.min(row.left_ms, windowMs) };
  },
});

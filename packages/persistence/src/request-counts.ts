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

/** One statement, by the database's clock: whose own clock is wrong counts with the others all the same. */
export const requestCounts = (ask: Ask): RequestCounts => ({
  async add({ lineage, workspaceId }, count, windowMs) {
    const [row] = await ask<{ taken: number; left_ms: number }>(
      `INSERT INTO rate_limits AS mine (lineage, workspace_id, taken, ends_at)
       VALUES ($1, $2, $3, clock_timestamp() + $4 * interval '1 millisecond')
       ON CONFLICT (lineage) DO UPDATE SET
         taken = CASE WHEN mine.ends_at <= excluded.ends_at - $4 * interval '1 millisecond'
           THEN excluded.taken ELSE mine.taken + excluded.taken END,
         ends_at = CASE WHEN mine.ends_at <= excluded.ends_at - $4 * interval '1 millisecond'
           THEN excluded.ends_at ELSE mine.ends_at END
       RETURNING taken, (extract(epoch FROM ends_at - clock_timestamp()) * 1000)::float8 AS left_ms`,
      [lineage, workspaceId, count, windowMs],
    );
    if (!row) throw new Error('the count of requests was not answered');
    // What is kept is rounded to the millisecond, at the beginning perhaps to one that is past the window.
    return { taken: row.taken, leftMs: Math.min(row.left_ms, windowMs) };
  },
});

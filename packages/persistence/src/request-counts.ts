import type { WorkspaceId } from '@switchboard/domain';
import type { QueryRunner } from './query-runner.js';

/** The requests to take from one bucket, which is a lineage or a workspace by its ID. */
interface RequestCountInput {
  readonly id: string;
  readonly workspaceId: WorkspaceId;
  readonly count: number;
}

interface RequestCountResult {
  readonly id: string;
  /** All requests taken from the bucket in its current window, by all processes. */
  readonly taken: number;
  /** The remaining time of the window. */
  readonly leftMs: number;
}

/**
 * A window that ends far later than a new one was started before the clock was set back, and would last until
 * the clock returns. A small difference is a window that another process started while this one waited for
 * the lock.
 */
const IS_WINDOW_CURRENT = `counted.ends_at > excluded.ends_at - $4 * interval '1 millisecond'
           AND counted.ends_at < excluded.ends_at + $4 * interval '1 millisecond'`;

/**
 * One statement with the database's clock, so that a process with a wrong clock counts correctly. Rows are
 * locked in the order of their IDs, so that two statements never deadlock.
 */
export const requestCounts = (query: QueryRunner) => ({
  /**
   * Takes from several distinct buckets at once; starts a new window of `windowMs` where the last one has
   * ended. Returns null for a bucket whose workspace was deleted, which must not fail the others.
   */
  async add(
    slices: readonly RequestCountInput[],
    windowMs: number,
  ): Promise<readonly (RequestCountResult | null)[]> {
    const rows = await query<{ bucket: string; taken: number; left_ms: number }>(
      `INSERT INTO rate_limits AS counted (bucket, workspace_id, taken, ends_at)
       SELECT bucket, workspace_id, count, clock_timestamp() + $4 * interval '1 millisecond'
       FROM unnest($1::text[], $2::text[], $3::int[]) AS slice (bucket, workspace_id, count)
       JOIN workspaces ON workspaces.id = workspace_id
       ORDER BY bucket
       ON CONFLICT (bucket) DO UPDATE SET
         taken = CASE WHEN ${IS_WINDOW_CURRENT} THEN counted.taken + excluded.taken ELSE excluded.taken END,
         ends_at = CASE WHEN ${IS_WINDOW_CURRENT} THEN counted.ends_at ELSE excluded.ends_at END
       RETURNING bucket, taken, (extract(epoch FROM ends_at - clock_timestamp()) * 1000)::float8 AS left_ms`,
      [
        slices.map(({ id }) => id),
        slices.map(({ workspaceId }) => workspaceId),
        slices.map(({ count }) => count),
        windowMs,
      ],
    );
    return slices.map(({ id }) => {
      const row = rows.find(({ bucket }) => bucket === id);
      if (!row) return null;
      // The stored value is rounded to the millisecond, possibly to one past the window.
      return { id, taken: row.taken, leftMs: Math.min(row.left_ms, windowMs) };
    });
  },
});

/** Counts the requests that all processes take from each bucket in its current window. */
export type RequestCounts = ReturnType<typeof requestCounts>;

import type { WorkspaceId } from '@switchboard/domain';
import type { QueryRunner } from './query-runner.js';

/** Requests to take from one bucket, which is a lineage or a workspace by its id. */
export interface RequestCountInput {
  readonly id: string;
  readonly workspaceId: WorkspaceId;
  readonly count: number;
}

export interface RequestCountResult {
  readonly id: string;
  /** All that was taken from the bucket in its current window, by all processes. */
  readonly taken: number;
  /** How long the window still runs. */
  readonly leftMs: number;
}

/** How many requests all processes have taken from each bucket in its current window. */
export interface RequestCounts {
  /**
   * Takes from several buckets at once, each named once; begins a new window of `windowMs` where the last one is over. Null in
   * the place of a bucket whose workspace was deleted, which must not keep others from being counted.
   */
  add(
    slices: readonly RequestCountInput[],
    windowMs: number,
  ): Promise<readonly (RequestCountResult | null)[]>;
}

/**
 * What ends far beyond a new one was begun by a clock that has been set back since, and would last until that comes again.
 * Not far is what somebody began while we waited for our turn.
 */
const IS_WINDOW_CURRENT = `mine.ends_at > excluded.ends_at - $4 * interval '1 millisecond'
           AND mine.ends_at < excluded.ends_at + $4 * interval '1 millisecond'`;

/**
 * One statement, by the database's clock, so that a process whose own clock is wrong counts with the others all the same. Rows
 * are locked in the order of their ids, so that two statements never deadlock.
 */
export const requestCounts = (query: QueryRunner): RequestCounts => ({
  async add(slices, windowMs) {
    const rows = await query<{ bucket: string; taken: number; left_ms: number }>(
      `INSERT INTO rate_limits AS mine (bucket, workspace_id, taken, ends_at)
       SELECT bucket, workspace_id, count, clock_timestamp() + $4 * interval '1 millisecond'
       FROM unnest($1::text[], $2::text[], $3::int[]) AS slice (bucket, workspace_id, count)
       JOIN workspaces ON workspaces.id = workspace_id
       ORDER BY bucket
       ON CONFLICT (bucket) DO UPDATE SET
         taken = CASE WHEN ${IS_WINDOW_CURRENT} THEN mine.taken + excluded.taken ELSE excluded.taken END,
         ends_at = CASE WHEN ${IS_WINDOW_CURRENT} THEN mine.ends_at ELSE excluded.ends_at END
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
      // What is kept is rounded to the millisecond, at the beginning perhaps to one that is past the window.
      return { id, taken: row.taken, leftMs: Math.min(row.left_ms, windowMs) };
    });
  },
});

import type { WorkspaceId } from '@switchboard/domain';
import type { QueryRunner } from './query-runner.js';

/**
 * The channel on which the database announces the ID of a post, refund or connect session that changed while
 * a request waited.
 */
export const CHANGES_CHANNEL = 'switchboard_changes';

export const waitingCounts = (query: QueryRunner) => ({
  /**
   * Sets the number of waiting requests of a workspace in the process `holder`, for `leaseMs` from now; 0
   * releases all. Returns the granted number: fewer than requested where the other processes leave fewer of
   * `most`.
   */
  async set(
    workspaceId: WorkspaceId,
    holder: string,
    wanted: number,
    { most, leaseMs }: { readonly most: number; readonly leaseMs: number },
  ) {
    const [row] = await query<{ granted: number }>(
      'SELECT set_waiting_slots($1, $2, $3::int, $4::int, $5::int) AS granted',
      [workspaceId, holder, wanted, most, leaseMs],
    );
    if (!row) throw new Error('set_waiting_slots returned no row');
    return row.granted;
  },
});

/** Counts the waiting requests of each workspace across all processes. */
export type WaitingCounts = ReturnType<typeof waitingCounts>;

import type { DatabaseEntry } from './backup-entries.js';
import type { LoadQuery } from './load-database.js';

export type RestoreReason = 'restored_backup' | 'moved';

/**
 * Marks what the original installation may have sent since the backup, so that its platform is queried before anything
 * is sent again. A moved database has no such gap: nothing used it meanwhile.
 */
export async function markRestored(
  query: LoadQuery,
  { takenAt }: DatabaseEntry,
  reason: RestoreReason,
): Promise<void> {
  if (reason === 'moved') return;
  await query(
    `UPDATE deliveries SET status = 'unknown', error = NULL, next_attempt_at = NULL, read_backs = 0
     WHERE status IN ('pending', 'retrying', 'blocked') AND scheduled_at <= now()`,
  );
  // Later than any request of the original: what the store does not list then was not made.
  await query(
    `UPDATE refunds SET sent_at = now(), next_attempt_at = NULL,
       first_sent_at = CASE WHEN status <> 'awaiting_approval' THEN coalesce(first_sent_at, $1) END
     WHERE status IN ('pending', 'unknown', 'awaiting_approval')`,
    [takenAt],
  );
}

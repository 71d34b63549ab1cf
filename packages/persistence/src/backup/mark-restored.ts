import { doubtfulCauses } from '@switchboard/domain/pauses';
import type { DatabaseEntry } from './backup-entries.js';
import type { LoadQuery } from './load-database.js';

export type RestoreReason = 'restored_backup' | 'moved';

/**
 * Pauses the installation that was filled, and says why. The original of a backup may have sent more since then: what is
 * not settled is marked, so that its platform is queried before it is sent again. A moved database has no such gap:
 * nothing has used it since, unless it had been moved before: then it is an older copy, as a backup is.
 */
export async function markRestored(
  query: LoadQuery,
  { takenAt }: Pick<DatabaseEntry, 'takenAt'>,
  cause: RestoreReason,
  reason: string,
): Promise<void> {
  const mayHaveSuccessor = cause === 'moved' && (await wasMovedAway(query));
  if (mayHaveSuccessor) {
    const doubt = 'That database had been moved before, and its earlier successor may have sent what is due.';
    await pauseInstallation(query, 'restored_backup', `${reason} ${doubt}`);
  } else {
    await pauseInstallation(query, cause, reason);
    if (cause === 'moved') return;
  }
  await query(
    `UPDATE deliveries SET restored_at = now() WHERE status NOT IN ('published', 'deleted', 'cancelled')`,
  );
  // Later than any request of the original: what the store does not list then was not made. Where nothing was sent by the
  // time of the backup, the refund is as old as the backup; one that waits for an approval begins with it.
  await query(
    `UPDATE refunds SET sent_at = now(), next_attempt_at = NULL,
       first_sent_at = CASE WHEN status <> 'awaiting_approval' THEN coalesce(first_sent_at, $1) END
     WHERE status IN ('pending', 'unknown', 'awaiting_approval')`,
    [takenAt],
  );
}

const wasMovedAway = async (query: LoadQuery): Promise<boolean> =>
  (await query(`SELECT id FROM installation WHERE pause ->> 'cause' = 'moved_away'`)).length > 0;

/** Pauses the database that was moved away, so that it is not used by mistake. Its rows stay as they are. */
export const markMoved = (query: LoadQuery, reason: string): Promise<void> =>
  pauseInstallation(query, 'moved_away', reason);

/** A move does not replace the doubt that another installation may have sent what is due. */
async function pauseInstallation(
  query: LoadQuery,
  cause: RestoreReason | 'moved_away',
  reason: string,
): Promise<void> {
  await query(
    `INSERT INTO installation (id, pause)
     VALUES (1, jsonb_build_object('cause', $1::text, 'reason', $2::text, 'by', 'system:operator',
       'at', to_char(now() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')))
     ON CONFLICT (id) DO UPDATE SET timeline = NULL, promotion = NULL, pause = CASE
       WHEN excluded.pause ->> 'cause' = 'moved' AND installation.pause ->> 'cause' = ANY ($3) THEN installation.pause
       ELSE excluded.pause END`,
    [cause, reason, doubtfulCauses],
  );
}

import type { DeliveryAttempt } from '@switchboard/domain/deliveries';
import type { DeliverySettlement, ClaimCapacity } from '@switchboard/domain/ports';
import { jsonText } from './columns.js';
import { Prisma } from './generated/client.js';
import { toRow } from './post-rows.js';
import { isNotHeld } from './prisma-pauses.js';
import { constant } from './query-runner.js';

const isLeaseFree = Prisma.sql`(lease_until IS NULL OR lease_until <= now())`;

const isDue = Prisma.sql`(${isLeaseFree}
  AND ((status IN ('pending', 'retrying') AND coalesce(next_attempt_at, scheduled_at) <= now())
    OR (status = 'blocked' AND not_after <= now())))`;

/** The condition of a claim to deliver. */
export const isDueForDelivery = Prisma.sql`(restored_at IS NULL AND ${isDue})`;

/**
 * The condition of a claim to read back: unknown outcomes, due or not, and due deliveries of a backup, unless a pause
 * holds them. Within `WITH ${held}`.
 */
export const isClaimableForReadBack = Prisma.sql`((status = 'unknown' AND ${isLeaseFree})
  OR (status = 'sending' AND lease_until <= now()) OR (restored_at IS NOT NULL AND ${isDue} AND ${isNotHeld}))`;

const setLease = (leaseSeconds: number) =>
  Prisma.sql`epoch = epoch + 1, lease_until = now() + make_interval(secs => ${leaseSeconds})`;
export const claimForDelivery = (leaseSeconds: number) =>
  Prisma.sql`status = 'sending', attempts = attempts + 1, read_backs = 0, ${setLease(leaseSeconds)}`;
export const claimForReadBack = (leaseSeconds: number) =>
  Prisma.sql`status = 'unknown', read_backs = read_backs + 1, ${setLease(leaseSeconds)}`;

/** A claim of due edits, oldest first. Within `WITH ${held}`. */
export const claimEdits = (limit: number, leaseSeconds: number) => Prisma.sql`
  UPDATE deliveries SET ${setLease(leaseSeconds)} WHERE id = ANY (ARRAY(
    SELECT id FROM deliveries
    WHERE edit IS NOT NULL AND status = 'published' AND next_attempt_at <= now() AND ${isLeaseFree} AND ${isNotHeld}
    ORDER BY next_attempt_at LIMIT ${limit} FOR UPDATE SKIP LOCKED))`;

const columns = Prisma.sql`id, workspace_id, connection_id, status`;
const always = Prisma.sql`true`;

/**
 * Selects due deliveries. One branch per index, each with its own limit: a million waiting posts cost no more
 * than none.
 */
export const selectDueForDelivery = (limit: number | Prisma.Sql, where = always) => Prisma.sql`
  (SELECT ${columns}, coalesce(next_attempt_at, scheduled_at) AS since FROM deliveries
    WHERE status IN ('pending', 'retrying') AND coalesce(next_attempt_at, scheduled_at) <= now() AND restored_at IS NULL
      AND ${isLeaseFree} AND ${where}
    ORDER BY coalesce(next_attempt_at, scheduled_at) LIMIT ${limit})
  UNION ALL
  (SELECT ${columns}, not_after AS since FROM deliveries
    WHERE status = 'blocked' AND not_after <= now() AND restored_at IS NULL AND ${isLeaseFree} AND ${where}
    ORDER BY not_after LIMIT ${limit})`;

/** Selects due read-backs in the same way. Within `WITH ${held}`. */
export const selectDueForReadBack = (limit: number | Prisma.Sql, where = always) => Prisma.sql`
  (SELECT ${columns}, lease_until AS since FROM deliveries
    WHERE status = 'sending' AND lease_until <= now() AND ${where} ORDER BY lease_until LIMIT ${limit})
  UNION ALL
  (SELECT ${columns}, next_attempt_at AS since FROM deliveries
    WHERE status = 'unknown' AND (next_attempt_at IS NULL OR next_attempt_at <= now()) AND ${isLeaseFree} AND ${where}
    ORDER BY next_attempt_at LIMIT ${limit})
  UNION ALL
  (SELECT ${columns}, coalesce(next_attempt_at, scheduled_at) AS since FROM deliveries
    WHERE status IN ('pending', 'retrying') AND coalesce(next_attempt_at, scheduled_at) <= now() AND restored_at IS NOT NULL
      AND ${isLeaseFree} AND ${isNotHeld} AND ${where}
    ORDER BY coalesce(next_attempt_at, scheduled_at) LIMIT ${limit})
  UNION ALL
  (SELECT ${columns}, not_after AS since FROM deliveries
    WHERE status = 'blocked' AND not_after <= now() AND restored_at IS NOT NULL AND ${isLeaseFree} AND ${isNotHeld} AND ${where}
    ORDER BY not_after LIMIT ${limit})`;

/** Selects the time until the next delivery is due: one row of the index that a claim uses. */
export const selectNextDue = (withinMs: number) => Prisma.sql`
  SELECT ceil(extract(epoch FROM coalesce(next_attempt_at, scheduled_at) - now()) * 1000)::int AS "inMs"
  FROM deliveries
  WHERE status IN ('pending', 'retrying') AND coalesce(next_attempt_at, scheduled_at) > now()
    AND coalesce(next_attempt_at, scheduled_at) <= now() + make_interval(secs => ${withinMs / 1000}::float8)
  ORDER BY coalesce(next_attempt_at, scheduled_at) LIMIT 1`;

/**
 * The number of rows to scan per wanted row: rows of an account at its concurrency limit may precede those of
 * others.
 */
const SCAN_FACTOR = 4;

/** A power of two: the statement has few texts, each of which a connection plans once (`constant`). */
const scanLimit = (limit: number) => constant(2 ** Math.ceil(Math.log2(Math.max(1, limit * SCAN_FACTOR))));

/**
 * Selects and locks the IDs of due deliveries whose account has capacity; skips rows that another transaction
 * locks. Within `WITH ${held}`.
 */
export function selectClaimable(
  as: 'deliver' | 'read_back',
  { limit, perConnection, remaining }: ClaimCapacity,
): Prisma.Sql {
  const fullConnections = [...remaining].filter(([, room]) => room <= 0).map(([id]) => id);
  const busyConnections = [...remaining].filter(([, room]) => room > 0);
  const hasRoom = Prisma.sql`connection_id <> ALL (${fullConnections})`;
  const [due, isStillClaimable] =
    as === 'deliver'
      ? [selectDueForDelivery(scanLimit(limit), Prisma.sql`${hasRoom} AND ${isNotHeld}`), isDueForDelivery]
      : [selectDueForReadBack(scanLimit(limit), hasRoom), isClaimableForReadBack];
  return Prisma.sql`
    SELECT id FROM deliveries WHERE ${isStillClaimable} AND id IN (
      SELECT id FROM (
        SELECT due.id, due.since, busy.room,
          row_number() OVER (PARTITION BY due.connection_id ORDER BY since NULLS FIRST, due.id) AS turn
        FROM (${due}) AS due
        LEFT JOIN unnest(${busyConnections.map(([id]) => id)}::text[], ${busyConnections.map(([, room]) => room)}::int[]) AS busy (id, room)
          ON busy.id = due.connection_id
      ) AS queued
      WHERE turn <= coalesce(room, ${perConnection}) ORDER BY since NULLS FIRST, id LIMIT ${limit})
    FOR UPDATE SKIP LOCKED`;
}

/** The columns that a settlement may change. */
const settleableColumns = [
  'status',
  'parts',
  'external_id',
  'url',
  'published_at',
  'error',
  'next_attempt_at',
  'resolve_url_at',
  'restored_at',
  'not_after',
  'epoch',
  'read_backs',
  'edit',
  'content_digest',
];

/** Writes settlements under their lease epochs: columns that a settlement does not name stay unchanged. */
export function settleStatement(endings: readonly DeliverySettlement[]): Prisma.Sql {
  const rows = endings.map(({ id, epoch, changes }) => ({ id, epoch, changes: toRow(changes) }));
  const set = settleableColumns.map(
    (column) =>
      `${column} = CASE WHEN ending.changes ? '${column}' THEN next.${column} ELSE deliveries.${column} END`,
  );
  return Prisma.sql`
    UPDATE deliveries SET ${Prisma.raw(set.join(', '))}, lease_until = NULL
    FROM jsonb_to_recordset(${jsonText(rows)}::jsonb) AS ending (id text, epoch int, changes jsonb),
      jsonb_populate_record(NULL::deliveries, ending.changes) AS next
    WHERE deliveries.id = ANY (${endings.map(({ id }) => id)}::text[])
      AND deliveries.id = ending.id AND deliveries.epoch = ending.epoch`;
}

export const insertAttempts = (attempts: readonly DeliveryAttempt[]): Prisma.Sql => Prisma.sql`
  INSERT INTO delivery_attempts
  SELECT * FROM jsonb_populate_recordset(NULL::delivery_attempts, ${jsonText(attempts.map(toRow))}::jsonb)`;

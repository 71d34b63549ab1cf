import type { ConnectionId, DeliveryId, ExternalPostId, WorkspaceId } from '@switchboard/domain';
import {
  ACCOUNT_EVERY_HOURS,
  EXTERNAL_POSTS_DAYS,
  externalPostSchedule,
  LIVE_POSTS_MAX,
  metricNames,
  postSchedule,
  RAW_SNAPSHOT_DAYS,
} from '@switchboard/domain/analytics';
import type { Snapshot, Snapshots, StalePosts } from '@switchboard/domain/ports';
import { type DatabaseClient, readRow } from './columns.js';
import { Prisma } from './generated/client.js';
import type { SnapshotModel } from './generated/models.js';
import { sumPostsByHour } from './hour-sums.js';
import { selectStale } from './select-stale.js';
import { sumGroupsByInterval, sumPosts } from './sum-posts.js';

/** The subjects from which the connections of a claim are chosen, for each connection. */
const CLAIM_SUBJECTS = 50;
/** The rows that one step of thinning reads, which limits how long locks are held. */
const THINNING_ROWS = 1000;

const metricAssignments = metricNames.map((name) => `${name} = (n.metrics ->> '${name}')::bigint`).join(', ');

interface ClaimedReading {
  readonly workspaceId: WorkspaceId;
  readonly connectionId: ConnectionId;
  readonly deliveryId: DeliveryId | null;
  readonly externalPostId: ExternalPostId | null;
}

export function prismaSnapshots(client: DatabaseClient): Snapshots {
  const selectLatest = async (workspaceId: WorkspaceId, subjects: readonly string[]) => {
    const rows = await client.$queryRaw<SnapshotModel[]>`
      SELECT s.subject, s.hour, s.workspace_id AS "workspaceId", s.connection_id AS "connectionId",
        s.delivery_id AS "deliveryId", s.external_post_id AS "externalPostId", s.metrics, s.taken_at AS "takenAt", s.thinned
      FROM unnest(${[...subjects]}::text[]) AS wanted (subject)
      CROSS JOIN LATERAL (SELECT * FROM snapshots WHERE subject = wanted.subject ORDER BY hour DESC LIMIT 1) AS s
      WHERE s.workspace_id = ${workspaceId}`;
    return rows.map(toSnapshot);
  };

  return {
    async listLatest(workspaceId, deliveryIds) {
      const found = await selectLatest(workspaceId, deliveryIds);
      return new Map(found.map((item) => [item.deliveryId as DeliveryId, item]));
    },
    async listLatestOfAccounts(workspaceId, connectionIds) {
      const found = await selectLatest(workspaceId, connectionIds);
      return new Map(found.map((item) => [item.connectionId, item]));
    },
    async listOfAccounts(workspaceId, { connectionIds, from, to }) {
      const rows = await client.$queryRaw<SnapshotModel[]>`
        SELECT s.subject, s.hour, s.workspace_id AS "workspaceId", s.connection_id AS "connectionId",
          s.delivery_id AS "deliveryId", s.external_post_id AS "externalPostId", s.metrics, s.taken_at AS "takenAt", s.thinned
        FROM unnest(${[...connectionIds]}::text[]) AS wanted (subject)
        CROSS JOIN LATERAL (
          (SELECT * FROM snapshots WHERE subject = wanted.subject AND taken_at < ${from}
            AND hour <= ${from} ORDER BY hour DESC LIMIT 1)
          UNION ALL
          SELECT * FROM snapshots WHERE subject = wanted.subject AND taken_at >= ${from} AND taken_at < ${to}
            AND hour >= date_trunc('hour', ${from}::timestamptz, 'UTC') AND hour < ${to}
        ) AS s
        WHERE s.workspace_id = ${workspaceId} ORDER BY s.taken_at`;
      const found = Map.groupBy(rows.map(toSnapshot), ({ connectionId }) => connectionId);
      return new Map(connectionIds.map((id) => [id, found.get(id) ?? []]));
    },
    listStale: (workspaceId, selection, now) =>
      client.$queryRaw<StalePosts[]>(selectStale(workspaceId, selection, now)),
    sumPosts: (workspaceId, query) => sumPosts(client, workspaceId, query),
    sumGroupsByInterval: (workspaceId, query) => sumGroupsByInterval(client, workspaceId, query),
    sumPostsByHour: (workspaceId, query) => sumPostsByHour(client, workspaceId, query),
    async findFirstTime(workspaceId, connectionIds) {
      const [row] = await client.$queryRaw<{ at: Date | null }[]>`
        SELECT min(first.at) AS at
        FROM unnest(${[...connectionIds]}::text[]) AS wanted (id)
        CROSS JOIN LATERAL (
          SELECT taken_at AS at FROM snapshots WHERE workspace_id = ${workspaceId} AND connection_id = wanted.id
          ORDER BY taken_at LIMIT 1
        ) AS first`;
      return row?.at ?? null;
    },
    async insert(snapshots) {
      // Reports and the worker may fetch the same metrics concurrently: the newer row wins, and rows are
      // locked in one order.
      await client.$executeRaw`
        WITH given AS (
          SELECT coalesce("deliveryId", "externalPostId", "connectionId") AS subject, date_trunc('hour', "takenAt", 'UTC') AS hour, *
          FROM jsonb_to_recordset(${JSON.stringify(snapshots)}::jsonb) AS given ("workspaceId" text, "connectionId" text,
            "deliveryId" text, "externalPostId" text, metrics jsonb, "takenAt" timestamptz)
        ), stored AS (
          INSERT INTO snapshots (subject, hour, workspace_id, connection_id, delivery_id, external_post_id, metrics, taken_at)
          SELECT DISTINCT ON (subject, hour) subject, hour, "workspaceId", "connectionId", "deliveryId", "externalPostId", metrics, "takenAt"
          FROM given
          ORDER BY subject, hour, "takenAt" DESC
          ON CONFLICT (subject, hour) DO UPDATE SET metrics = excluded.metrics, taken_at = excluded.taken_at
            WHERE snapshots.workspace_id = excluded.workspace_id AND snapshots.taken_at <= excluded.taken_at
        ), newest AS (
          SELECT DISTINCT ON (subject) given.* FROM given ORDER BY subject, "takenAt" DESC
        ), locked AS (
          SELECT l.subject FROM latest_metrics l JOIN newest n ON n.subject = l.subject AND n."workspaceId" = l.workspace_id
          ORDER BY l.subject FOR NO KEY UPDATE OF l
        )
        UPDATE latest_metrics l SET taken_at = n."takenAt", ${Prisma.raw(metricAssignments)}
        FROM locked JOIN newest n USING (subject)
        WHERE l.subject = locked.subject AND (l.taken_at IS NULL OR l.taken_at <= n."takenAt")`;
    },
    async claimDue(limit) {
      const rows = await client.$queryRaw<ClaimedReading[]>`
        WITH due AS (
          SELECT connection_id FROM latest_metrics WHERE next_read_at <= now()
          ORDER BY next_read_at LIMIT ${limit * CLAIM_SUBJECTS} FOR NO KEY UPDATE SKIP LOCKED
        ), claimed AS (
          SELECT reading.subject
          FROM (SELECT DISTINCT connection_id FROM due LIMIT ${limit}) AS account
          CROSS JOIN LATERAL (
            SELECT subject FROM latest_metrics m
            WHERE m.connection_id = account.connection_id AND m.next_read_at <= now() + interval '10 minutes'
            ORDER BY next_read_at LIMIT ${LIVE_POSTS_MAX} FOR NO KEY UPDATE SKIP LOCKED
          ) AS reading
        )
        UPDATE latest_metrics l SET next_read_at = CASE
          WHEN c.deleted_at IS NOT NULL THEN NULL
          WHEN l.published_at IS NULL THEN now() + make_interval(hours => ${ACCOUNT_EVERY_HOURS})
          WHEN l.external_post_id IS NOT NULL THEN (
            SELECT now() + make_interval(hours => step."everyHours")
            FROM jsonb_to_recordset(${JSON.stringify(externalPostSchedule)}::jsonb) AS step ("untilHours" int, "everyHours" int)
            WHERE now() - l.published_at < make_interval(hours => step."untilHours") AND EXISTS (
              SELECT FROM post_listings p WHERE p.connection_id = l.connection_id
                AND p.requested_at > now() - make_interval(days => ${EXTERNAL_POSTS_DAYS}))
            ORDER BY step."untilHours" LIMIT 1)
          ELSE (
            SELECT now() + make_interval(hours => step."everyHours")
            FROM jsonb_to_recordset(${JSON.stringify(postSchedule)}::jsonb) AS step ("untilHours" int, "everyHours" int)
            WHERE now() - l.published_at < make_interval(hours => step."untilHours")
            ORDER BY step."untilHours" LIMIT 1)
          END
        FROM claimed, connections c
        WHERE l.subject = claimed.subject AND c.workspace_id = l.workspace_id AND c.id = l.connection_id
        RETURNING l.workspace_id AS "workspaceId", l.connection_id AS "connectionId", l.delivery_id AS "deliveryId",
          l.external_post_id AS "externalPostId"`;
      return [...Map.groupBy(rows, ({ connectionId }) => connectionId)].map(([connectionId, readings]) => ({
        workspaceId: readings[0]?.workspaceId as WorkspaceId,
        connectionId,
        deliveryIds: readings.flatMap(({ deliveryId }) => deliveryId ?? []),
        externalPostIds: readings.flatMap(({ externalPostId }) => externalPostId ?? []),
        includesAccount: readings.some(
          ({ deliveryId, externalPostId }) => deliveryId === null && externalPostId === null,
        ),
      }));
    },
  };
}

/**
 * Deletes snapshots that are older than `RAW_SNAPSHOT_DAYS`, except the last one of each subject and day (UTC). Returns
 * the number of snapshots read, the oldest first and at most a thousand; call again while it is not 0.
 */
export async function thinSnapshots(client: DatabaseClient): Promise<number> {
  const [row] = await client.$queryRaw<{ count: number }[]>`
    WITH old AS (
      SELECT s.subject, s.hour, EXISTS (
          SELECT FROM snapshots later
          WHERE later.subject = s.subject AND later.hour > s.hour AND later.hour < date_trunc('day', s.hour, 'UTC') + interval '1 day'
        ) AS is_superseded
      FROM snapshots s
      WHERE NOT s.thinned AND s.hour < date_trunc('day', now(), 'UTC') - make_interval(days => ${RAW_SNAPSHOT_DAYS})
      ORDER BY s.hour LIMIT ${THINNING_ROWS} FOR UPDATE OF s SKIP LOCKED
    ), deleted AS (
      DELETE FROM snapshots s USING old WHERE s.subject = old.subject AND s.hour = old.hour AND old.is_superseded
    ), kept AS (
      UPDATE snapshots s SET thinned = true FROM old
      WHERE s.subject = old.subject AND s.hour = old.hour AND NOT old.is_superseded
    )
    SELECT count(*)::int AS count FROM old`;
  return row?.count ?? 0;
}

const toSnapshot = ({
  subject: _,
  hour: __,
  thinned: ___,
  externalPostId,
  ...row
}: SnapshotModel): Snapshot => ({
  ...readRow<Omit<Snapshot, 'externalPostId'>>(row),
  ...(externalPostId !== null && { externalPostId: externalPostId as ExternalPostId }),
});

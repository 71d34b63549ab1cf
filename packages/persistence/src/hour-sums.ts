import { createHash } from 'node:crypto';
import type { WorkspaceId } from '@switchboard/domain';
import type { HourSums, HourSumsQuery } from '@switchboard/domain/ports';
import type { DatabaseClient } from './columns.js';
import { Prisma, type PrismaClient } from './generated/client.js';
import { derived, intervalOf, listed, postMetrics } from './metric-columns.js';
import { byIndex, lockSums, startOf, STEP_TIMEOUT_MS } from './metric-sums.js';

/** A report that reads more posts than these has its hours summed. */
const POSTS_MAX = 1000;
/** Of one workspace, each with the connections of other reports. */
const SETS_MAX = 20;
/** For how long hours are summed after the last request. */
const REQUESTED_DAYS = 30;
/** The days that one step sums, of the newest posts that are not summed. */
const STEP_DAYS = 31;

const HOUR_SECONDS = 3600;
/** From a Monday to 1970-01-01, a Thursday. */
const HOURS_FROM_MONDAY = Prisma.raw('72');

const summed = ['engagements', 'rated_impressions', 'rated_engagements'];
const hourColumns = listed((name) => name, summed);
const hourSums = listed((name) => `sum(${name})::float8 AS ${name}`, summed);

interface HourRow extends Omit<HourSums, 'sums'> {
  readonly engagements: number | null;
  readonly rated_impressions: number | null;
  readonly rated_engagements: number | null;
  /** The number of posts that were read by themselves. */
  readonly readCount: number;
  /** Whether the hours of these connections were requested today; null when they never were. */
  readonly wasRequested: boolean | null;
}

/**
 * From summed hours, and from posts where these are missing or outdated. Where many posts were read, the hours of these
 * connections are summed from then on.
 */
export async function sumPostsByHour(
  client: DatabaseClient,
  workspaceId: WorkspaceId,
  query: HourSumsQuery,
): Promise<readonly HourSums[]> {
  const offset = offsetOf(query);
  const digest = offset === null ? null : digestOf(query.connectionIds, offset);
  const rows = await client.$queryRaw<HourRow[]>(selectHours(workspaceId, query, digest));
  const readCount = rows.reduce((sum, row) => sum + row.readCount, 0);
  const wasRequested = rows[0]?.wasRequested ?? null;
  if (offset !== null && (wasRequested === null ? readCount > POSTS_MAX : !wasRequested)) {
    await requestHourSums(client, workspaceId, query.connectionIds, offset);
  }
  return rows.map(({ weekday, hour, postCount, measuredPostCount, ratedPostCount, ...sums }) => ({
    weekday,
    hour,
    postCount,
    measuredPostCount,
    ratedPostCount,
    sums: {
      engagements: sums.engagements,
      rated_impressions: sums.rated_impressions,
      rated_engagements: sums.rated_engagements,
    },
  }));
}

/** From now on, a worker sums the hours of these connections. */
export async function requestHourSums(
  client: DatabaseClient,
  workspaceId: WorkspaceId,
  connectionIds: HourSumsQuery['connectionIds'],
  offset: number,
): Promise<void> {
  const digest = digestOf(connectionIds, offset);
  await client.$executeRaw`
    INSERT INTO hour_sum_sets (workspace_id, digest, connection_ids, offset_seconds)
    SELECT ${workspaceId}, ${digest}, ${[...connectionIds]}::text[], ${offset}::int
    WHERE (SELECT count(*) FROM hour_sum_sets s WHERE s.workspace_id = ${workspaceId} AND s.digest <> ${digest}) < ${SETS_MAX}
    ON CONFLICT (workspace_id, digest) DO UPDATE SET requested_at = now()`;
}

/** How long after the full hour (UTC) the hours of the query begin; null where that changes, or is within an hour of it. */
export function offsetOf({ offsets, from, to }: HourSumsQuery): number | null {
  const after = (seconds: number) => ((seconds % HOUR_SECONDS) + HOUR_SECONDS) % HOUR_SECONDS;
  const starts = [from, to, ...offsets.slice(1).map((change) => change.from)];
  const [offset, ...others] = new Set([
    ...offsets.map(({ seconds }) => after(-seconds)),
    ...starts.map((at) => after(at.getTime() / 1000)),
  ]);
  return offset === undefined || others.length > 0 ? null : offset;
}

const digestOf = (connectionIds: HourSumsQuery['connectionIds'], offset: number) =>
  createHash('sha256')
    .update([offset, ...[...connectionIds].sort()].join(' '))
    .digest('hex');

/**
 * The local time is computed from the offsets of the query: the time zones of PostgreSQL may be of another
 * version than those by which the range was computed. The hour of the week is one number: a
 * local timestamp of which weekday and hour are extracted makes the statement a third slower.
 */
function selectHours(
  workspaceId: WorkspaceId,
  { connectionIds, from, to, offsets }: HourSumsQuery,
  digest: string | null,
): Prisma.Sql {
  const ids = Prisma.sql`${[...connectionIds]}::text[]`;
  const [start, end] = [from, to].map((at) => Prisma.sql`${at.toISOString()}::timestamptz`);
  const intervals = offsets.map((change) => change.from);
  const seconds = Prisma.sql`(SELECT ${offsets.map((offset) => offset.seconds)}::float8[])`;
  const localSeconds = Prisma.sql`date_part('epoch', at) + ${seconds}[${intervalOf('at', intervals)} + 1]`;
  const dayOf = (at: Prisma.Sql | undefined) => Prisma.sql`(${at} AT TIME ZONE 'UTC')::date`;
  return Prisma.sql`
    WITH requested AS MATERIALIZED (
      SELECT id, coalesce(${startOf('summed_from')}, 'infinity') AS summed_at, requested_at > now() - interval '1 day' AS is_recent
      FROM hour_sum_sets WHERE workspace_id = ${workspaceId} AND digest = ${digest}
    ), summed AS MATERIALIZED (
      SELECT least(greatest(coalesce((SELECT summed_at FROM requested), 'infinity'), ${start}), ${end}) AS from_at
    ), invalidated AS MATERIALIZED (
      SELECT DISTINCT day FROM invalidated_metric_days
      WHERE workspace_id = ${workspaceId} AND connection_id = ANY (${ids}) AND day >= ${dayOf(start)} AND day <= ${dayOf(end)}
    ), single AS (
      SELECT ${start} AS from_at, from_at AS to_at FROM summed
      UNION ALL
      SELECT greatest(${startOf('day')}, from_at), least(${startOf('day + 1')}, ${end}) FROM invalidated, summed
    ), parts AS (
      SELECT starts_at AS at, post_id, post_count, measured_post_count, rated_post_count, ${hourColumns}
      FROM hour_sums
      WHERE workspace_id = ${workspaceId} AND set_id = (SELECT id FROM requested) AND starts_at >= (SELECT from_at FROM summed) AND starts_at < ${end}
        AND NOT EXISTS (SELECT FROM invalidated WHERE day = ${dayOf(Prisma.sql`starts_at`)})
      UNION ALL
      SELECT published_at, post_id, NULL, NULL, NULL, ${hourColumns}
      FROM (${derived(Prisma.sql`
        SELECT l.* FROM single s CROSS JOIN unnest(${ids}) AS a (connection_id)
        JOIN LATERAL (
          SELECT post_id, published_at, ${postMetrics} FROM latest_metrics p
          WHERE p.workspace_id = ${workspaceId} AND p.connection_id = a.connection_id
            AND p.published_at >= s.from_at AND p.published_at < s.to_at AND p.delivery_id IS NOT NULL
          ${byIndex}
        ) AS l ON true`)}) AS posts
    ), posts AS (
      SELECT week_hour, post_id, ${hourSums},
        CASE WHEN post_id = '' THEN sum(post_count) ELSE 1 END AS post_count,
        CASE WHEN post_id = '' THEN sum(measured_post_count) ELSE least(count(engagements), 1) END AS measured_post_count,
        CASE WHEN post_id = '' THEN sum(rated_post_count) ELSE least(count(rated_engagements), 1) END AS rated_post_count
      FROM (
        SELECT *, mod(floor((${localSeconds}) / ${HOUR_SECONDS})::int + ${HOURS_FROM_MONDAY}, 168) AS week_hour FROM parts
      ) AS placed
      GROUP BY week_hour, post_id
    )
    SELECT week_hour / 24 + 1 AS weekday, week_hour % 24 AS hour, sum(post_count)::int AS "postCount",
      sum(measured_post_count)::int AS "measuredPostCount", sum(rated_post_count)::int AS "ratedPostCount", ${hourSums},
      count(*) FILTER (WHERE post_id <> '')::int AS "readCount", (SELECT is_recent FROM requested) AS "wasRequested"
    FROM posts GROUP BY week_hour ORDER BY week_hour`;
}

/** In the transaction that sums these days: `days` has the columns workspace_id, connection_id and day. */
export async function sumHoursOfDays(client: DatabaseClient, days: Prisma.Sql): Promise<void> {
  const spans = Prisma.sql`
    SELECT s.workspace_id, s.id AS set_id, ${startOf('i.day')} AS from_at, ${startOf('i.day + 1')} AS to_at
    FROM ${days} JOIN hour_sum_sets s ON s.workspace_id = i.workspace_id AND i.connection_id = ANY (s.connection_ids) AND i.day >= s.summed_from
    GROUP BY s.workspace_id, s.id, i.day`;
  await client.$executeRaw`
    DELETE FROM hour_sums h USING (${spans}) AS s
    WHERE h.workspace_id = s.workspace_id AND h.set_id = s.set_id AND h.starts_at >= s.from_at AND h.starts_at < s.to_at`;
  await insertHours(client, spans);
}

/**
 * Sums hours that were requested and are not summed yet, the newest first, and deletes those that are no longer requested.
 * Returns the number of steps; call again while it is not 0.
 */
export async function sumRequestedHours(prisma: PrismaClient): Promise<number> {
  const isOpen = Prisma.sql`
    (summed_from IS NULL OR summed_from > '-infinity' OR requested_at < now() - make_interval(days => ${REQUESTED_DAYS}))`;
  const [waiting] = await prisma.$queryRaw<
    object[]
  >`SELECT id FROM hour_sum_sets WHERE ${isOpen} ORDER BY id LIMIT 1`;
  if (!waiting) return 0;
  return prisma.$transaction(sumNextHours, { timeout: STEP_TIMEOUT_MS });
}

async function sumNextHours(client: DatabaseClient): Promise<number> {
  if (!(await lockSums(client))) return 0;
  await client.$executeRaw`
    DELETE FROM hour_sum_sets WHERE requested_at < now() - make_interval(days => ${REQUESTED_DAYS})`;
  const [next] = await client.$queryRaw<{ id: bigint; first_day: string | null; end_at: string }[]>`
    SELECT id, (${startOf(`coalesce(summed_from, 'infinity')`)})::text AS end_at, (
        SELECT (max(newest.at) AT TIME ZONE 'UTC')::date - ${STEP_DAYS - 1}::int
        FROM unnest(connection_ids) AS a (connection_id)
        CROSS JOIN LATERAL (
          SELECT published_at AS at FROM latest_metrics p
          WHERE p.workspace_id = s.workspace_id AND p.connection_id = a.connection_id
            AND p.published_at < ${startOf(`coalesce(s.summed_from, 'infinity')`)} AND p.delivery_id IS NOT NULL
          ORDER BY published_at DESC LIMIT 1
        ) AS newest
      )::text AS first_day
    FROM hour_sum_sets s WHERE summed_from IS NULL OR summed_from > '-infinity' ORDER BY id LIMIT 1`;
  if (!next) return 0;
  if (next.first_day !== null) {
    await insertHours(
      client,
      Prisma.sql`
        SELECT ${next.id}::bigint AS set_id, ${startOf('from_day')} AS from_at, ${next.end_at}::timestamptz AS to_at
        FROM (SELECT ${next.first_day}::date AS from_day) AS step`,
    );
  }
  await client.$executeRaw`
    UPDATE hour_sum_sets SET summed_from = ${next.first_day ?? '-infinity'}::date WHERE id = ${next.id}::bigint`;
  return 1;
}

/**
 * The hours of these sets in these times. A post that has deliveries in another hour as well has rows of its own: both
 * hours may be the same one of the week.
 */
const insertHours = (client: DatabaseClient, spans: Prisma.Sql) => client.$executeRaw`
  INSERT INTO hour_sums (set_id, workspace_id, starts_at, post_id, post_count, measured_post_count, rated_post_count, ${hourColumns})
  SELECT set_id, workspace_id, starts_at, own_post_id, count(*), count(engagements), count(rated_engagements), ${hourSums}
  FROM (
    SELECT set_id, workspace_id, starts_at, CASE WHEN bool_or(is_elsewhere) THEN post_id ELSE '' END AS own_post_id, ${hourSums}
    FROM (${derived(Prisma.sql`
      SELECT l.*, s.set_id, o.is_elsewhere
      FROM (
        SELECT t.set_id, t.from_at, t.to_at, s.workspace_id, s.connection_ids, s.offset_seconds
        FROM (${spans}) AS t JOIN hour_sum_sets s ON s.id = t.set_id
      ) AS s
      CROSS JOIN LATERAL unnest(s.connection_ids) AS a (connection_id)
      JOIN LATERAL (
        SELECT workspace_id, post_id, ${hourOf('p.published_at')} AS starts_at, ${postMetrics} FROM latest_metrics p
        WHERE p.workspace_id = s.workspace_id AND p.connection_id = a.connection_id
          AND p.published_at >= s.from_at AND p.published_at < s.to_at AND p.delivery_id IS NOT NULL
        ${byIndex}
      ) AS l ON true
      CROSS JOIN LATERAL (
        SELECT EXISTS (
          SELECT FROM latest_metrics p
          WHERE p.workspace_id = l.workspace_id AND p.post_id = l.post_id AND p.delivery_id IS NOT NULL
            AND p.connection_id = ANY (s.connection_ids) AND ${hourOf('p.published_at')} <> l.starts_at
        ) AS is_elsewhere
      ) AS o`)}) AS deliveries
    GROUP BY set_id, workspace_id, starts_at, post_id
  ) AS posts
  GROUP BY set_id, workspace_id, starts_at, own_post_id`;

/** Of a set `s`: an hour that two UTC days share begins again with the second one. */
const hourOf = (at: string) =>
  Prisma.raw(
    `greatest(date_bin('1 hour', ${at}, to_timestamp(s.offset_seconds)), date_trunc('day', ${at}, 'UTC'))`,
  );

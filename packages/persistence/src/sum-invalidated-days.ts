import type { DatabaseClient } from './columns.js';
import { Prisma, type PrismaClient } from './generated/client.js';
import { sumHoursOfDays } from './hour-sums.js';
import {
  derived,
  listed,
  maxColumns,
  postMetrics,
  rankedMetrics,
  sumColumns,
  sums,
} from './metric-columns.js';
import { byIndex, earlierDeliveries, lockSums, startOf, STEP_TIMEOUT_MS } from './metric-sums.js';

/** The days of accounts that one step sums, which limits how long its transaction takes. */
const STEP_DAYS = 500;

/**
 * Of one delivery, at least the rate of its post where the rates of its other deliveries are not higher. Engagements without
 * impressions raise the rate of the other deliveries without a limit.
 */
const highestRate = Prisma.sql`
  CASE WHEN rated_impressions > 0 THEN rated_engagements / rated_impressions
    WHEN rated_engagements > 0 AND delivery_count > 1 THEN 'Infinity'::float8 END`;
const maximaOfDeliveries = listed((name) => `max(${name})`, rankedMetrics);
const maximaOfDays = listed((name) => `max(max_${name})`, rankedMetrics);

interface InvalidatedDay {
  readonly workspace_id: string;
  readonly connection_id: string;
  readonly day: string;
}

/** Sums invalidated days, and their months. Returns the number of days; call again while it is not 0. */
export async function sumInvalidatedDays(prisma: PrismaClient): Promise<number> {
  const [waiting] = await prisma.$queryRaw<object[]>`SELECT id FROM invalidated_metric_days LIMIT 1`;
  return waiting ? prisma.$transaction(sumNextDays, { timeout: STEP_TIMEOUT_MS }) : 0;
}

async function sumNextDays(client: DatabaseClient): Promise<number> {
  if (!(await lockSums(client))) return 0;
  // Later statements see the changes of all invalidations that this one deletes.
  const days = await client.$queryRaw<InvalidatedDay[]>`
    WITH next AS (
      SELECT DISTINCT workspace_id, connection_id, day FROM invalidated_metric_days
      ORDER BY workspace_id, connection_id, day LIMIT ${STEP_DAYS}
    ), taken AS (
      DELETE FROM invalidated_metric_days i USING next n
      WHERE i.workspace_id = n.workspace_id AND i.connection_id = n.connection_id AND i.day = n.day
    )
    SELECT workspace_id, connection_id, day::text FROM next`;
  const changed = Prisma.sql`
    unnest(${days.map((each) => each.workspace_id)}::text[], ${days.map((each) => each.connection_id)}::text[],
      ${days.map(({ day }) => day)}::date[]) AS i (workspace_id, connection_id, day)`;
  const months = Prisma.sql`
    (SELECT DISTINCT workspace_id, connection_id, date_trunc('month', day)::date AS month FROM ${changed}) AS i`;
  await client.$executeRaw`
    DELETE FROM metric_sums m USING ${changed}
    WHERE m.workspace_id = i.workspace_id AND m.connection_id = i.connection_id AND NOT m.is_month AND m.starts_on = i.day`;
  await client.$executeRaw`
    INSERT INTO metric_sums (workspace_id, connection_id, is_month, starts_on, position, post_count, unread_count,
      first_published_at, oldest_taken_at, earlier_connection_ids, earlier_published_at, ${sumColumns},
      ${maxColumns}, max_delivery_count, first_post_id, last_post_id)
    SELECT workspace_id, connection_id, false, day, row_number() OVER (PARTITION BY workspace_id, connection_id, day), count(*),
      count(*) FILTER (WHERE taken_at IS NULL), min(published_at), min(taken_at), earlier_connection_ids, earlier_published_at, ${sums},
      ${maximaOfDeliveries}, max(delivery_count), min(post_id COLLATE "C"), max(post_id COLLATE "C")
    FROM (SELECT *, ${highestRate} AS engagement_rate FROM (${derived(Prisma.sql`
      SELECT l.*, i.day, e.delivery_count, coalesce(e.connection_ids, '{}') AS earlier_connection_ids,
        CASE WHEN e.first_at < ${startOf('i.day')} THEN e.published_at ELSE '{}' END AS earlier_published_at
      FROM ${changed}
      JOIN LATERAL (
        SELECT workspace_id, connection_id, post_id, subject, published_at, taken_at, ${postMetrics} FROM latest_metrics p
        WHERE p.workspace_id = i.workspace_id AND p.connection_id = i.connection_id
          AND p.published_at >= ${startOf('i.day')} AND p.published_at < ${startOf('i.day + 1')}
          AND p.delivery_id IS NOT NULL
        ${byIndex}
      ) AS l ON true
      ${earlierDeliveries}`)}) AS published) AS rated
    GROUP BY workspace_id, connection_id, day, earlier_connection_ids, earlier_published_at`;
  await client.$executeRaw`
    DELETE FROM metric_sums m USING ${months}
    WHERE m.workspace_id = i.workspace_id AND m.connection_id = i.connection_id AND m.is_month AND m.starts_on = i.month`;
  await client.$executeRaw`
    INSERT INTO metric_sums (workspace_id, connection_id, is_month, starts_on, position, post_count, unread_count,
      first_published_at, oldest_taken_at, earlier_connection_ids, earlier_published_at, ${sumColumns},
      ${maxColumns}, max_delivery_count, first_post_id, last_post_id)
    SELECT workspace_id, connection_id, true, month, row_number() OVER (PARTITION BY workspace_id, connection_id, month),
      sum(post_count), sum(unread_count), min(first_published_at), min(oldest_taken_at), earlier_connection_ids, earlier, ${sums},
      ${maximaOfDays}, max(max_delivery_count),
      CASE WHEN bool_and(first_post_id IS NOT NULL) THEN min(first_post_id COLLATE "C") END, max(last_post_id COLLATE "C")
    FROM (
      SELECT m.*, i.month, CASE WHEN m.earlier_published_at = '{}'
          OR (SELECT min(at) FROM unnest(m.earlier_published_at) AS at) >= ${startOf('i.month')}
        THEN '{}' ELSE m.earlier_published_at END AS earlier
      FROM ${months}
      JOIN metric_sums m ON m.workspace_id = i.workspace_id AND m.connection_id = i.connection_id AND NOT m.is_month
        AND m.starts_on >= i.month AND m.starts_on < i.month + interval '1 month'
    ) AS days
    GROUP BY workspace_id, connection_id, month, earlier_connection_ids, earlier`;
  await sumHoursOfDays(client, changed);
  return days.length;
}

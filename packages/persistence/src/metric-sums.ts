import type { WorkspaceId } from '@switchboard/domain';
import type { PostSelection, PostSumsQuery } from '@switchboard/domain/ports';
import type { DatabaseClient } from './columns.js';
import { countsOnce } from './count-once.js';
import { Prisma } from './generated/client.js';
import { derived, intervalOf, postMetrics, startsOf, sumColumns } from './metric-columns.js';

const DAY_MS = 86_400_000;

/** Of a transaction that writes sums. */
export const STEP_TIMEOUT_MS = 60_000;

/**
 * One process writes sums at a time: another one would write what it read before these changes. The setting tells a trigger
 * that this version also sums the hours of the days that it sums.
 */
export async function lockSums(client: DatabaseClient): Promise<boolean> {
  const [turn] = await client.$queryRaw<{ is_ours: boolean }[]>`
    SELECT pg_try_advisory_xact_lock(hashtextextended('metric sums', 0)) AS is_ours, set_config('switchboard.sums_hours', 'on', true)`;
  return turn?.is_ours === true;
}

/** In a lateral subquery: the planner would read all posts and join them, in place of a few by the index. */
export const byIndex = Prisma.raw('OFFSET 0');

/** The deliveries by which the post of the row `l` was published before, and the number of all of them. */
export const earlierDeliveries = Prisma.sql`
  CROSS JOIN LATERAL (
    SELECT array_agg(e.connection_id) FILTER (WHERE is_earlier) AS connection_ids,
      array_agg(e.published_at) FILTER (WHERE is_earlier) AS published_at,
      min(e.published_at) FILTER (WHERE is_earlier) AS first_at, count(e.published_at)::int AS delivery_count
    FROM (
      SELECT *, (o.published_at, o.subject) < (l.published_at, l.subject) AS is_earlier FROM latest_metrics o
      WHERE o.workspace_id = l.workspace_id AND o.post_id = l.post_id AND o.delivery_id IS NOT NULL
    ) AS e
  ) AS e`;

/** The first moment of a UTC day. */
export const startOf = (day: string): Prisma.Sql => Prisma.raw(`((${day})::timestamp AT TIME ZONE 'UTC')`);

interface Span {
  readonly from: Date;
  /** Not included. */
  readonly to: Date;
}

/** A range divided into months and days (UTC), each of them in one interval, and the rest. */
export interface RangeCover {
  readonly months: readonly Span[];
  readonly days: readonly Span[];
  readonly rest: readonly Span[];
}

/** Null where most of the range is the rest, such as days of another time zone. */
export function coverRange({
  from,
  to,
  intervals,
}: Pick<PostSumsQuery, 'from' | 'to' | 'intervals'>): RangeCover | null {
  const bounds = [from, ...intervals.filter((start) => start > from && start < to), to].map(Number);
  const [months, days, rest]: [Span[], Span[], Span[]] = [[], [], []];
  for (const [index, end] of bounds.entries()) {
    const start = bounds[index - 1] ?? end;
    const [firstDay, afterDays] = [startOfDayFrom(start), startOfDay(end)];
    if (firstDay >= afterDays) {
      addSpan(rest, start, end);
      continue;
    }
    const [firstMonth, afterMonths] = [startOfMonthFrom(firstDay), startOfMonth(afterDays)];
    addSpan(rest, start, firstDay);
    if (firstMonth < afterMonths) {
      addSpan(days, firstDay, firstMonth);
      addSpan(months, firstMonth, afterMonths);
      addSpan(days, afterMonths, afterDays);
    } else addSpan(days, firstDay, afterDays);
    addSpan(rest, afterDays, end);
  }
  const restMs = rest.reduce((sum, span) => sum + span.to.getTime() - span.from.getTime(), 0);
  return 2 * restMs < to.getTime() - from.getTime() ? { months, days, rest } : null;
}

/** Consecutive spans become one: the intervals of a series are looked up by time. */
function addSpan(spans: Span[], from: number, to: number): void {
  if (from >= to) return;
  const last = spans.at(-1);
  if (last?.to.getTime() === from) spans[spans.length - 1] = { from: last.from, to: new Date(to) };
  else spans.push({ from: new Date(from), to: new Date(to) });
}

const startOfDay = (at: number) => Math.floor(at / DAY_MS) * DAY_MS;
const startOfDayFrom = (at: number) => Math.ceil(at / DAY_MS) * DAY_MS;
const startOfMonth = (at: number) => new Date(at).setUTCDate(1);
function startOfMonthFrom(day: number): number {
  const month = startOfMonth(day);
  return month === day ? day : new Date(month).setUTCMonth(new Date(month).getUTCMonth() + 1);
}

const spansOf = (spans: readonly Span[]) => Prisma.sql`
  unnest(${spans.map(({ from }) => from.toISOString())}::timestamptz[], ${spans.map(({ to }) => to.toISOString())}::timestamptz[])
    AS span (from_at, to_at)`;
const datesOf = (spans: readonly Span[]) => Prisma.sql`
  SELECT (from_at AT TIME ZONE 'UTC')::date AS from_day, (to_at AT TIME ZONE 'UTC')::date AS to_day FROM ${spansOf(spans)}`;

/**
 * `summed` has the rows of `metric_sums` for a cover, and `single` the time in which posts are read by
 * themselves: its rest, and invalidated days. A month with one of these is read by its days.
 */
export function partsOf(
  workspaceId: WorkspaceId,
  connectionIds: readonly string[],
  { months, days, rest }: RangeCover,
): Prisma.Sql {
  const ids = Prisma.sql`${[...connectionIds]}::text[]`;
  const accounts = Prisma.sql`unnest(${ids}) AS a (connection_id)`;
  const sumsOf = (spans: Prisma.Sql, isMonth: boolean) => Prisma.sql`
    SELECT m.* FROM ${spans} AS s CROSS JOIN LATERAL (
      SELECT * FROM metric_sums m
      WHERE m.workspace_id = ${workspaceId} AND m.connection_id = s.connection_id AND m.is_month = ${isMonth}
        AND m.starts_on >= s.from_day AND m.starts_on < s.to_day
      ${byIndex}
    ) AS m`;
  return Prisma.sql`
    spans AS MATERIALIZED (
      SELECT *, true AS is_month FROM (${datesOf(months)}) AS months
      UNION ALL
      SELECT *, false FROM (${datesOf(days)}) AS days
    ), invalidated AS MATERIALIZED (
      SELECT DISTINCT i.connection_id, i.day, s.is_month
      FROM spans s JOIN invalidated_metric_days i ON i.day >= s.from_day AND i.day < s.to_day
      WHERE i.workspace_id = ${workspaceId} AND i.connection_id = ANY (${ids})
    ), open_months AS MATERIALIZED (
      SELECT DISTINCT connection_id, date_trunc('month', day)::date AS from_day, (date_trunc('month', day) + interval '1 month')::date AS to_day
      FROM invalidated WHERE is_month
    ), single AS (
      SELECT connection_id, from_at, to_at FROM ${accounts}, ${spansOf(rest)}
      UNION ALL
      SELECT connection_id, ${startOf('day')}, ${startOf('day + 1')} FROM invalidated
    ), summed AS (
      SELECT m.* FROM (${sumsOf(Prisma.sql`(SELECT * FROM ${accounts}, spans WHERE is_month)`, true)}) AS m
      WHERE NOT EXISTS (SELECT FROM open_months o WHERE o.connection_id = m.connection_id AND o.from_day = m.starts_on)
      UNION ALL
      SELECT m.* FROM (${sumsOf(
        Prisma.sql`(
          SELECT connection_id, from_day, to_day FROM ${accounts}, spans WHERE NOT is_month
          UNION ALL
          SELECT connection_id, from_day, to_day FROM open_months)`,
        false,
      )}) AS m
      WHERE NOT EXISTS (SELECT FROM invalidated i WHERE i.connection_id = m.connection_id AND i.day = m.starts_on)
    )`;
}

/**
 * What the range consists of, in `contributions`: rows of `metric_sums`, and single posts. `counted`,
 * `interval_counted` and `group_counted` are the posts that no earlier row of the range, of the interval or of
 * the group of accounts contains. `keys` are the groups of the accounts.
 */
export function contributionsTo(
  workspaceId: WorkspaceId,
  { intervals, ...selection }: PostSumsQuery,
  keys: readonly string[],
  cover: RangeCover,
): Prisma.Sql {
  const { connectionIds, from, source } = selection;
  const ids = Prisma.sql`${[...connectionIds]}::text[]`;
  const isEarlierIn = (accounts: Prisma.Sql, since: Prisma.Sql) => Prisma.sql`
    (earlier_connection_ids && ${accounts} AND (earlier_published_at = '{}' OR EXISTS (
      SELECT FROM unnest(earlier_connection_ids, earlier_published_at) AS e (connection_id, published_at)
      WHERE e.connection_id = ANY (${accounts}) AND e.published_at >= ${since})))`;
  const notIn = (accounts: Prisma.Sql, since: Prisma.Sql) =>
    Prisma.sql`CASE WHEN ${isEarlierIn(accounts, since)} THEN 0 ELSE post_count END`;
  return Prisma.sql`
    ${partsOf(workspaceId, connectionIds, cover)}, accounts AS MATERIALIZED (
      SELECT connection_id, array_agg(connection_id) OVER (PARTITION BY key) AS peers
      FROM unnest(${ids}, ${[...keys]}::text[]) AS a (connection_id, key)
    ), parts AS (
      SELECT connection_id, post_count, earlier_connection_ids, earlier_published_at, first_published_at, oldest_taken_at, ${sumColumns}
      FROM summed
      UNION ALL
      SELECT connection_id, 1, earlier_connection_ids, earlier_published_at, published_at, taken_at, ${sumColumns}
      FROM (${derived(Prisma.sql`
        SELECT l.*, coalesce(e.connection_ids, '{}') AS earlier_connection_ids, coalesce(e.published_at, '{}') AS earlier_published_at
        FROM single s
        JOIN LATERAL (
          SELECT workspace_id, connection_id, post_id, subject, published_at, taken_at, ${postMetrics} FROM latest_metrics p
          WHERE p.workspace_id = ${workspaceId} AND p.connection_id = s.connection_id
            AND p.published_at >= s.from_at AND p.published_at < s.to_at AND p.delivery_id IS NOT NULL
          ${byIndex}
        ) AS l ON true
        ${earlierDeliveries}`)}) AS posts
      ${source === 'all' ? externalPosts(workspaceId, selection) : Prisma.empty}
    ), contributions AS MATERIALIZED (
      SELECT connection_id, at_interval, first_published_at, oldest_taken_at, ${sumColumns},
        ${notIn(ids, Prisma.sql`${from}`)} AS counted,
        ${notIn(Prisma.sql`peers`, Prisma.sql`${from}`)} AS group_counted,
        ${notIn(ids, Prisma.sql`(${startsOf(intervals)})[at_interval + 1]`)} AS interval_counted
      FROM (SELECT *, ${intervalOf('first_published_at', intervals)} AS at_interval FROM parts) AS placed
      JOIN accounts USING (connection_id)
    )`;
}

/** Posts made elsewhere are not in `metric_sums`: which of them count depends on the accounts of the report. */
const externalPosts = (
  workspaceId: WorkspaceId,
  { connectionIds, from, to, source }: PostSelection,
) => Prisma.sql`
  UNION ALL
  SELECT connection_id, 1, '{}', '{}', published_at, taken_at, ${sumColumns}
  FROM (${derived(Prisma.sql`
    SELECT connection_id, published_at, taken_at, ${postMetrics} FROM latest_metrics m
    WHERE m.workspace_id = ${workspaceId} AND m.connection_id = ANY (${[...connectionIds]}::text[])
      AND m.published_at >= ${from} AND m.published_at < ${to} AND m.external_post_id IS NOT NULL
      AND ${countsOnce(source, { connectionIds })}`)}) AS elsewhere`;

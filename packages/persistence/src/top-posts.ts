import type { WorkspaceId } from '@switchboard/domain';
import type { AnalyticsMetricName } from '@switchboard/domain/analytics';
import { Prisma } from './generated/client.js';
import { rankedMetrics } from './metric-columns.js';
import { byIndex, startOf } from './metric-sums.js';

/** More candidates are sorted faster by reading all posts once. */
export const CANDIDATES_MAX = 10_000;
/** Rates of a post are divided in another order than the highest rate of its deliveries. */
const ROUNDING = 1 + 1e-9;

/** In the order of the groups: by value descending, unknown ones last, then by key. */
export interface RankPosition {
  readonly value: number | null;
  readonly key: string;
}

interface TopPostsQuery {
  readonly metric: AnalyticsMetricName | null;
  readonly after: RankPosition | undefined;
  /** How many posts must be found. */
  readonly count: number;
}

/**
 * The posts that may be among the first ones by a metric, in `candidates`, without reading the others (a threshold
 * algorithm). Requires the expressions of `partsOf`.
 *
 * A row of `metric_sums` has the highest value `v` of one of its deliveries and the number `n` of deliveries of
 * its posts. One of its posts is worth `v` at least; none of which this is the best delivery is worth more than `n * v`. Rows
 * are sorted by `v`: a post comes from `n` of them at most, so that `n * count` rows have `count` posts, none of them after
 * the `goal`, the last one of these rows. Rows whose posts are all after the goal are not read; of the others, first the days
 * of months are compared in the same way, then posts are read. Equal values, often zeros, and unknown ones are in the order of
 * the ids of their posts, of which each row has the first and the last one.
 *
 * Posts of a page before are not counted, as far as their rows tell. A post with several deliveries may be such a post
 * nevertheless, and rates have no such guarantee: the caller checks the page by `isBeforeGoal`.
 */
export function topPosts(workspaceId: WorkspaceId, query: TopPostsQuery): Prisma.Sql {
  const blockColumns = columnsOf(query.metric);
  const goalOf = (blocks: Prisma.Sql) => Prisma.sql`
    SELECT value, last_post_id AS key FROM ${blocks}
    WHERE value < 'Infinity' AND ${query.after ? startsAfter(query.after) : Prisma.sql`true`}
    ORDER BY value DESC, last_post_id COLLATE "C"
    OFFSET (SELECT ${query.count}::int * max(delivery_count) - 1 FROM ${blocks}) LIMIT 1`;
  return Prisma.sql`
    blocks AS MATERIALIZED (
      SELECT connection_id, is_month, starts_on, ${blockColumns} FROM summed
    ), month_goal AS MATERIALIZED (${goalOf(Prisma.sql`blocks`)}
    ), near AS MATERIALIZED (
      SELECT * FROM blocks b WHERE NOT EXISTS (SELECT FROM month_goal g WHERE ${isBehind})
    ), days AS MATERIALIZED (
      SELECT * FROM near WHERE NOT is_month
      UNION ALL
      SELECT d.* FROM (SELECT DISTINCT connection_id, starts_on FROM near WHERE is_month) AS m CROSS JOIN LATERAL (
        SELECT connection_id, is_month, starts_on, ${blockColumns} FROM metric_sums s
        WHERE s.workspace_id = ${workspaceId} AND s.connection_id = m.connection_id AND NOT s.is_month
          AND s.starts_on >= m.starts_on AND s.starts_on < (m.starts_on + interval '1 month')::date
        ${byIndex}
      ) AS d
    ), day_goal AS MATERIALIZED (${goalOf(Prisma.sql`days`)}
    ), goal AS (
      SELECT * FROM (SELECT * FROM month_goal UNION ALL SELECT * FROM day_goal) AS goals
      ORDER BY value DESC, key COLLATE "C" LIMIT 1
    ), candidates AS MATERIALIZED (
      SELECT DISTINCT post_id FROM (
        SELECT l.post_id
        FROM (
          SELECT * FROM single
          UNION ALL
          SELECT DISTINCT connection_id, ${startOf('starts_on')}, ${startOf('starts_on + 1')}
          FROM days b WHERE NOT EXISTS (SELECT FROM day_goal g WHERE ${isBehind})
        ) AS s
        JOIN LATERAL (
          SELECT post_id FROM latest_metrics p
          WHERE p.workspace_id = ${workspaceId} AND p.connection_id = s.connection_id
            AND p.published_at >= s.from_at AND p.published_at < s.to_at AND p.delivery_id IS NOT NULL
          ${byIndex}
        ) AS l ON true
        LIMIT ${CANDIDATES_MAX + 1}
      ) AS read
    ), candidate_count AS MATERIALIZED (SELECT count(*)::int AS count FROM candidates)`;
}

/** Whether `candidates` has all of them. */
export const areFew = Prisma.sql`(SELECT count FROM candidate_count) <= ${CANDIDATES_MAX}`;

/** Whether a page that ends with `last` has all groups before its end: the posts that were not read are behind the goal. */
export const isBeforeGoal = (last: RankPosition, goal: RankPosition): boolean =>
  (last.value ?? -Infinity) > (goal.value ?? -Infinity) ||
  (last.value === goal.value && last.key <= goal.key);

/** Of rows of `metric_sums`: without these columns they may contain any post. */
function columnsOf(metric: AnalyticsMetricName | null): Prisma.Sql {
  const highest = Prisma.raw(metric && rankedMetrics.includes(metric) ? `max_${metric}` : 'NULL::float8');
  const bound =
    metric === 'engagement_rate'
      ? Prisma.sql`CASE WHEN max_delivery_count > 1 THEN ${highest} * ${ROUNDING}::float8 ELSE ${highest} END`
      : Prisma.sql`greatest(${highest}, ${highest} * max_delivery_count)`;
  return Prisma.sql`
    CASE WHEN first_post_id IS NULL THEN 'Infinity' ELSE coalesce(${highest}, '-Infinity') END AS value,
    CASE WHEN first_post_id IS NULL THEN 'Infinity' ELSE coalesce(${bound}, '-Infinity') END AS bound,
    first_post_id, last_post_id, max_delivery_count AS delivery_count`;
}

/** Whether all posts of the row `b` are after the goal `g`. */
const isBehind = Prisma.sql`(b.bound < g.value OR (b.bound = g.value AND b.first_post_id COLLATE "C" > g.key))`;

const startsAfter = ({ value, key }: RankPosition) => {
  const start = Prisma.sql`coalesce(${value}::float8, '-Infinity')`;
  return Prisma.sql`(value < ${start} OR (value = ${start} AND first_post_id COLLATE "C" > ${key}))`;
};

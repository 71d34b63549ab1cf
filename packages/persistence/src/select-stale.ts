import type { WorkspaceId } from '@switchboard/domain';
import { freshness, LIVE_POSTS_MAX, STALE_POSTS_MAX } from '@switchboard/domain/analytics';
import type { PostSelection } from '@switchboard/domain/ports';
import { countsOnce } from './count-once.js';
import { byIndex, coverRange, partsOf, startOf, type RangeCover } from './metric-sums.js';
import { Prisma } from './generated/client.js';

/** The time of the oldest snapshot that is fresh at `now`, by when the post was published. */
const oldestFresh = (publishedAt: Prisma.Sql, now: Date) => {
  const at = Prisma.sql`${now.toISOString()}::timestamptz`;
  const cases = freshness.map(({ untilHours, hours }) =>
    untilHours === null
      ? Prisma.sql`ELSE ${hours}::int`
      : Prisma.sql`WHEN ${publishedAt} > ${at} - make_interval(hours => ${untilHours}::int) THEN ${hours}::int`,
  );
  return Prisma.sql`${at} - make_interval(hours => CASE ${Prisma.join(cases, ' ')} END)`;
};

/** Of a row of latest_metrics with this alias. */
const isOutdated = (alias: 'p' | 'm', now: Date) => Prisma.sql`
  (${Prisma.raw(alias)}.taken_at IS NULL OR ${Prisma.raw(alias)}.taken_at < ${oldestFresh(Prisma.raw(`${alias}.published_at`), now)})`;

/** Months would hide days. */
function coverByDays({ from, to }: PostSelection): RangeCover {
  const cover = coverRange({ from, to, intervals: [] });
  return cover
    ? { months: [], days: [...cover.months, ...cover.days], rest: cover.rest }
    : { months: [], days: [], rest: [{ from, to }] };
}

/**
 * Posts whose metrics are outdated at `now`, in the order of `listStale`. Days of which all are fresh are
 * skipped; of the others of an account, those with the oldest metrics are read until they contain
 * `STALE_POSTS_MAX` posts.
 */
export function selectStale(workspaceId: WorkspaceId, selection: PostSelection, now: Date): Prisma.Sql {
  const { connectionIds, from, to, source } = selection;
  return Prisma.sql`
  WITH ${partsOf(workspaceId, connectionIds, coverByDays(selection))}, outdated AS (
    SELECT connection_id, starts_on AS day FROM (
      SELECT *, sum(post_count) OVER (
          PARTITION BY connection_id ORDER BY unread_count = 0, oldest_taken_at, starts_on, position ROWS UNBOUNDED PRECEDING
        ) - post_count AS before
      FROM summed WHERE unread_count > 0 OR oldest_taken_at < ${oldestFresh(startOf('starts_on + 1'), now)}
    ) AS days
    WHERE before < ${STALE_POSTS_MAX} GROUP BY 1, 2
  ), stale AS (
    SELECT l.connection_id, l.subject, l.delivery_id, l.external_post_id, l.taken_at
    FROM (
      SELECT * FROM single
      UNION ALL SELECT connection_id, ${startOf('day')}, ${startOf('day + 1')} FROM outdated
    ) AS s
    JOIN LATERAL (
      SELECT * FROM latest_metrics p
      WHERE p.workspace_id = ${workspaceId} AND p.connection_id = s.connection_id
        AND p.published_at >= s.from_at AND p.published_at < s.to_at AND ${isOutdated('p', now)} AND p.delivery_id IS NOT NULL
      ${byIndex}
    ) AS l ON true
    JOIN deliveries d ON d.workspace_id = l.workspace_id AND d.id = l.delivery_id AND d.external_id IS NOT NULL
    ${
      source === 'all'
        ? Prisma.sql`
            UNION ALL
            SELECT connection_id, subject, delivery_id, external_post_id, taken_at FROM latest_metrics m
            WHERE m.workspace_id = ${workspaceId} AND m.connection_id = ANY (${[...connectionIds]}::text[])
              AND m.published_at >= ${from} AND m.published_at < ${to} AND ${isOutdated('m', now)} AND m.external_post_id IS NOT NULL
              AND ${countsOnce(source, { connectionIds })}`
        : Prisma.empty
    }
  )
  SELECT connection_id AS "connectionId", least(count, ${STALE_POSTS_MAX})::int AS count,
    coalesce(array_agg(delivery_id ORDER BY place) FILTER (WHERE delivery_id IS NOT NULL), '{}') AS "deliveryIds",
    coalesce(array_agg(external_post_id ORDER BY place) FILTER (WHERE external_post_id IS NOT NULL), '{}') AS "externalPostIds"
  FROM (
    SELECT *, count(*) OVER (PARTITION BY connection_id) AS count,
      row_number() OVER (PARTITION BY connection_id ORDER BY taken_at NULLS FIRST, subject) AS place
    FROM stale
  ) AS placed
  WHERE place <= ${LIVE_POSTS_MAX} GROUP BY 1, 2`;
}

import type { ConnectionId, DeliveryId, WorkspaceId } from '@switchboard/domain';
import {
  addMetricSums,
  BASELINE_DAYS,
  metricSumNames,
  RESET_FROM,
  sortMetric,
  type GroupSort,
  type MetricSums,
} from '@switchboard/domain/analytics';
import type {
  GroupIntervalsQuery,
  PostSelection,
  PostSums,
  PostSumsQuery,
  SumGrouping,
  SummedPosts,
} from '@switchboard/domain/ports';
import type { DatabaseClient } from './columns.js';
import { countsOnce, externalPostCountsOnce } from './count-once.js';
import { Prisma } from './generated/client.js';
import { derived, intervalOf, listed, postMetrics, sumColumns, sums } from './metric-columns.js';
import { contributionsTo, coverRange, type RangeCover } from './metric-sums.js';
import { PLANNED_PER_VALUE } from './query-runner.js';
import { areFew, CANDIDATES_MAX, isBeforeGoal, topPosts, type RankPosition } from './top-posts.js';

type SumRow = MetricSums & {
  readonly kind: 'total' | 'connection' | 'interval' | 'group' | 'facts' | 'goal';
  readonly key: string | null;
  readonly at_interval: number | null;
  readonly post_count: number | null;
  readonly first_published_at: Date | null;
  readonly oldest_taken_at: Date | null;
  readonly delivery_ids: readonly DeliveryId[] | null;
  readonly sort_value: number | null;
};

/** One statement: all sums are of one state of the tables. */
export async function sumPosts(
  client: DatabaseClient,
  workspaceId: WorkspaceId,
  query: PostSumsQuery,
): Promise<PostSums> {
  const cover = query.basis === 'published' ? coverRange(query) : null;
  return cover ? readStoredSums(client, workspaceId, query, cover) : sumByPost(client, workspaceId, query);
}

type StoredSumRow = SumRow & { readonly group_count: number | null };

/** From stored sums: reads posts only where these are outdated, and for groups of posts. */
async function readStoredSums(
  client: DatabaseClient,
  workspaceId: WorkspaceId,
  query: PostSumsQuery,
  cover: RangeCover,
): Promise<PostSums> {
  const { connectionIds, grouping } = query;
  const rows = await selectStoredSums(client, workspaceId, query, cover);
  const keys = 'keys' in grouping ? grouping.keys : connectionIds;
  const ofKind = (kind: SumRow['kind']) => rows.filter((row) => row.kind === kind);
  const accounts = ofKind('connection');
  const keyOf = new Map<string | null, string | undefined>(
    connectionIds.map((id, index) => [id, keys[index]]),
  );
  const addRows = (all: typeof rows, count: 'post_count' | 'group_count') => ({
    postCount: all.reduce((sum, row) => sum + (row[count] ?? 0), 0),
    sums: addMetricSums(all.map(toSums)),
  });
  return {
    total: { ...addRows(accounts, 'post_count'), decreased: 0, withoutBaseline: 0 },
    connections: accounts.map(toSummedConnection),
    intervals: new Map(ofKind('interval').map((row) => [row.at_interval ?? 0, toSummedPosts(row)])),
    groups:
      'keys' in grouping
        ? {
            items: [...Map.groupBy(accounts, ({ key }) => keyOf.get(key) ?? '')].map(([key, group]) => ({
              key,
              ...addRows(group, 'group_count'),
              deliveryIds: [],
            })),
            next: undefined,
          }
        : toGroups(ofKind('group'), grouping),
  };
}

/** By how much more is looked for than a page: which posts are on earlier pages is not stored. */
const SEARCH_DEPTHS = [1, 8];

/** Posts are sorted by a metric without reading all of them, unless that does not find a page. */
async function selectStoredSums(
  client: DatabaseClient,
  workspaceId: WorkspaceId,
  query: PostSumsQuery,
  cover: RangeCover,
): Promise<readonly StoredSumRow[]> {
  const { connectionIds, grouping, source } = query;
  const keys = 'keys' in grouping ? grouping.keys : connectionIds;
  const contributions = contributionsTo(workspaceId, query, keys, cover);
  const select = ({ search, groups }: { readonly search: Prisma.Sql; readonly groups: Prisma.Sql }) =>
    client.$queryRaw<StoredSumRow[]>`
      WITH ${contributions} ${search}
      ${selectContributions(query)}
      ${groups}`;
  if ('keys' in grouping) return select({ search: Prisma.empty, groups: Prisma.empty });
  if (grouping.by === 'post' && grouping.sort !== 'key' && source === 'switchboard') {
    for (const depth of SEARCH_DEPTHS) {
      const rows = await select(searchTopPosts(workspaceId, query, grouping, depth));
      const result = checkPage(rows, grouping);
      if (result === 'complete') return rows;
      if (result === 'too_many') break;
    }
  }
  return select({ search: Prisma.empty, groups: unionOfGroups(workspaceId, query, grouping) });
}

const unionOfGroups = (
  workspaceId: WorkspaceId,
  query: PostSumsQuery,
  grouping: PostGrouping,
  postPage?: Prisma.Sql,
) => Prisma.sql`
  UNION ALL (SELECT *, NULL FROM (${selectPostGroups(workspaceId, query, grouping, postPage)}) AS page)`;

/** The groups of the candidates, their number, and the goal. */
function searchTopPosts(
  workspaceId: WorkspaceId,
  query: PostSumsQuery,
  grouping: PostGrouping,
  depth: number,
) {
  const { sort, page } = grouping;
  const candidates = Prisma.sql`
    SELECT c.post_id AS key, v.sort_value
    FROM candidates c CROSS JOIN LATERAL (
      SELECT ${sortValue(sort)} AS sort_value
      FROM (${published(workspaceId, query, Prisma.sql`c.post_id`)}) AS own GROUP BY post_id
    ) AS v
    WHERE ${areFew}`;
  const metric = sortMetric(sort);
  const count = (page.limit + 1) * depth;
  return {
    search: Prisma.sql`, ${topPosts(workspaceId, { metric, after: positionOf(grouping), count })}`,
    groups: Prisma.sql`
      ${unionOfGroups(workspaceId, query, grouping, pageOf(candidates, grouping))}
      UNION ALL
      SELECT 'goal', g.key, NULL, c.count, ${noSums}, NULL, NULL, NULL, nullif(g.value, '-Infinity'), NULL
      FROM candidate_count c LEFT JOIN goal g ON true`,
  };
}

/** `incomplete`: posts that were not read may belong to the page. */
function checkPage(
  rows: readonly StoredSumRow[],
  { page }: PostGrouping,
): 'complete' | 'incomplete' | 'too_many' {
  const goal = rows.find(({ kind }) => kind === 'goal');
  if ((goal?.post_count ?? 0) > CANDIDATES_MAX) return 'too_many';
  const last = rows.filter(({ kind }) => kind === 'group')[page.limit];
  const isComplete = !goal || goal.key === null || (last && isBeforeGoal(toPosition(last), toPosition(goal)));
  return isComplete ? 'complete' : 'incomplete';
}

const toPosition = ({ sort_value: value, key }: SumRow): RankPosition => ({ value, key: key ?? '' });

const selectContributions = ({ intervals }: PostSumsQuery) => {
  const hasIntervals = intervals.length > 0;
  return Prisma.sql`
    SELECT CASE WHEN GROUPING(connection_id) = 0 THEN 'connection' ELSE 'interval' END AS kind, connection_id AS key,
      ${Prisma.raw(hasIntervals ? 'at_interval' : 'NULL::int')} AS at_interval,
      CASE WHEN GROUPING(connection_id) = 0 THEN sum(counted) ELSE sum(interval_counted) END::int AS post_count, ${sums},
      min(first_published_at) AS first_published_at, min(oldest_taken_at) AS oldest_taken_at, NULL::text[] AS delivery_ids,
      NULL::float8 AS sort_value, sum(group_counted)::int AS group_count
    FROM contributions
    GROUP BY ${Prisma.raw(hasIntervals ? 'GROUPING SETS ((connection_id), (at_interval))' : 'connection_id')}`;
};

/** From the posts of the range, or what they gained in it. */
async function sumByPost(
  client: DatabaseClient,
  workspaceId: WorkspaceId,
  query: PostSumsQuery,
): Promise<PostSums> {
  const { basis, grouping } = query;
  const isActivity = basis === 'activity';
  const whole = Prisma.raw(isActivity ? 'by_subject' : 'source');
  const rows = await client.$queryRaw<SumRow[]>`
    WITH ${isActivity ? activity(workspaceId, query) : Prisma.sql`source AS MATERIALIZED (${published(workspaceId, query)})`}
    SELECT 'total' AS kind, NULL AS key, NULL::int AS at_interval,
      (SELECT count(*) FROM (SELECT FROM ${whole} GROUP BY post_id) AS posts)::int AS post_count, ${sums},
      NULL::timestamptz AS first_published_at, NULL::timestamptz AS oldest_taken_at, NULL::text[] AS delivery_ids,
      NULL::float8 AS sort_value
    FROM ${whole}
    UNION ALL
    SELECT 'connection', connection_id, NULL, NULL, ${sums}, min(published_at), min(taken_at), NULL, NULL
    FROM ${whole} GROUP BY connection_id
    UNION ALL
    SELECT 'interval', NULL, at_interval, count(DISTINCT post_id)::int, ${sums}, NULL, NULL, NULL, NULL
    FROM source WHERE at_interval >= 0 GROUP BY at_interval
    UNION ALL
    ${isActivity ? facts : noFacts}
    UNION ALL
    (${
      'keys' in grouping
        ? Prisma.sql`
            SELECT 'group', k.key, NULL, count(DISTINCT post_id)::int, ${sums}, NULL, NULL, NULL, NULL
            FROM ${whole}
            JOIN unnest(${[...query.connectionIds]}::text[], ${[...grouping.keys]}::text[]) AS k (connection_id, key) USING (connection_id)
            GROUP BY k.key`
        : selectPostGroups(workspaceId, query, grouping)
    })`;
  const ofKind = (kind: SumRow['kind']) => rows.filter((row) => row.kind === kind);
  const [total, [fact]] = [ofKind('total')[0], ofKind('facts')];
  return {
    total: {
      ...toSummedPosts(total),
      decreased: fact?.post_count ?? 0,
      withoutBaseline: fact?.at_interval ?? 0,
    },
    connections: ofKind('connection').map(toSummedConnection),
    intervals: new Map(ofKind('interval').map((row) => [row.at_interval ?? 0, toSummedPosts(row)])),
    groups: toGroups(ofKind('group'), grouping),
  };
}

/** The sums of some groups by interval, from the posts. */
export async function sumGroupsByInterval(
  client: DatabaseClient,
  workspaceId: WorkspaceId,
  query: GroupIntervalsQuery,
): Promise<ReadonlyMap<string, ReadonlyMap<number, SummedPosts>>> {
  if (query.groups.length === 0) return new Map();
  const { key, join } = groupKeyOf(workspaceId, query);
  const rows = await client.$queryRaw<(SumRow & { readonly key: string; readonly at_interval: number })[]>`
    WITH ${query.basis === 'activity' ? activity(workspaceId, query) : Prisma.sql`source AS (${published(workspaceId, query)})`}
    SELECT keyed.key, at_interval, count(DISTINCT post_id)::int AS post_count, ${sums}
    FROM (SELECT source.*, ${key} AS key FROM source ${join}) AS keyed
    WHERE at_interval >= 0 AND keyed.key = ANY (${[...query.groups]}::text[]) GROUP BY 1, 2`;
  return new Map(
    [...Map.groupBy(rows, (row) => row.key)].map(([group, own]) => [
      group,
      new Map(own.map((row) => [row.at_interval, toSummedPosts(row)])),
    ]),
  );
}

/** The key of a row's group, and what must be joined for it. */
function groupKeyOf(
  workspaceId: WorkspaceId,
  { connectionIds, grouping }: Pick<GroupIntervalsQuery, 'connectionIds' | 'grouping'>,
): { readonly key: Prisma.Sql; readonly join: Prisma.Sql } {
  if ('keys' in grouping) {
    return {
      key: Prisma.sql`k.key`,
      join: Prisma.sql`
        JOIN unnest(${[...connectionIds]}::text[], ${[...grouping.keys]}::text[]) AS k (connection_id, key) USING (connection_id)`,
    };
  }
  const { by } = grouping;
  if (by === 'post') return { key: Prisma.sql`post_id`, join: Prisma.empty };
  return {
    key: Prisma.sql`coalesce(p.metadata ->> ${by.slice('metadata.'.length)}, '')`,
    join: Prisma.sql`LEFT JOIN posts p ON p.workspace_id = ${workspaceId} AND p.id = post_id`,
  };
}

const noSums = listed(() => 'NULL::float8', metricSumNames);

/**
 * The rows of latest_metrics, as `m`, of what was published in the range. Deliveries and external posts are
 * selected separately, each by its own indexes; `postId` selects those of one post. A prepared statement would
 * compare each row with every account in turn, in place of looking its account up in a hash table.
 */
const publishedThen = (
  columns: Prisma.Sql,
  workspaceId: WorkspaceId,
  { connectionIds, from, to, source }: PostSelection,
  postId?: Prisma.Sql,
) => {
  const selected = Prisma.sql`
    SELECT ${columns} FROM latest_metrics m
    WHERE m.workspace_id = ${workspaceId} AND m.connection_id = ANY (${[...connectionIds]}::text[]) ${Prisma.raw(PLANNED_PER_VALUE)}
      AND m.published_at >= ${from} AND m.published_at < ${to}`;
  const isOf = (column: 'post_id' | 'external_post_id') =>
    postId ? Prisma.sql`AND ${Prisma.raw(column)} = ${postId}` : Prisma.empty;
  const deliveries = Prisma.sql`${selected} AND m.delivery_id IS NOT NULL ${isOf('post_id')}`;
  return source === 'switchboard'
    ? deliveries
    : Prisma.sql`
        ${deliveries}
        UNION ALL
        ${selected} AND m.external_post_id IS NOT NULL ${isOf('external_post_id')} AND ${externalPostCountsOnce({ connectionIds })}`;
};

/** Counts to date of what was published in the range. */
const published = (
  workspaceId: WorkspaceId,
  query: PostSelection & Pick<PostSumsQuery, 'intervals'>,
  postId?: Prisma.Sql,
) =>
  derived(
    publishedThen(
      Prisma.sql`connection_id, subject, post_id, published_at, taken_at,
        ${intervalOf('published_at', query.intervals)} AS at_interval, ${postMetrics}`,
      workspaceId,
      query,
      postId,
    ),
  );

/** The rules of `computeGains` in domain/src/analytics/gains.ts. */
const activity = (workspaceId: WorkspaceId, query: Omit<PostSumsQuery, 'grouping'>) => {
  const { connectionIds, from, to, source } = query;
  const baseline = Prisma.raw(`interval '${BASELINE_DAYS} days'`);
  const since = Prisma.sql`${from}::timestamptz - ${baseline}`;
  return Prisma.sql`
    taken AS (
      SELECT s.subject, s.connection_id, s.taken_at, s.metrics, m.post_id, m.published_at,
        (SELECT coalesce(sum(abs(e.value::numeric)), 0) FROM jsonb_each_text(s.metrics) AS e WHERE e.key <> 'followers') AS total
      FROM snapshots s JOIN latest_metrics m ON m.subject = s.subject
      WHERE s.workspace_id = ${workspaceId} AND s.connection_id = ANY (${[...connectionIds]}::text[])
        AND s.taken_at >= ${since} AND s.taken_at < ${to} AND m.published_at IS NOT NULL
        AND ${countsOnce(source, { connectionIds })}
    ), runs AS (
      SELECT *, count(*) FILTER (WHERE total > 0) OVER (PARTITION BY subject ORDER BY taken_at) AS run FROM taken
    ), usable AS (
      SELECT * FROM (
        SELECT *, first_value(total) OVER (PARTITION BY subject, run ORDER BY taken_at) AS run_total,
          max(total) FILTER (WHERE run = 1) OVER (PARTITION BY subject) AS first_total
        FROM runs
      ) AS runs_with_totals
      WHERE total > 0 OR CASE
        WHEN run > 0 THEN run_total < ${RESET_FROM}
        ELSE published_at >= ${since} OR coalesce(first_total, 0) < ${RESET_FROM}
      END
    ), points AS MATERIALIZED (
      SELECT u.subject, u.connection_id, u.post_id, u.published_at, u.taken_at AS at, e.key AS metric,
        round(e.value::numeric)::float8 AS value, false AS is_origin
      FROM usable u CROSS JOIN LATERAL jsonb_each_text(u.metrics) AS e
      WHERE e.value IS NOT NULL AND e.key <> 'followers'
    ), gains AS (
      SELECT *, value - lag(value) OVER consecutive AS gained, lag(at) OVER consecutive AS since
      FROM (
        SELECT * FROM points
        UNION ALL
        SELECT subject, connection_id, post_id, published_at, least(published_at, min(at)), metric, 0, true
        FROM points WHERE published_at >= ${since}
        GROUP BY subject, connection_id, post_id, published_at, metric
      ) AS counted
      WINDOW consecutive AS (PARTITION BY subject, metric ORDER BY at, is_origin DESC)
    ), in_range AS MATERIALIZED (
      SELECT *, since IS NOT NULL AND (since >= ${from} OR at - since <= ${baseline}) AS is_usable
      FROM gains WHERE at >= ${from} AND NOT is_origin
    ), gained AS MATERIALIZED (
      SELECT connection_id, subject, post_id, published_at, max(at) AS taken_at, ${intervalOf('at', query.intervals)} AS at_interval,
        ${listed((name) => `sum(gained) FILTER (WHERE metric = '${name}') AS ${name}`)}
      FROM in_range WHERE is_usable GROUP BY 1, 2, 3, 4, 6
    ), contributions AS MATERIALIZED (
      SELECT * FROM gained
      UNION ALL
      SELECT * FROM (${publishedThen(
        Prisma.sql`connection_id, subject, post_id, published_at, NULL::timestamptz,
          ${intervalOf('published_at', query.intervals)}, ${listed(() => 'NULL::float8')}`,
        workspaceId,
        query,
      )}) AS published
      WHERE NOT EXISTS (SELECT FROM gained WHERE gained.subject = published.subject)
    ), source AS (${derived(Prisma.sql`SELECT * FROM contributions`)}),
    by_subject AS MATERIALIZED (${derived(Prisma.sql`
      SELECT connection_id, subject, post_id, published_at, max(taken_at) AS taken_at,
        ${listed((name) => `sum(${name}) AS ${name}`)}
      FROM contributions GROUP BY 1, 2, 3, 4`)})`;
};

/** Decreased and without baseline, in the columns for numbers. */
const facts = Prisma.sql`
  SELECT 'facts', NULL, count(DISTINCT subject) FILTER (WHERE NOT is_usable)::int,
    count(DISTINCT subject) FILTER (WHERE is_usable AND gained < 0)::int, ${noSums}, NULL, NULL, NULL, NULL
  FROM in_range`;
const noFacts = Prisma.sql`SELECT 'facts', NULL, 0, 0, ${noSums}, NULL, NULL, NULL, NULL`;

type PostGrouping = Extract<SumGrouping, { readonly page: unknown }>;

/** One page of the groups by post or metadata, and one group more if there is a next page. */
function selectPostGroups(
  workspaceId: WorkspaceId,
  query: PostSumsQuery,
  grouping: PostGrouping,
  postPage?: Prisma.Sql,
): Prisma.Sql {
  const { by, sort } = grouping;
  const isActivity = query.basis === 'activity';
  const source = isActivity
    ? Prisma.sql`by_subject`
    : Prisma.sql`(${published(workspaceId, query)}) AS published`;
  if (by !== 'post') {
    return Prisma.sql`
      SELECT 'group', key, NULL::int, post_count, ${sumColumns}, NULL::timestamptz, NULL::timestamptz,
        NULL::text[], sort_value
      FROM (${pageOf(
        Prisma.sql`
          SELECT coalesce(p.metadata ->> ${by.slice('metadata.'.length)}, '') AS key, count(DISTINCT post_id)::int AS post_count, ${sums},
            ${sortValue(sort)} AS sort_value
          FROM ${source} LEFT JOIN posts p ON p.workspace_id = ${workspaceId} AND p.id = post_id
          GROUP BY 1`,
        grouping,
      )}) AS page`;
  }
  // All posts are sorted by one sum. What was published is read again by index for the posts of the page; what
  // was gained has no index.
  const totals = isActivity
    ? Prisma.sql`JOIN (SELECT post_id, ${sums} FROM by_subject GROUP BY post_id) AS total ON total.post_id = page.key`
    : Prisma.sql`
        CROSS JOIN LATERAL (
          SELECT ${sums} FROM (${published(workspaceId, query, Prisma.sql`page.key`)}) AS published
        ) AS total`;
  const isInRange = isActivity
    ? Prisma.empty
    : Prisma.sql`AND d.published_at >= ${query.from} AND d.published_at < ${query.to}`;
  return Prisma.sql`
    SELECT 'group', page.key, NULL::int, 1, ${listed((name) => `total.${name}`, metricSumNames)}, NULL::timestamptz, NULL::timestamptz,
      ARRAY(
        SELECT d.id FROM deliveries d
        WHERE d.workspace_id = ${workspaceId} AND d.post_id = page.key AND d.status = 'published'
          AND d.connection_id = ANY (${[...query.connectionIds]}::text[]) ${isInRange}
        ORDER BY d.id),
      page.sort_value
    FROM (${postPage ?? selectPostPage(source, grouping)}) AS page
    ${totals}
    ORDER BY page.sort_value DESC NULLS LAST, page.key COLLATE "C"`;
}

const positionOf = ({ page }: PostGrouping): RankPosition | undefined =>
  page.after === undefined ? undefined : (JSON.parse(page.after) as RankPosition);

/** The groups after the position of the page, in its order. */
const pageOf = (groups: Prisma.Sql, grouping: PostGrouping) => {
  const after = positionOf(grouping);
  return Prisma.sql`
    SELECT * FROM (${groups}) AS grouped WHERE ${after ? isAfter(after) : Prisma.sql`true`}
    ORDER BY sort_value DESC NULLS LAST, key COLLATE "C" LIMIT ${grouping.page.limit + 1}`;
};

/** By key, posts are read in the order of their index until the page is full. */
function selectPostPage(source: Prisma.Sql, grouping: PostGrouping): Prisma.Sql {
  const { sort, page } = grouping;
  if (sort !== 'key') {
    return pageOf(
      Prisma.sql`SELECT post_id AS key, ${sortValue(sort)} AS sort_value FROM ${source} GROUP BY post_id`,
      grouping,
    );
  }
  const start = positionOf(grouping);
  return Prisma.sql`
    SELECT post_id AS key, NULL::float8 AS sort_value FROM ${source} WHERE ${start ? Prisma.sql`post_id > ${start.key}` : Prisma.sql`true`}
    GROUP BY post_id ORDER BY post_id LIMIT ${page.limit + 1}`;
}

function sortValue(sort: GroupSort): Prisma.Sql {
  const metric = sortMetric(sort);
  if (metric === 'engagement_rate') {
    return Prisma.sql`CASE WHEN sum(rated_impressions) > 0 THEN sum(rated_engagements) / sum(rated_impressions) END`;
  }
  const column = metricSumNames.find((name) => name === metric);
  return column ? Prisma.raw(`sum(${column})::float8`) : Prisma.sql`NULL::float8`;
}

const isAfter = ({ value, key }: RankPosition) =>
  value === null
    ? Prisma.sql`sort_value IS NULL AND key COLLATE "C" > ${key}`
    : Prisma.sql`(sort_value IS NULL OR sort_value < ${value}::float8 OR (sort_value = ${value}::float8 AND key COLLATE "C" > ${key}))`;

function toGroups(rows: readonly SumRow[], grouping: SumGrouping): PostSums['groups'] {
  const limit = 'keys' in grouping ? rows.length : grouping.page.limit;
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  return {
    items: page.map((row) => ({
      key: row.key ?? '',
      ...toSummedPosts(row),
      deliveryIds: row.delivery_ids ?? [],
    })),
    next: last && rows.length > limit ? JSON.stringify({ value: last.sort_value, key: last.key }) : undefined,
  };
}

const toSums = (row: SumRow | undefined): MetricSums =>
  Object.fromEntries(metricSumNames.map((name) => [name, row?.[name] ?? null])) as MetricSums;
const toSummedConnection = (row: SumRow) => ({
  connectionId: row.key as ConnectionId,
  sums: toSums(row),
  firstPublishedAt: row.first_published_at as Date,
  oldestSnapshotAt: row.oldest_taken_at,
});
const toSummedPosts = (row: SumRow | undefined) => ({ postCount: row?.post_count ?? 0, sums: toSums(row) });

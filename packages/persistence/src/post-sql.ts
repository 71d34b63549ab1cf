import type { WorkspaceId } from '@switchboard/domain';
import { SCHEDULED_POSTS_MAX } from '@switchboard/domain/connections';
import type { DeliveryStatus } from '@switchboard/domain/deliveries';
import type { PostFilter } from '@switchboard/domain/ports';
import type { PostStatus } from '@switchboard/domain/posts';
import { Prisma } from './generated/client.js';
import { PLANNED_PER_VALUE, pageLimit } from './query-runner.js';

/**
 * The statuses of a delivery that has not been sent and will be sent when its time, or its account, is ready.
 */
export const waitingStatuses: readonly DeliveryStatus[] = ['pending', 'retrying', 'blocked'];

/** The same condition as literals: a partial index over waiting deliveries does not match a parameter. */
const waitingSql = `status IN (${waitingStatuses.map((status) => `'${status}'`).join(', ')})`;
export const isWaiting = Prisma.raw(waitingSql);
/** Two conditions, so that each partial index can be used. */
export const isUnsent = Prisma.raw(`(${waitingSql} OR status = 'awaiting_approval')`);

/**
 * The number of waiting deliveries of a connection, counted up to `SCHEDULED_POSTS_MAX`, and the earliest due
 * time. Both are read from their index in its order, which lets the count stop early.
 */
export const countUnsentSql = (workspaceId: string, connectionId: string) => `
  SELECT count(*)::int AS count, min(first.at) AS next_at
  FROM (
    SELECT coalesce(d.next_attempt_at, d.scheduled_at) AS at FROM deliveries d
    WHERE d.workspace_id = ${workspaceId} AND d.connection_id = ${connectionId} AND d.${waitingSql}
    ORDER BY coalesce(d.next_attempt_at, d.scheduled_at) LIMIT ${SCHEDULED_POSTS_MAX}
  ) AS first`;

/** The status expression of the post indexes. An open post has a delivery that is still to be sent. */
const listedStatus = Prisma.sql`(CASE WHEN p.draft THEN 'draft' ELSE coalesce(p.settled_status, 'open') END)`;

/**
 * When a pending delivery is due, matching an index expression. PostgreSQL keeps statistics of this
 * expression: with `status` and `scheduled_at` as separate columns, the planner would take long settled
 * deliveries for pending ones and read the whole table.
 */
const pendingSince = Prisma.sql`(CASE WHEN status = 'pending' THEN scheduled_at END)`;

/**
 * The rows of a workspace before the id `after`, for lists in the order of workspace and id. As a range, the
 * workspace stays in that order: with an equality, the planner may read the index of all ids, in which newer
 * rows of other workspaces come first.
 */
export function ofWorkspace(table: string, workspaceId: WorkspaceId, after: string | undefined): Prisma.Sql {
  const [workspace, id] = [Prisma.raw(`${table}.workspace_id`), Prisma.raw(`${table}.id`)];
  return after === undefined
    ? Prisma.sql`${workspace} >= ${workspaceId} AND ${workspace} <= ${workspaceId}`
    : Prisma.sql`${workspace} >= ${workspaceId} AND (${workspace}, ${id}) < (${workspaceId}, ${after})`;
}

interface PostPageRequest {
  readonly sort: PostFilter['sort'];
  readonly after: string | undefined;
  readonly limit: number;
}

/**
 * The IDs of the matching posts, in page order and limited to `limit`. Each status is read separately, from
 * an index in page order: a status without posts costs no more than one with many. A test keeps this
 * consistent with `posts/post-status.ts`.
 */
export function selectPostIds(
  workspaceId: WorkspaceId,
  { statuses, ...filter }: Omit<PostFilter, 'sort'>,
  { sort, after, limit }: PostPageRequest,
): Prisma.Sql {
  const isFiltered = Object.values(filter).some((value) => value != null);
  const order = Prisma.sql`ORDER BY ${orderBy[sort]} LIMIT ${statuses === undefined ? pageLimit(limit) : limit} ${Prisma.raw(isFiltered ? PLANNED_PER_VALUE : '')}`;
  const alternatives = buildConditions(workspaceId, filter);
  const [only, ...others] = alternatives;
  if (statuses === undefined && !isFiltered && sort === '-created_at')
    return Prisma.sql`
      SELECT p.id FROM posts p WHERE ${ofWorkspace('p', workspaceId, after)}
      ORDER BY p.workspace_id DESC, p.id DESC LIMIT ${pageLimit(limit)}`;
  if (statuses === undefined && sort === '-created_at' && isOnlyScheduledBefore(filter))
    return selectScheduledBefore(workspaceId, filter.scheduledBefore, { after, limit });
  if (statuses === undefined && only && others.length === 0)
    return Prisma.sql`SELECT p.id FROM posts p WHERE ${only} AND ${afterCursor(sort, after)} ${order}`;
  const branches = alternatives.flatMap((matches) =>
    statuses === undefined
      ? [
          Prisma.sql`SELECT p.id, p.scheduled_at FROM posts p WHERE ${matches} AND ${afterCursor(sort, after)} ORDER BY ${orderBy[sort]}`,
        ]
      : [...new Set(statuses)].map((status) =>
          selectByStatus(workspaceId, status, mayMatch(status, filter, matches), { sort, after }),
        ),
  );
  const pages = branches.map((branch) => Prisma.sql`(${branch} LIMIT ${limit})`);
  return Prisma.sql`SELECT p.id FROM (${Prisma.join(pages, ' UNION ALL ')}) AS p ${order}`;
}

const isOnlyScheduledBefore = (
  filter: Omit<PostFilter, 'statuses' | 'sort'>,
): filter is typeof filter & { scheduledBefore: Date } =>
  filter.scheduledBefore !== undefined &&
  Object.entries(filter).every(([name, value]) => name === 'scheduledBefore' || value == null);

/** How many of the newest posts are read before the index of publish times. */
const NEWEST_MAX = 1000;

/**
 * Newest first, but only those before a time. Usually they are among the newest; where later posts were created
 * after them, all that match are read from the index of publish times, without their rows. In the order of the
 * list, a page would read every later post, because the planner does not know that the newest ones are also the
 * latest.
 */
function selectScheduledBefore(
  workspaceId: WorkspaceId,
  before: Date,
  { after, limit }: Omit<PostPageRequest, 'sort'>,
): Prisma.Sql {
  return Prisma.sql`
    WITH newest AS MATERIALIZED (
      SELECT p.id, p.scheduled_at FROM posts p WHERE ${ofWorkspace('p', workspaceId, after)}
      ORDER BY p.workspace_id DESC, p.id DESC LIMIT ${NEWEST_MAX}
    ), found AS MATERIALIZED (
      SELECT id FROM newest WHERE scheduled_at < ${before} ORDER BY id DESC LIMIT ${limit}
    ), older AS (
      SELECT p.id FROM posts p
      WHERE p.workspace_id = ${workspaceId} AND p.scheduled_at < ${before} AND p.id < (SELECT min(id) FROM newest)
      OFFSET 0
    )
    SELECT id FROM (
      SELECT id FROM found
      UNION ALL
      (SELECT id FROM older WHERE (SELECT count(*) FROM found) < ${limit} ORDER BY id DESC LIMIT ${limit})
    ) AS p ORDER BY ${orderBy['-created_at']} LIMIT ${limit}`;
}

const orderBy = {
  scheduled_at: Prisma.sql`p.scheduled_at, p.id`,
  '-created_at': Prisma.sql`p.id DESC`,
} as const satisfies Record<PostFilter['sort'], Prisma.Sql>;

/** In the order of publish times a cursor is the time and, among equals, the ID. */
const parseCursor = (after: string) => after.split(' ') as [string, string];

function afterCursor(sort: PostFilter['sort'], after: string | undefined): Prisma.Sql {
  if (after === undefined) return Prisma.sql`true`;
  if (sort === '-created_at') return Prisma.sql`p.id < ${after}`;
  const [scheduledAt, id] = parseCursor(after);
  return Prisma.sql`(p.scheduled_at, p.id) > (${scheduledAt}::timestamptz, ${id})`;
}

/**
 * The posts under a status in the indexes, behind a cursor, in index order. Every expression includes the
 * status as the first column: the planner drops constant columns from an order, and could then select an
 * index without the status.
 */
function selectStatusRange(listed: string, { sort, after }: Omit<PostPageRequest, 'limit'>) {
  const [first, last] = [Prisma.sql`${listedStatus} >= ${listed}`, Prisma.sql`${listedStatus} <= ${listed}`];
  if (sort === '-created_at')
    return {
      where: Prisma.sql`${first} AND ${after === undefined ? last : Prisma.sql`(${listedStatus}, p.id) < (${listed}, ${after})`}`,
      order: Prisma.sql`${listedStatus} DESC, p.id DESC`,
    };
  const [scheduledAt, id] = parseCursor(after ?? ' ');
  const rest = Prisma.sql`(${listedStatus}, p.scheduled_at, p.id) > (${listed}, ${scheduledAt}::timestamptz, ${id})`;
  return {
    where: Prisma.sql`${after === undefined ? first : rest} AND ${last}`,
    order: Prisma.sql`${listedStatus}, p.scheduled_at, p.id`,
  };
}

/**
 * Of the posts whose open deliveries are all still to come, one can have a published delivery only where its targets
 * have times of their own: the filter by publication does not read the others.
 */
const mayMatch = (
  status: PostStatus,
  { publishedAfter, publishedBefore }: Omit<PostFilter, 'statuses' | 'sort'>,
  matches: Prisma.Sql,
): Prisma.Sql =>
  status === 'scheduled' && (publishedAfter ?? publishedBefore) !== undefined
    ? Prisma.sql`${matches} AND ${hasOwnTimes}`
    : matches;

function selectByStatus(
  workspaceId: WorkspaceId,
  status: PostStatus,
  fits: Prisma.Sql,
  page: Omit<PostPageRequest, 'limit'>,
): Prisma.Sql {
  const found = Prisma.sql`SELECT p.id, p.scheduled_at FROM posts p WHERE ${fits}`;
  // Without OFFSET 0 the planner may turn the lookup per row into a join that reads all rows.
  if (status === 'publishing')
    return Prisma.sql`
      SELECT p.id, p.scheduled_at
      FROM (
        SELECT post_id FROM deliveries
        WHERE workspace_id = ${workspaceId} AND status IN ('sending', 'retrying', 'blocked', 'unknown')
        UNION
        SELECT post_id FROM deliveries
        WHERE workspace_id = ${workspaceId} AND status = 'pending' AND ${pendingSince} <= now()
      ) AS begun
      CROSS JOIN LATERAL (
        ${found} AND ${afterCursor(page.sort, page.after)} AND ${listedStatus} = 'open' AND p.id = begun.post_id OFFSET 0
      ) AS p
      ORDER BY ${orderBy[page.sort]}`;
  if (status === 'scheduled') {
    const openRange = selectStatusRange('open', page);
    return Prisma.sql`
      ${found} AND ${openRange.where} AND NOT EXISTS (
        SELECT FROM deliveries d
        WHERE d.workspace_id = p.workspace_id AND d.post_id = p.id
          AND (d.status IN ('sending', 'retrying', 'blocked', 'unknown') OR (d.status = 'pending' AND d.scheduled_at <= now()))
        OFFSET 0)
      ORDER BY ${openRange.order}`;
  }
  const { where, order } = selectStatusRange(status, page);
  return Prisma.sql`${found} AND ${where} ORDER BY ${order}`;
}

/** A post with a target that has a time of its own, matching the condition of a partial index. */
const hasOwnTimes = Prisma.sql`p.requested @? '$.targets[*].scheduledAt'`;

/**
 * The filter conditions for the post `p`, as alternatives that exclude each other. A time range includes its
 * start and excludes its end. The time of a post is that of its first delivery: a later delivery can be in
 * the range only where a target has a time of its own, and these few posts have an index.
 */
function buildConditions(
  workspaceId: WorkspaceId,
  filter: Omit<PostFilter, 'statuses' | 'sort'>,
): Prisma.Sql[] {
  const { reach, scheduledAfter } = filter;
  const conditions = [Prisma.sql`p.workspace_id = ${workspaceId}`];
  const addCondition = (given: unknown, condition: Prisma.Sql) => given != null && conditions.push(condition);

  addCondition(reach, Prisma.sql`p.profile_id = ANY (${[...(reach ?? [])]})`);
  addCondition(filter.profileId, Prisma.sql`p.profile_id = ${filter.profileId}`);
  addCondition(filter.externalId, Prisma.sql`p.external_id = ${filter.externalId}`);
  const { metadata = {} } = filter;
  if (Object.keys(metadata).length > 0) conditions.push(hasMetadata(workspaceId, JSON.stringify(metadata)));
  addCondition(filter.scheduledBefore, Prisma.sql`p.scheduled_at < ${filter.scheduledBefore}`);
  const all = (more: readonly Prisma.Sql[]) => Prisma.join([...conditions, ...more], ' AND ');
  const ofDeliveries = deliveryConditions(filter);
  const whereDelivery = ofDeliveries.length > 0 ? [hasDelivery(filter, ofDeliveries)] : [];
  if (scheduledAfter === undefined) return [all(whereDelivery)];
  return [
    all([Prisma.sql`p.scheduled_at >= ${scheduledAfter}`, ...whereDelivery]),
    all([
      hasOwnTimes,
      Prisma.sql`p.scheduled_at < ${scheduledAfter}`,
      Prisma.sql`NOT p.draft`,
      hasDelivery(filter, ofDeliveries),
    ]),
  ];
}

/** The hashes find the posts by an index; the comparison excludes collisions. */
const hasMetadata = (workspaceId: WorkspaceId, json: string): Prisma.Sql => Prisma.sql`
  p.metadata <> '{}' AND p.metadata @> ${json}::jsonb
  AND metadata_terms(p.workspace_id, p.metadata) @> metadata_terms(${workspaceId}, ${json}::jsonb)`;

/** What a filter requires of a delivery besides its time. */
const deliveryConditions = ({
  connectionId,
  platforms,
  publishedAfter,
  publishedBefore,
}: Omit<PostFilter, 'statuses' | 'sort'>): Prisma.Sql[] => [
  ...(connectionId === undefined ? [] : [Prisma.sql`d.connection_id = ${connectionId}`]),
  ...(platforms === undefined ? [] : [Prisma.sql`d.platform = ANY (${[...platforms]})`]),
  ...(publishedAfter === undefined ? [] : [Prisma.sql`d.published_at >= ${publishedAfter}`]),
  ...(publishedBefore === undefined ? [] : [Prisma.sql`d.published_at < ${publishedBefore}`]),
];

/** One delivery that matches all delivery conditions, its time included. */
function hasDelivery(
  { scheduledAfter, scheduledBefore }: Pick<PostFilter, 'scheduledAfter' | 'scheduledBefore'>,
  conditions: readonly Prisma.Sql[],
): Prisma.Sql {
  const all = [
    Prisma.sql`d.workspace_id = p.workspace_id AND d.post_id = p.id`,
    ...conditions,
    ...(scheduledAfter === undefined ? [] : [Prisma.sql`d.scheduled_at >= ${scheduledAfter}`]),
    ...(scheduledBefore === undefined ? [] : [Prisma.sql`d.scheduled_at < ${scheduledBefore}`]),
  ];
  return Prisma.sql`EXISTS (SELECT FROM deliveries d WHERE ${Prisma.join(all, ' AND ')})`;
}

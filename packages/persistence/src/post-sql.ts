import {
  SCHEDULED_POSTS_MAX,
  type DeliveryStatus,
  type PostFilter,
  type PostStatus,
  type WorkspaceId,
} from '@switchboard/domain';
import { Prisma } from './generated/client.js';

/** A delivery that has not gone out and will do so by itself when its time, or its account, comes. */
export const waitingStatuses: readonly DeliveryStatus[] = ['pending', 'retrying', 'blocked'];

/** The same of a row of deliveries, as literals: an index over what waits is no use to a parameter that could be anything. */
export const waitingSql = `status IN (${waitingStatuses.map((status) => `'${status}'`).join(', ')})`;
export const isWaiting = Prisma.raw(waitingSql);

/**
 * How many deliveries of a connection wait, counted to `SCHEDULED_POSTS_MAX`, and when the first of them is due. Both are read
 * from the index over them in its order, which is why the count can stop.
 */
export const countUnsentSql = (workspaceId: string, connectionId: string) => `
  SELECT count(*)::int AS count, min(first.at) AS next_at
  FROM (
    SELECT coalesce(d.next_attempt_at, d.scheduled_at) AS at FROM deliveries d
    WHERE d.workspace_id = ${workspaceId} AND d.connection_id = ${connectionId} AND d.${waitingSql}
    ORDER BY coalesce(d.next_attempt_at, d.scheduled_at) LIMIT ${SCHEDULED_POSTS_MAX}
  ) AS first`;

/** What the indexes over posts by their status hold. Of an open one something is still to come. */
const listedStatus = Prisma.sql`(CASE WHEN p.draft THEN 'draft' ELSE coalesce(p.settled_status, 'open') END)`;

/**
 * When a pending delivery is due, as an index over them has it. Statistics are kept of this expression: of `status` and
 * `scheduled_at` the planner knows only apart, and would take what was due long ago for pending, and so read all there is.
 */
const pendingSince = Prisma.sql`(CASE WHEN status = 'pending' THEN scheduled_at END)`;

export interface PostPageRequest {
  readonly sort: PostFilter['sort'];
  readonly after: string | undefined;
  readonly limit: number;
}

/**
 * The ids of the posts that fit, in the order of a page and no further than `limit`. What is asked by status is read status by
 * status, each from an index in its order: a status that no post has costs no more than one that every post has. A test
 * holds this together with `posts/post-status.ts`.
 */
export function selectPostIds(
  workspaceId: WorkspaceId,
  { statuses, ...filter }: Omit<PostFilter, 'sort'>,
  { sort, after, limit }: PostPageRequest,
): Prisma.Sql {
  const matches = buildConditions(workspaceId, filter);
  const order = Prisma.sql`ORDER BY ${orderBy[sort]} LIMIT ${limit}`;
  if (statuses === undefined)
    return Prisma.sql`SELECT p.id FROM posts p WHERE ${matches} AND ${afterCursor(sort, after)} ${order}`;
  const branches = [...new Set(statuses)].map(
    (status) => Prisma.sql`(${selectByStatus(workspaceId, status, matches, { sort, after })} LIMIT ${limit})`,
  );
  return Prisma.sql`SELECT p.id FROM (${Prisma.join(branches, ' UNION ALL ')}) AS p ${order}`;
}

const orderBy = {
  scheduled_at: Prisma.sql`p.scheduled_at, p.id`,
  '-created_at': Prisma.sql`p.id DESC`,
} as const satisfies Record<PostFilter['sort'], Prisma.Sql>;

/** In the order of publish times a position is the time and, among equals, the id. */
const parseCursor = (after: string) => after.split(' ') as [string, string];

function afterCursor(sort: PostFilter['sort'], after: string | undefined): Prisma.Sql {
  if (after === undefined) return Prisma.sql`true`;
  if (sort === '-created_at') return Prisma.sql`p.id < ${after}`;
  const [scheduledAt, id] = parseCursor(after);
  return Prisma.sql`(p.scheduled_at, p.id) > (${scheduledAt}::timestamptz, ${id})`;
}

/**
 * The posts that the indexes hold under a status, behind a position, in their order. All of it is said with the status as the
 * first column: the planner drops what is equal from an order, and could then take an index that knows no status.
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

function selectByStatus(
  workspaceId: WorkspaceId,
  status: PostStatus,
  fits: Prisma.Sql,
  page: Omit<PostPageRequest, 'limit'>,
): Prisma.Sql {
  const found = Prisma.sql`SELECT p.id, p.scheduled_at FROM posts p WHERE ${fits}`;
  // Without OFFSET 0 the planner may turn a look at each row into a join that reads all of them.
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

/** What a filter asks of the post `p`. A time range holds its beginning and not its end. */
function buildConditions(
  workspaceId: WorkspaceId,
  filter: Omit<PostFilter, 'statuses' | 'sort'>,
): Prisma.Sql {
  const { reach } = filter;
  const conditions = [Prisma.sql`p.workspace_id = ${workspaceId}`, ...deliveryConditions(filter)];
  const addCondition = (given: unknown, condition: Prisma.Sql) => given != null && conditions.push(condition);

  addCondition(reach, Prisma.sql`p.profile_id = ANY (${[...(reach ?? [])]})`);
  addCondition(filter.profileId, Prisma.sql`p.profile_id = ${filter.profileId}`);
  addCondition(filter.externalId, Prisma.sql`p.external_id = ${filter.externalId}`);
  addCondition(filter.metadata, Prisma.sql`p.metadata @> ${JSON.stringify(filter.metadata ?? {})}::jsonb`);
  addCondition(filter.scheduledAfter, Prisma.sql`p.scheduled_at >= ${filter.scheduledAfter}`);
  addCondition(filter.scheduledBefore, Prisma.sql`p.scheduled_at < ${filter.scheduledBefore}`);
  return Prisma.join(conditions, ' AND ');
}

/** One delivery that fits all of what is asked of deliveries. */
function deliveryConditions({
  connectionId,
  platforms,
  publishedAfter,
  publishedBefore,
}: Omit<PostFilter, 'statuses' | 'sort'>): Prisma.Sql[] {
  const conditions = [
    ...(connectionId === undefined ? [] : [Prisma.sql`d.connection_id = ${connectionId}`]),
    ...(platforms === undefined ? [] : [Prisma.sql`d.platform = ANY (${[...platforms]})`]),
    ...(publishedAfter === undefined ? [] : [Prisma.sql`d.published_at >= ${publishedAfter}`]),
    ...(publishedBefore === undefined ? [] : [Prisma.sql`d.published_at < ${publishedBefore}`]),
  ];
  if (conditions.length === 0) return [];
  const all = Prisma.join(conditions, ' AND ');
  return [
    Prisma.sql`EXISTS (SELECT FROM deliveries d WHERE d.workspace_id = p.workspace_id AND d.post_id = p.id AND ${all})`,
  ];
}

import {
  SCHEDULED_POSTS_MAX,
  type DeliveryStatus,
  type PostFilter,
  type PostStatus,
  type WorkspaceId,
} from '@switchboard/domain';
import { Prisma } from './generated/client.js';

/** A delivery that has not gone out and will do so by itself when its time, or its account, comes. */
export const waiting: readonly DeliveryStatus[] = ['pending', 'retrying', 'blocked'];

/** The same of a row of deliveries, as literals: an index over what waits is no use to a parameter that could be anything. */
export const waitingSql = `status IN (${waiting.map((status) => `'${status}'`).join(', ')})`;
export const isWaiting = Prisma.raw(waitingSql);

/**
 * How many deliveries of a connection wait, counted to `SCHEDULED_POSTS_MAX`, and when the first of them is due. Both are read
 * from the index over them in its order, which is why the count can stop.
 */
export const unsentOf = (workspaceId: string, connectionId: string) => `
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

export interface PostPage {
  readonly sort: PostFilter['sort'];
  readonly after: string | undefined;
  readonly limit: number;
}

/**
 * The ids of the posts that fit, in the order of a page and no further than `limit`. What is asked by status is read status by
 * status, each from an index in its order: a status that no post has costs no more than one that every post has. A test
 * holds this together with `posts/post-status.ts`.
 */
export function postIds(
  workspaceId: WorkspaceId,
  { statuses, ...filter }: Omit<PostFilter, 'sort'>,
  { sort, after, limit }: PostPage,
): Prisma.Sql {
  const fits = fitting(workspaceId, filter);
  const order = Prisma.sql`ORDER BY ${orders[sort]} LIMIT ${limit}`;
  if (statuses === undefined)
    return Prisma.sql`SELECT p.id FROM posts p WHERE ${fits} AND ${behind(sort, after)} ${order}`;
  const branches = [...new Set(statuses)].map(
    (status) => Prisma.sql`(${ofStatus(workspaceId, status, fits, { sort, after })} LIMIT ${limit})`,
  );
  return Prisma.sql`SELECT p.id FROM (${Prisma.join(branches, ' UNION ALL ')}) AS p ${order}`;
}

const orders = {
  scheduled_at: Prisma.sql`p.scheduled_at, p.id`,
  '-created_at': Prisma.sql`p.id DESC`,
} as const satisfies Record<PostFilter['sort'], Prisma.Sql>;

/** In the order of publish times a position is the time and, among equals, the id. */
const readPosition = (after: string) => after.split(' ') as [string, string];

function behind(sort: PostFilter['sort'], after: string | undefined): Prisma.Sql {
  if (after === undefined) return Prisma.sql`true`;
  if (sort === '-created_at') return Prisma.sql`p.id < ${after}`;
  const [scheduledAt, id] = readPosition(after);
  return Prisma.sql`(p.scheduled_at, p.id) > (${scheduledAt}::timestamptz, ${id})`;
}

/**
 * The posts that the indexes hold under a status, behind a position, in their order. All of it is said with the status as the
 * first column: the planner drops what is equal from an order, and could then take an index that knows no status.
 */
function listedAs(listed: string, { sort, after }: Omit<PostPage, 'limit'>) {
  const [first, last] = [Prisma.sql`${listedStatus} >= ${listed}`, Prisma.sql`${listedStatus} <= ${listed}`];
  if (sort === '-created_at')
    return {
      where: Prisma.sql`${first} AND ${after === undefined ? last : Prisma.sql`(${listedStatus}, p.id) < (${listed}, ${after})`}`,
      order: Prisma.sql`${listedStatus} DESC, p.id DESC`,
    };
  const [scheduledAt, id] = readPosition(after ?? ' ');
  const rest = Prisma.sql`(${listedStatus}, p.scheduled_at, p.id) > (${listed}, ${scheduledAt}::timestamptz, ${id})`;
  return {
    where: Prisma.sql`${after === undefined ? first : rest} AND ${last}`,
    order: Prisma.sql`${listedStatus}, p.scheduled_at, p.id`,
  };
}

function ofStatus(
  workspaceId: WorkspaceId,
  status: PostStatus,
  fits: Prisma.Sql,
  page: Omit<PostPage, 'limit'>,
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
        ${found} AND ${behind(page.sort, page.after)} AND ${listedStatus} = 'open' AND p.id = begun.post_id OFFSET 0
      ) AS p
      ORDER BY ${orders[page.sort]}`;
  if (status === 'scheduled') {
    const open = listedAs('open', page);
    return Prisma.sql`
      ${found} AND ${open.where} AND NOT EXISTS (
        SELECT FROM deliveries d
        WHERE d.workspace_id = p.workspace_id AND d.post_id = p.id
          AND (d.status IN ('sending', 'retrying', 'blocked', 'unknown') OR (d.status = 'pending' AND d.scheduled_at <= now()))
        OFFSET 0)
      ORDER BY ${open.order}`;
  }
  const { where, order } = listedAs(status, page);
  return Prisma.sql`${found} AND ${where} ORDER BY ${order}`;
}

/** What a filter asks of the post `p`. A time range holds its beginning and not its end. */
function fitting(workspaceId: WorkspaceId, filter: Omit<PostFilter, 'statuses' | 'sort'>): Prisma.Sql {
  const { reach } = filter;
  const conditions = [Prisma.sql`p.workspace_id = ${workspaceId}`, ...ofDeliveries(filter)];
  const ask = (given: unknown, condition: Prisma.Sql) => given != null && conditions.push(condition);

  ask(reach, Prisma.sql`p.profile_id = ANY (${[...(reach ?? [])]})`);
  ask(filter.profileId, Prisma.sql`p.profile_id = ${filter.profileId}`);
  ask(filter.externalId, Prisma.sql`p.external_id = ${filter.externalId}`);
  ask(filter.metadata, Prisma.sql`p.metadata @> ${JSON.stringify(filter.metadata ?? {})}::jsonb`);
  ask(filter.scheduledAfter, Prisma.sql`p.scheduled_at >= ${filter.scheduledAfter}`);
  ask(filter.scheduledBefore, Prisma.sql`p.scheduled_at < ${filter.scheduledBefore}`);
  return Prisma.join(conditions, ' AND ');
}

/** One delivery that fits all of what is asked of deliveries. */
function ofDeliveries({
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

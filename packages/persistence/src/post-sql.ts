import type { DeliveryStatus, PostFilter, WorkspaceId } from '@switchboard/domain';
import { Prisma } from './generated/client.js';

/** A delivery that has not gone out and will do so by itself when its time, or its account, comes. */
export const waiting: readonly DeliveryStatus[] = ['pending', 'retrying', 'blocked'];

/** The same of a row of deliveries, as literals: an index over what waits is no use to a parameter that could be anything. */
export const waitingSql = `status IN (${waiting.map((status) => `'${status}'`).join(', ')})`;
export const isWaiting = Prisma.raw(waitingSql);

/** The rule of `posts/post-status.ts` in the database's words, over the deliveries `d` of a post. A test holds the two together. */
export const derivedStatus = Prisma.sql`
  CASE
    WHEN bool_or(d.status = 'needs_review') THEN 'needs_review'
    WHEN bool_or(d.status IN ('sending', 'retrying', 'blocked', 'unknown') OR (d.status = 'pending' AND d.scheduled_at <= now()))
      THEN 'publishing'
    WHEN bool_or(d.status = 'pending') THEN 'scheduled'
    WHEN bool_and(d.status = 'published') THEN 'published'
    WHEN bool_and(d.status = 'cancelled') THEN 'cancelled'
    WHEN bool_or(d.status = 'published' OR (d.status IN ('failed', 'missed') AND d.published_at IS NOT NULL))
      THEN 'partially_published'
    WHEN bool_or(d.status = 'failed') THEN 'failed'
    WHEN bool_or(d.status = 'missed') THEN 'missed'
    WHEN bool_or(d.status = 'deleted') THEN 'deleted'
    ELSE 'cancelled'
  END`;

/** What a filter asks of the post `p`. A time range holds its beginning and not its end. */
export function fitting(workspaceId: WorkspaceId, filter: PostFilter): Prisma.Sql {
  const { reach, statuses } = filter;
  const conditions = [Prisma.sql`p.workspace_id = ${workspaceId}`, ...ofDeliveries(filter)];
  const ask = (given: unknown, condition: Prisma.Sql) => given != null && conditions.push(condition);

  ask(reach, Prisma.sql`p.profile_id = ANY (${[...(reach ?? [])]})`);
  ask(filter.profileId, Prisma.sql`p.profile_id = ${filter.profileId}`);
  ask(filter.externalId, Prisma.sql`p.external_id = ${filter.externalId}`);
  ask(filter.metadata, Prisma.sql`p.metadata @> ${JSON.stringify(filter.metadata ?? {})}::jsonb`);
  ask(filter.scheduledAfter, Prisma.sql`p.scheduled_at >= ${filter.scheduledAfter}`);
  ask(filter.scheduledBefore, Prisma.sql`p.scheduled_at < ${filter.scheduledBefore}`);
  ask(
    statuses,
    Prisma.sql`(SELECT CASE WHEN p.draft THEN 'draft' ELSE ${derivedStatus} END
      FROM deliveries d WHERE d.workspace_id = p.workspace_id AND d.post_id = p.id) = ANY (${[...(statuses ?? [])]})`,
  );
  return Prisma.join(conditions, ' AND ');
}

/** One delivery that fits all of what is asked of deliveries. */
function ofDeliveries({
  connectionId,
  platforms,
  publishedAfter,
  publishedBefore,
}: PostFilter): Prisma.Sql[] {
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

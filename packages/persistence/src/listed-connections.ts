import type { ConnectionFilter, ConnectionView, PageRequest, WorkspaceId } from '@switchboard/domain';
import type { Client } from './columns.js';
import { connection } from './connection-rows.js';
import { Prisma } from './generated/client.js';
import type { ConnectionModel } from './generated/models.js';
import { isWaiting } from './post-sql.js';

/** A row as PostgreSQL writes it into JSON: what is a time in the model is text here. */
type Written<Row> = {
  readonly [Field in keyof Row]: Row[Field] extends Date | null ? string | null : Row[Field];
};
type ListedRow = Written<ConnectionModel & { scheduledPosts: number; nextPostAt: Date | null }>;

/**
 * One question for a page of connections and what waits on each, answered as one JSON text: taking a page apart cell by
 * cell costs more than reading it. One row more than asked tells whether there is a next page.
 */
export async function listedConnections(
  client: Client,
  workspaceId: WorkspaceId,
  filter: ConnectionFilter,
  { limit, after }: PageRequest,
): Promise<readonly ConnectionView[]> {
  const behind = after === undefined ? Prisma.empty : Prisma.sql`AND c.id < ${after}`;
  const [answer] = await client.$queryRaw<{ rows: string }[]>`
    SELECT coalesce(json_agg(listed ORDER BY listed.id DESC), '[]')::text AS rows
    FROM (
      SELECT page.id, page.workspace_id AS "workspaceId", page.profile_id AS "profileId", page.platform, page.kind,
        page.label, page.external_id AS "externalId", page.metadata, page.status, page.status_reason AS "statusReason",
        page.paused, page.account_id AS "accountId", page.account_username AS "accountUsername",
        page.account_name AS "accountName", page.account_avatar_url AS "accountAvatarUrl",
        page.account_url AS "accountUrl", page.account_text_limits AS "accountTextLimits", page.account_media_limits AS "accountMediaLimits", page.server, page.way, page.granted_permissions AS "grantedPermissions",
        page.expires_at AS "expiresAt", page.created_at AS "createdAt", page.last_checked_at AS "lastCheckedAt",
        page.deleted_at AS "deletedAt", page.version,
        unsent.count AS "scheduledPosts", unsent.next_at AS "nextPostAt"
      FROM (
        SELECT * FROM connections c WHERE ${fitting(workspaceId, filter)} ${behind} ORDER BY c.id DESC LIMIT ${limit + 1}
      ) AS page
      CROSS JOIN LATERAL (
        SELECT count(*)::int AS count, min(coalesce(d.next_attempt_at, d.scheduled_at)) AS next_at
        FROM deliveries d
        WHERE d.workspace_id = page.workspace_id AND d.connection_id = page.id AND d.${isWaiting}
      ) AS unsent
    ) AS listed`;
  return (JSON.parse(answer?.rows ?? '[]') as ListedRow[]).map(view);
}

function view({ scheduledPosts, nextPostAt, ...row }: ListedRow): ConnectionView {
  const { createdAt, expiresAt, lastCheckedAt } = row;
  return {
    connection: connection({
      ...row,
      createdAt: new Date(createdAt as string),
      expiresAt: dateOf(expiresAt),
      lastCheckedAt: dateOf(lastCheckedAt),
      deletedAt: null,
    }),
    scheduledPosts,
    nextPostAt: dateOf(nextPostAt),
  };
}

const dateOf = (text: string | null): Date | null => (text === null ? null : new Date(text));

function fitting(workspaceId: WorkspaceId, filter: ConnectionFilter): Prisma.Sql {
  const { reach, ids, profileId, platforms, statuses, kind, externalId } = filter;
  const conditions = [Prisma.sql`c.workspace_id = ${workspaceId}`, Prisma.sql`c.deleted_at IS NULL`];
  const ask = (given: unknown, condition: () => Prisma.Sql) => given != null && conditions.push(condition());
  ask(reach, () => Prisma.sql`c.profile_id = ANY (${[...(reach ?? [])]})`);
  ask(ids, () => Prisma.sql`c.id = ANY (${[...(ids ?? [])]})`);
  ask(profileId, () => Prisma.sql`c.profile_id = ${profileId}`);
  ask(platforms, () => Prisma.sql`c.platform = ANY (${[...(platforms ?? [])]})`);
  ask(statuses, () => Prisma.sql`c.status = ANY (${[...(statuses ?? [])]})`);
  ask(kind, () => Prisma.sql`c.kind = ${kind}`);
  ask(externalId, () => Prisma.sql`c.external_id = ${externalId}`);
  return Prisma.join(conditions, ' AND ');
}

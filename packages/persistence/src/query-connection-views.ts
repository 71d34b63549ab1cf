import type { PageRequest, WorkspaceId } from '@switchboard/domain';
import type { Connection, ConnectionView, MediaRules, TextLimits } from '@switchboard/domain/connections';
import type { ConnectionFilter } from '@switchboard/domain/ports';
import type { QueryRunner } from './query-runner.js';
import { readMediaLimits } from './connection-rows.js';
import { countUnsentSql } from './post-sql.js';

/**
 * A connection as PostgreSQL serializes it to JSON: times are text, and the account's fields are flattened.
 */
interface ConnectionViewRow extends Omit<
  Connection,
  'account' | 'expiresAt' | 'createdAt' | 'lastCheckedAt'
> {
  readonly accountId: string;
  readonly accountUsername: string | null;
  readonly accountName: string | null;
  readonly accountAvatarUrl: string | null;
  readonly accountUrl: string | null;
  readonly accountTextLimits: TextLimits | null;
  readonly accountMediaLimits: MediaRules | null;
  readonly expiresAt: string | null;
  readonly createdAt: string;
  readonly lastCheckedAt: string | null;
  readonly scheduledPosts: number;
  readonly nextPostAt: string | null;
}

/**
 * One query for a page of connections and their waiting deliveries, returned as one JSON text: decoding a
 * page cell by cell costs more than reading it. One extra row shows whether there is a next page.
 */
export async function queryConnectionViews(
  query: QueryRunner,
  workspaceId: WorkspaceId,
  filter: ConnectionFilter,
  { limit, after }: PageRequest,
): Promise<readonly ConnectionView[]> {
  const values: unknown[] = [];
  const bind = (value: unknown) => `$${values.push(value)}`;
  const whereConditions = buildConditions(workspaceId, filter, bind);
  if (after !== undefined) whereConditions.push(`c.id < ${bind(after)}`);
  const [result] = await query<{ readonly rows: string }>(
    `SELECT coalesce(json_agg(listed), '[]')::text AS rows
    FROM (
      SELECT ${COLUMNS}, unsent.count AS "scheduledPosts", unsent.next_at AS "nextPostAt"
      FROM (SELECT * FROM connections c WHERE ${whereConditions.join(' AND ')} ORDER BY c.id DESC LIMIT ${bind(limit + 1)}) AS page
      CROSS JOIN LATERAL (${countUnsentSql('page.workspace_id', 'page.id')}) AS unsent
      ORDER BY page.id DESC
    ) AS listed`,
    values,
  );
  return (JSON.parse(result?.rows ?? '[]') as ConnectionViewRow[]).map(toConnectionView);
}

const COLUMNS = `page.id, page.workspace_id AS "workspaceId", page.profile_id AS "profileId", page.platform, page.kind,
  page.label, page.external_id AS "externalId", page.metadata, page.status, page.status_reason AS "statusReason",
  page.paused, page.account_id AS "accountId", page.account_username AS "accountUsername",
  page.account_name AS "accountName", page.account_avatar_url AS "accountAvatarUrl", page.account_url AS "accountUrl",
  page.account_server AS "accountServer", page.account_text_limits AS "accountTextLimits", page.account_media_limits AS "accountMediaLimits", page.server, page.connect_method AS "connectMethod",
  page.granted_permissions AS "grantedPermissions", page.refused_permissions AS "refusedPermissions", page.expires_at AS "expiresAt",
  page.warned_days AS "warnedDays", page.app_missing AS "appMissing", page.created_at AS "createdAt",
  page.last_checked_at AS "lastCheckedAt", page.version`;

/** Field by field: spreading a row costs more than reading it. */
const toConnectionView = (row: ConnectionViewRow): ConnectionView => ({
  connection: {
    id: row.id,
    workspaceId: row.workspaceId,
    profileId: row.profileId,
    platform: row.platform,
    kind: row.kind,
    label: row.label,
    externalId: row.externalId,
    metadata: row.metadata,
    status: row.status,
    statusReason: row.statusReason,
    paused: row.paused,
    account: {
      id: row.accountId,
      username: row.accountUsername,
      name: row.accountName,
      avatarUrl: row.accountAvatarUrl,
      url: row.accountUrl,
      ...(row.accountTextLimits && { textLimits: row.accountTextLimits }),
      ...(row.accountMediaLimits && { mediaLimits: readMediaLimits(row.accountMediaLimits) }),
    },
    accountServer: row.accountServer,
    server: row.server,
    connectMethod: row.connectMethod,
    grantedPermissions: row.grantedPermissions,
    refusedPermissions: row.refusedPermissions,
    expiresAt: parseDate(row.expiresAt),
    warnedDays: row.warnedDays,
    appMissing: row.appMissing,
    createdAt: new Date(row.createdAt),
    lastCheckedAt: parseDate(row.lastCheckedAt),
    version: row.version,
  },
  scheduledPosts: row.scheduledPosts,
  nextPostAt: parseDate(row.nextPostAt),
});

const parseDate = (text: string | null): Date | null => (text === null ? null : new Date(text));

function buildConditions(
  workspaceId: WorkspaceId,
  { reach, ids, profileId, platforms, statuses, kind, externalId, metadata }: ConnectionFilter,
  bound: (value: unknown) => string,
): string[] {
  const conditions = [`c.workspace_id = ${bound(workspaceId)}`, 'c.deleted_at IS NULL'];
  const isAny = (column: string, given: readonly string[] | null | undefined) =>
    given && conditions.push(`c.${column} = ANY (${bound(given)}::text[])`);
  const is = (column: string, given: string | undefined) =>
    given !== undefined && conditions.push(`c.${column} = ${bound(given)}`);
  isAny('profile_id', reach);
  isAny('id', ids);
  isAny('platform', platforms);
  isAny('status', statuses);
  is('profile_id', profileId);
  is('kind', kind);
  is('external_id', externalId);
  if (metadata) conditions.push(`c.metadata @> ${bound(JSON.stringify(metadata))}::jsonb`);
  return conditions;
}

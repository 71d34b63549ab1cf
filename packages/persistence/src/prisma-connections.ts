import type { ConnectionId, WorkspaceId } from '@switchboard/domain';
import { WARNING_DAYS, type AccountIdentity, type Connection } from '@switchboard/domain/connections';
import type { ConnectionChanges, Connections } from '@switchboard/domain/ports';
import { constant, createQueryRunner, isOneOf } from './query-runner.js';
import { omitUndefined, writeJson, type DatabaseClient } from './columns.js';
import { toConnection } from './connection-rows.js';
import { Prisma } from './generated/client.js';
import type { ConnectionModel } from './generated/models.js';
import { toPage } from './keyset.js';
import { modelColumns, rowsOf } from './model-columns.js';
import { toPauseColumns } from './prisma-pauses.js';
import { queryConnections, queryConnectionViews } from './query-connection-views.js';
import { WriteConflictError } from './write-conflict-error.js';
import { tombstoneConnections } from './tombstone-connections.js';
import { writeNullableJson } from './write-nullable-json.js';

const ALL_MAX = 500;

const ALL_COLUMNS = modelColumns('c', Prisma.ConnectionScalarFieldEnum).sql;
const connectionRows = rowsOf<ConnectionModel>('connections', Prisma.ConnectionScalarFieldEnum);

const whereConnection = (workspaceId: WorkspaceId, id: ConnectionId) =>
  Prisma.sql`WHERE workspace_id = ${workspaceId} AND id = ${id} AND deleted_at IS NULL`;

const whereAccount = (workspaceId: WorkspaceId, { platform, server, id }: AccountIdentity) =>
  Prisma.sql`WHERE workspace_id = ${workspaceId} AND platform = ${platform} AND account_server = ${server}
    AND account_id = ${id} AND deleted_at IS NULL`;

export function prismaConnections(client: DatabaseClient): Connections {
  const find: Connections['find'] = async (workspaceId, id) => {
    const [row] = await connectionRows(client, whereConnection(workspaceId, id));
    return row ? toConnection(row) : null;
  };

  return {
    find,
    async lock(workspaceId, id) {
      const locked = Prisma.sql`${whereConnection(workspaceId, id)} FOR NO KEY UPDATE`;
      const [row] = await connectionRows(client, locked);
      return row ? toConnection(row) : null;
    },
    async findByAccount(workspaceId, profileId, account) {
      const ofProfile = Prisma.sql`${whereAccount(workspaceId, account)} AND profile_id = ${profileId} LIMIT 1`;
      const [row] = await connectionRows(client, ofProfile);
      return row ? toConnection(row) : null;
    },
    async listByAccount(workspaceId, account) {
      const rows = await connectionRows(
        client,
        Prisma.sql`${whereAccount(workspaceId, account)} ORDER BY id`,
      );
      return rows.map(toConnection);
    },
    async list(workspaceId, filter, page) {
      const views = await queryConnectionViews(createQueryRunner(client), workspaceId, filter, page);
      return toPage(
        views.map((view) => ({ id: view.connection.id, view })),
        page,
        ({ view }) => view,
      );
    },
    async listAll(workspaceId, filter) {
      const query = createQueryRunner(client);
      const rows = await queryConnections<ConnectionModel>(query, ALL_COLUMNS, workspaceId, filter, ALL_MAX);
      return rows.map(toConnection);
    },
    async listPlatforms(workspaceId, reach, platforms) {
      const query = createQueryRunner(client);
      const filter = { reach, platforms };
      const rows = await queryConnections<Pick<Connection, 'platform'>>(
        query,
        'DISTINCT c.platform',
        workspaceId,
        filter,
      );
      return rows.map(({ platform }) => platform);
    },
    async listByIds(ids) {
      if (ids.length === 0) return [];
      const rows = await connectionRows(
        client,
        Prisma.sql`WHERE ${isOneOf('id', ids)} AND deleted_at IS NULL`,
      );
      return rows.map(toConnection);
    },
    listWarningsDue: (limit) =>
      client.$queryRaw<Pick<Connection, 'id' | 'workspaceId'>[]>`
        SELECT id, workspace_id AS "workspaceId" FROM connections
        WHERE next_warning_at(expires_at, warned_days) <= now() AND deleted_at IS NULL AND status <> 'needs_reauth'
        ORDER BY next_warning_at(expires_at, warned_days) LIMIT ${constant(limit)}`,
    listToReview: (wanted, limit) =>
      client.$queryRaw<Pick<Connection, 'id' | 'workspaceId'>[]>`
        WITH required AS MATERIALIZED (
          SELECT * FROM jsonb_to_recordset(${JSON.stringify(wanted)}::jsonb) AS w(platform text, "connectMethod" text, permissions text[])
        )
        SELECT c.id, c.workspace_id AS "workspaceId"
        FROM connections c
        LEFT JOIN required AS own ON own.platform = c.platform AND own."connectMethod" = c.connect_method
        LEFT JOIN required AS common ON common.platform = c.platform AND common."connectMethod" IS NULL
        CROSS JOIN LATERAL (
          SELECT min(days) AS days FROM unnest(${[...WARNING_DAYS]}::int[]) AS days
          WHERE c.expires_at <= now() + make_interval(days => days)
        ) AS warning
        CROSS JOIN LATERAL (
          SELECT cardinality(c.granted_permissions) > 0
            AND NOT coalesce(own.permissions, common.permissions, '{}') <@ c.granted_permissions AS permissions
        ) AS lacks
        WHERE c.deleted_at IS NULL AND c.status <> 'needs_reauth' AND (warning.days IS DISTINCT FROM c.warned_days
          OR (c.status = 'degraded') <> (warning.days IS NOT NULL OR lacks.permissions OR c.app_missing
            OR cardinality(c.refused_permissions) > 0))
        LIMIT ${limit}`,
    async insert({ account, metadata, pause, grantedPermissions, refusedPermissions, ...rest }) {
      const data = {
        ...rest,
        ...toPauseColumns(pause),
        ...toAccountColumns(account),
        metadata: writeJson(metadata),
        grantedPermissions: [...grantedPermissions],
        refusedPermissions: [...refusedPermissions],
      };
      const { count } = await client.connection.createMany({ data, skipDuplicates: true });
      if (count !== 1) throw new WriteConflictError('the account was connected concurrently');
    },
    async update(workspaceId, id, changes) {
      const where = { workspaceId, id, deletedAt: null };
      const [row] = await client.connection.updateManyAndReturn({ where, data: toChangedColumns(changes) });
      return row ? toConnection(row) : null;
    },
    delete: (workspaceId, id) => tombstoneConnections(client, { workspaceId, id }),
  };
}

function toChangedColumns({
  account,
  metadata,
  pause,
  grantedPermissions,
  refusedPermissions,
  ...rest
}: ConnectionChanges) {
  return {
    ...omitUndefined(rest),
    ...(pause !== undefined && toPauseColumns(pause)),
    ...(account && toAccountColumns(account)),
    ...(metadata && { metadata: writeJson(metadata) }),
    ...(grantedPermissions && { grantedPermissions: [...grantedPermissions] }),
    ...(refusedPermissions && { refusedPermissions: [...refusedPermissions] }),
    version: { increment: 1 },
  };
}

const toAccountColumns = (account: Connection['account']) => ({
  accountId: account.id,
  accountUsername: account.username,
  accountName: account.name,
  accountAvatarUrl: account.avatarUrl,
  accountUrl: account.url,
  accountTextLimits: writeNullableJson(account.textLimits ?? null),
  accountMediaLimits: writeNullableJson(account.mediaLimits ?? null),
});

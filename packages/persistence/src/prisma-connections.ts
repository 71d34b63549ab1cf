import type { WorkspaceId } from '@switchboard/domain';
import { WARNING_DAYS, type Connection } from '@switchboard/domain/connections';
import type { ConnectionChanges, ConnectionFilter, Connections } from '@switchboard/domain/ports';
import { createQueryRunner } from './query-runner.js';
import { omitUndefined, writeJson, writeNullableJson, type DatabaseClient } from './columns.js';
import { toConnection } from './connection-rows.js';
import { Prisma } from './generated/client.js';
import type { ConnectionModel } from './generated/models.js';
import { toPage } from './keyset.js';
import { modelColumns } from './model-columns.js';
import { toPauseColumns } from './prisma-pauses.js';
import { queryConnectionViews } from './query-connection-views.js';
import { WriteConflictError } from './write-conflict-error.js';
import { tombstoneConnections } from './tombstone-connections.js';

const ALL_MAX = 500;

const connectionColumns = modelColumns('connections', Prisma.ConnectionScalarFieldEnum);

export function prismaConnections(client: DatabaseClient): Connections {
  const find: Connections['find'] = async (workspaceId, id) => {
    const row = await client.connection.findUnique({
      where: { workspaceId_id: { workspaceId, id }, deletedAt: null },
    });
    return row && toConnection(row);
  };

  return {
    find,
    async lock(workspaceId, id) {
      await client.$queryRaw`
        SELECT id FROM connections WHERE workspace_id = ${workspaceId} AND id = ${id} FOR NO KEY UPDATE`;
      return find(workspaceId, id);
    },
    async findByAccount(workspaceId, profileId, { platform, server: accountServer, id: accountId }) {
      const row = await client.connection.findFirst({
        where: { workspaceId, profileId, platform, accountServer, accountId, deletedAt: null },
      });
      return row && toConnection(row);
    },
    async listByAccount(workspaceId, { platform, server: accountServer, id: accountId }) {
      const rows = await client.connection.findMany({
        where: { workspaceId, platform, accountServer, accountId, deletedAt: null },
        orderBy: { id: 'asc' },
      });
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
      const where = toWhere(workspaceId, filter);
      const rows = await client.connection.findMany({ where, orderBy: { id: 'asc' }, take: ALL_MAX });
      return rows.map(toConnection);
    },
    async listPlatforms(workspaceId, reach, platforms) {
      const rows = await client.connection.findMany({
        where: toWhere(workspaceId, { reach, platforms }),
        distinct: ['platform'],
        select: { platform: true },
      });
      return rows.map(({ platform }) => platform);
    },
    async listByIds(ids) {
      const rows = await client.$queryRaw<ConnectionModel[]>`
        SELECT ${connectionColumns} FROM connections WHERE id = ANY (${[...ids]}) AND deleted_at IS NULL`;
      return rows.map(toConnection);
    },
    listWarningsDue: (limit) =>
      client.$queryRaw<Pick<Connection, 'id' | 'workspaceId'>[]>`
        SELECT id, workspace_id AS "workspaceId" FROM connections
        WHERE next_warning_at(expires_at, warned_days) <= now() AND deleted_at IS NULL AND status <> 'needs_reauth'
        ORDER BY next_warning_at(expires_at, warned_days) LIMIT ${limit}`,
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

function toWhere(workspaceId: WorkspaceId, filter: ConnectionFilter): Prisma.ConnectionWhereInput {
  const { reach, ids, profileId, platforms, statuses, kind, externalId, isPaused, metadata = {} } = filter;
  return {
    workspaceId,
    deletedAt: null,
    ...omitUndefined({ kind, externalId, paused: isPaused }),
    profileId: omitUndefined({ in: reach ? [...reach] : undefined, equals: profileId }),
    ...(ids && { id: { in: [...ids] } }),
    ...(platforms && { platform: { in: [...platforms] } }),
    ...(statuses && { status: { in: [...statuses] } }),
    AND: Object.entries(metadata).map(([key, equals]) => ({ metadata: { path: [key], equals } })),
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

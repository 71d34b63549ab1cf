import type { PageRequest, WorkspaceId } from '@switchboard/domain';
import type { ConnectionView, PresentedConnection } from '@switchboard/domain/connections';
import type { ConnectionFilter } from '@switchboard/domain/ports';
import { isCommonLimit, PLANNED_PER_VALUE, type QueryRunner } from './query-runner.js';
import { toPresentedConnection, type PresentedRow } from './connection-rows.js';
import { countUnsentSql } from './post-sql.js';

/** One query for a page of connections and their waiting deliveries, and one extra row if there is a next page. */
export async function queryConnectionViews(
  query: QueryRunner,
  workspaceId: WorkspaceId,
  filter: ConnectionFilter,
  { limit, after }: PageRequest,
): Promise<readonly ConnectionView[]> {
  const values: unknown[] = [];
  const bind = (value: unknown) => `$${values.push(value)}`;
  const workspace = bind(workspaceId);
  // As a range, the workspace stays in the order: see `ofWorkspace`.
  const range = `c.workspace_id >= ${workspace} AND c.workspace_id <= ${workspace}`;
  const whereConditions = [
    isNarrowed(filter) || filter.ids ? `c.workspace_id = ${workspace}` : range,
    ...buildConditions(workspace, filter, bind),
  ];
  if (after !== undefined) whereConditions.push(`(c.workspace_id, c.id) < (${workspace}, ${bind(after)})`);
  const rows = await query<ViewRow>(
    `SELECT unsent.count AS "scheduledPosts", unsent.next_at AS "nextPostAt", page.presented
    FROM (
      SELECT c.workspace_id, c.id, c.presented FROM connections c WHERE ${whereConditions.join(' AND ')}
      ORDER BY c.workspace_id DESC, c.id DESC LIMIT ${isCommonLimit(limit + 1) ? limit + 1 : bind(limit + 1)}
    ) AS page
    CROSS JOIN LATERAL (${countUnsentSql('page.workspace_id', 'page.id')}) AS unsent
    ORDER BY page.workspace_id DESC, page.id DESC ${planOf(filter)}`,
    values,
  );
  return rows.map(({ scheduledPosts, nextPostAt, presented }) => ({
    connection: readPresented(presented),
    scheduledPosts,
    nextPostAt,
  }));
}

/** The oldest `limit` connections that match; without a limit all of them, in no order. */
export function queryConnections<Row extends object>(
  query: QueryRunner,
  columns: string,
  workspaceId: WorkspaceId,
  filter: ConnectionFilter,
  limit?: number,
): Promise<readonly Row[]> {
  const values: unknown[] = [];
  const bind = (value: unknown) => `$${values.push(value)}`;
  const workspace = bind(workspaceId);
  const conditions = [`c.workspace_id = ${workspace}`, ...buildConditions(workspace, filter, bind)];
  const oldest = limit === undefined ? '' : `ORDER BY c.id LIMIT ${bind(limit)}`;
  return query(
    `SELECT ${columns} FROM connections c WHERE ${conditions.join(' AND ')} ${oldest} ${planOf(filter)}`,
    values,
  );
}

/** By more than what a key reaches, and than IDs. */
const isNarrowed = ({ reach: _, ids: __, ...narrowing }: ConnectionFilter): boolean =>
  Object.values(narrowing).some((value) => value != null);

const planOf = (filter: ConnectionFilter): string => (isNarrowed(filter) ? PLANNED_PER_VALUE : '');

/** In the order of the column `presented`. */
type PresentedColumns = readonly [
  'id',
  'profileId',
  'platform',
  'kind',
  'label',
  'externalId',
  'metadata',
  'status',
  'statusReason',
  'pause',
  'accountId',
  'accountUsername',
  'accountName',
  'accountAvatarUrl',
  'accountUrl',
  'connectMethod',
  'grantedPermissions',
  'refusedPermissions',
  'expiresAt',
  'watchOrders',
  'createdAt',
  'lastCheckedAt',
  'version',
];

/**
 * The generated column `presented`. The driver would decode, convert and name each of its columns of every row, which
 * takes longer than the rest of the statement (docs/decisions/016-where-the-time-goes.md).
 */
type Presented = JsonColumns<PresentedColumns>;
type JsonColumns<Fields extends readonly (keyof PresentedRow)[]> = {
  readonly [Index in keyof Fields]: JsonOf<PresentedRow[Fields[Index]]>;
};
type JsonOf<Value> = Value extends Date ? number : Value;

interface ViewRow extends Pick<ConnectionView, 'scheduledPosts' | 'nextPostAt'> {
  readonly presented: Presented;
}

function readPresented([
  id,
  profileId,
  platform,
  kind,
  label,
  externalId,
  metadata,
  status,
  statusReason,
  pause,
  accountId,
  accountUsername,
  accountName,
  accountAvatarUrl,
  accountUrl,
  connectMethod,
  grantedPermissions,
  refusedPermissions,
  expiresAt,
  watchOrders,
  createdAt,
  lastCheckedAt,
  version,
]: Presented): PresentedConnection {
  return toPresentedConnection({
    id,
    profileId,
    platform,
    kind,
    label,
    externalId,
    metadata,
    status,
    statusReason,
    pause,
    accountId,
    accountUsername,
    accountName,
    accountAvatarUrl,
    accountUrl,
    connectMethod,
    grantedPermissions,
    refusedPermissions,
    expiresAt: readTime(expiresAt),
    watchOrders,
    createdAt: new Date(createdAt),
    lastCheckedAt: readTime(lastCheckedAt),
    version,
  });
}

const readTime = (ms: number | null): Date | null => (ms === null ? null : new Date(ms));

function buildConditions(
  workspace: string,
  { reach, ids, profileId, platforms, statuses, kind, externalId, isPaused, metadata }: ConnectionFilter,
  bound: (value: unknown) => string,
): string[] {
  const conditions = ['c.deleted_at IS NULL'];
  const isAny = (column: string, given: readonly string[] | null | undefined) =>
    given && conditions.push(`c.${column} = ANY (${bound(given)}::text[])`);
  const is = (column: string, given: string | undefined) =>
    given !== undefined && conditions.push(`c.${column} = ${bound(given)}`);
  isAny('profile_id', reach);
  // One value by equality: see `isOneOf`.
  if (ids?.length === 1) is('id', ids[0]);
  else isAny('id', ids);
  isAny('platform', platforms);
  isAny('status', statuses);
  is('profile_id', profileId);
  is('kind', kind);
  is('external_id', externalId);
  if (isPaused) conditions.push('c.paused');
  if (metadata && Object.keys(metadata).length > 0) {
    const json = bound(JSON.stringify(metadata));
    conditions.push(
      `c.metadata <> '{}' AND c.metadata @> ${json}::jsonb
        AND metadata_terms(c.workspace_id, c.metadata) @> metadata_terms(${workspace}, ${json}::jsonb)`,
    );
  }
  return conditions;
}

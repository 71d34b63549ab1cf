import type { WorkspaceId } from '@switchboard/domain';
import type { Workspaces } from '@switchboard/domain/ports';
import type { Workspace } from '@switchboard/domain/workspaces';
import { omitUndefined, type DatabaseClient } from './columns.js';
import { Prisma } from './generated/client.js';
import type { WorkspaceModel } from './generated/models.js';
import { rowsOf } from './model-columns.js';

const workspaceRows = rowsOf<WorkspaceModel>('workspaces', Prisma.WorkspaceScalarFieldEnum);

export function prismaWorkspaces(client: DatabaseClient): Workspaces {
  return {
    async find(id) {
      const [row] = await workspaceRows(client, Prisma.sql`WHERE id = ${id}`);
      return row ? toWorkspace(row) : null;
    },
    async findByName(name) {
      const turn = `workspace named ${name}`;
      await client.$queryRaw`SELECT pg_advisory_xact_lock(hashtextextended(${turn}, 0))::text`;
      const [row] = await workspaceRows(client, Prisma.sql`WHERE name = ${name}`);
      return row ? toWorkspace(row) : null;
    },
    async list() {
      return (await workspaceRows(client, Prisma.sql`ORDER BY id`)).map(toWorkspace);
    },
    async insert({ returnUrls, notifyEmails, ...rest }) {
      await client.workspace.create({
        data: { ...rest, returnUrls: [...returnUrls], notifyEmails: [...notifyEmails] },
      });
    },
    async update(id, { returnUrls, notifyEmails, ...rest }, ifVersion) {
      const [row] = await client.workspace.updateManyAndReturn({
        where: { id, ...(ifVersion !== undefined && { version: ifVersion }) },
        data: {
          ...omitUndefined({
            ...rest,
            returnUrls: returnUrls && [...returnUrls],
            notifyEmails: notifyEmails && [...notifyEmails],
          }),
          version: { increment: 1 },
        },
      });
      return row ? toWorkspace(row) : null;
    },
    async disable(id) {
      // Waits for transactions that add a key.
      const [found] = await client.$queryRaw<object[]>`SELECT id FROM workspaces WHERE id = ${id} FOR UPDATE`;
      await client.dataKey.deleteMany({ where: { workspaceId: id } });
      await client.apiKey.deleteMany({ where: { workspaceId: id } });
      return found !== undefined;
    },
    async deleteRows(id, limit) {
      for (const table of LARGE_TABLES) {
        const count = await client.$executeRawUnsafe(
          `DELETE FROM ${table} WHERE ctid = ANY (ARRAY(SELECT ctid FROM ${table} WHERE workspace_id = $1 LIMIT $2))`,
          id,
          limit,
        );
        if (count > 0) return count;
      }
      return 0;
    },
    delete: (id) => deleteWorkspace(client, id),
  };
}

export const toWorkspace = (row: WorkspaceModel): Workspace => ({ ...row, id: row.id as WorkspaceId });

/** Rows that no other rows reference, then posts, with their deliveries. */
const LARGE_TABLES = [
  'delivery_attempts',
  'snapshots',
  'latest_metrics',
  'external_posts',
  'metric_sums',
  'hour_sums',
  'invalidated_metric_days',
  'post_media',
  'posts',
  'watched_orders',
  'store_webhook_deliveries',
  'events',
  'idempotency_keys',
];

/** The tables that keep rows of a deleted workspace: its audit log. */
const RETAINED_TABLES = ['audit_rows', 'audit_heads'];

/** Requires a transaction. */
async function deleteWorkspace(
  client: DatabaseClient,
  id: WorkspaceId,
): Promise<{ readonly files: readonly string[] } | null> {
  // A transaction that adds rows locks one of these rows: its rows are visible by now, or it fails on a
  // missing reference.
  const [found] = await client.$queryRaw<object[]>`SELECT id FROM workspaces WHERE id = ${id} FOR UPDATE`;
  if (!found) return null;
  await client.$queryRaw`SELECT id FROM profiles WHERE workspace_id = ${id} ORDER BY id FOR UPDATE`;
  await client.$queryRaw`SELECT id FROM connections WHERE workspace_id = ${id} ORDER BY id FOR UPDATE`;
  const files = await client.$queryRaw<{ name: string }[]>`
    SELECT file_name AS name FROM media WHERE workspace_id = ${id} AND file_name IS NOT NULL`;
  await client.dataKey.deleteMany({ where: { workspaceId: id } });
  await client.$executeRawUnsafe(await buildDeletion(client), id);
  await client.workspace.delete({ where: { id } });
  return { files: files.map(({ name }) => name) };
}

/**
 * One statement for all tables with a workspace_id: PostgreSQL checks the references between them at its end,
 * after all rows are gone.
 */
async function buildDeletion(client: DatabaseClient): Promise<string> {
  const tables = await client.$queryRaw<{ name: string }[]>`
    SELECT c.relname::text AS name FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
    WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r' AND a.attname = 'workspace_id'
      AND NOT a.attisdropped AND NOT c.relname = ANY (${RETAINED_TABLES}::text[])
    ORDER BY 1`;
  const steps = tables.map(
    ({ name }) => `"${name}" AS (DELETE FROM public."${name}" WHERE workspace_id = $1)`,
  );
  return `WITH ${steps.join(', ')} SELECT`;
}

import type { DataKeys, DataKeyRewrap } from '@switchboard/domain/ports';
import { writeBytes, type DatabaseClient } from './columns.js';
import { toDataKey, ownerOf } from './data-key-row.js';
import { Prisma } from './generated/client.js';
import type { DataKeyModel } from './generated/models.js';
import { rowsOf } from './model-columns.js';

const dataKeyRows = rowsOf<DataKeyModel>('data_keys', Prisma.DataKeyScalarFieldEnum);

export function prismaDataKeys(client: DatabaseClient): DataKeys {
  return {
    async find(workspaceId) {
      const newest = Prisma.sql`WHERE owner = ${ownerOf(workspaceId)} ORDER BY version DESC LIMIT 1`;
      const [row] = await dataKeyRows(client, newest);
      return row ? toDataKey(row) : null;
    },
    countByMasterKey: () => client.$queryRaw`
      SELECT master_key_id AS "masterKeyId", count(*)::int AS "dataKeys", min(wrapped_at) AS since
      FROM data_keys GROUP BY master_key_id ORDER BY master_key_id`,
    async listWrappedByOtherKeys(masterKeyId, after, limit) {
      const { workspaceId = null, version = 0 } = after ?? {};
      const owner = ownerOf(workspaceId);
      const rows = await client.dataKey.findMany({
        where: {
          masterKeyId: { not: masterKeyId },
          ...(after && { OR: [{ owner: { gt: owner } }, { owner, version: { gt: version } }] }),
        },
        orderBy: [{ owner: 'asc' }, { version: 'asc' }],
        take: limit,
      });
      return rows.map(toDataKey);
    },
    async insert({ wrapped, ...rest }) {
      const owner = ownerOf(rest.workspaceId);
      if (rest.workspaceId !== null) {
        // Locked until the transaction ends: a concurrent rotation waits, and then finds the new key too.
        const [installation] = await client.$queryRaw<{ masterKeyId: string }[]>`
          SELECT master_key_id AS "masterKeyId" FROM data_keys WHERE owner = ${ownerOf(null)} FOR SHARE`;
        if (installation && installation.masterKeyId !== rest.masterKeyId) return null;
      }
      await client.dataKey.createMany({
        data: { ...rest, owner, wrapped: writeBytes(wrapped) },
        skipDuplicates: true,
      });
      const owner_version = { owner, version: rest.version };
      return toDataKey(await client.dataKey.findUniqueOrThrow({ where: { owner_version } }));
    },
    rewrap: (changes) => rewrap(client, changes),
  };
}

/**
 * One statement, so that it needs no transaction: rows that another transaction has locked or changed are
 * skipped.
 */
export async function rewrap(client: DatabaseClient, changes: readonly DataKeyRewrap[]): Promise<number> {
  const [owners, versions, before, after, ids] = [
    changes.map(({ before: { workspaceId } }) => ownerOf(workspaceId)),
    changes.map(({ before: { version } }) => version),
    changes.map((change) => writeBytes(change.before.wrapped)),
    changes.map((change) => writeBytes(change.after.wrapped)),
    changes.map((change) => change.after.masterKeyId),
  ];
  return client.$executeRaw`
    WITH change AS (
      SELECT * FROM unnest(${owners}::text[], ${versions}::int[], ${before}::bytea[], ${after}::bytea[], ${ids}::text[])
        AS c(owner, version, before, after, master_key_id)),
    unchanged AS (
      SELECT d.owner, d.version, c.after, c.master_key_id
      FROM data_keys d JOIN change c USING (owner, version)
      WHERE d.wrapped = c.before
      ORDER BY d.owner, d.version
      FOR UPDATE OF d SKIP LOCKED)
    UPDATE data_keys d SET wrapped = u.after, master_key_id = u.master_key_id, wrapped_at = now()
    FROM unchanged u WHERE d.owner = u.owner AND d.version = u.version`;
}

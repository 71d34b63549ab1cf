import type { ApiKeys } from '@switchboard/domain/ports';
import { toApiKey, toStoredApiKey } from './api-key-row.js';
import { omitUndefined, touchUsed, writeBytes, writeJson, type DatabaseClient } from './columns.js';
import { Prisma } from './generated/client.js';
import type { ApiKeyModel } from './generated/models.js';
import { rowsOf } from './model-columns.js';
import { newestFirstSql, toPage } from './keyset.js';
import { isOneOf } from './query-runner.js';

const keyRows = rowsOf<ApiKeyModel>('api_keys', Prisma.ApiKeyScalarFieldEnum);

export function prismaApiKeys(client: DatabaseClient): ApiKeys {
  return {
    async findByPublicId(publicId) {
      const [found] = await this.findAllByPublicId([publicId]);
      return found ?? null;
    },
    async findAllByPublicId(publicIds) {
      const rows = await keyRows(client, Prisma.sql`WHERE ${isOneOf('public_id', publicIds)}`);
      return rows.map(toStoredApiKey);
    },
    async find(workspaceId, id) {
      const [row] = await keyRows(client, Prisma.sql`WHERE workspace_id = ${workspaceId} AND id = ${id}`);
      return row ? toApiKey(row) : null;
    },
    async listCurrent(workspaceId, lineages) {
      const rows = await keyRows(
        client,
        Prisma.sql`WHERE workspace_id = ${workspaceId} AND lineage = ANY (${[...lineages]}::text[]) AND replaced_by IS NULL`,
      );
      return rows.map(toApiKey);
    },
    async list(workspaceId, page) {
      const rows = await keyRows(
        client,
        Prisma.sql`WHERE workspace_id = ${workspaceId} ${newestFirstSql(page)}`,
      );
      return toPage(rows, page, toApiKey);
    },
    async insert({ scopes, ancestors, policy, ...rest }, hash) {
      await client.apiKey.create({
        data: {
          ...rest,
          ancestors: [...ancestors],
          scopes: [...scopes],
          policy: writeJson(policy),
          hash: writeBytes(hash),
        },
      });
    },
    async update(workspaceId, id, { scopes, policy, ancestors, ...rest }, ifVersion) {
      const [row] = await client.apiKey.updateManyAndReturn({
        where: { workspaceId, id, ...(ifVersion !== undefined && { version: ifVersion }) },
        data: {
          ...omitUndefined(rest),
          ...(scopes && { scopes: [...scopes] }),
          ...(ancestors && { ancestors: [...ancestors] }),
          ...(policy && { policy: writeJson(policy) }),
          version: { increment: 1 },
        },
      });
      return row ? toApiKey(row) : null;
    },
    async revoke(workspaceId, id) {
      await client.$executeRaw`
        UPDATE api_keys SET revoked_at = now() WHERE workspace_id = ${workspaceId} AND id = ${id} AND revoked_at IS NULL`;
      return this.find(workspaceId, id);
    },
    touch: (uses) => touchUsed(client, Prisma.sql`api_keys`, uses),
  };
}

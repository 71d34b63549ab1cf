import type { ApiKeys } from '@switchboard/domain/ports';
import { API_KEY_COLUMNS, toApiKey, toStoredApiKey } from './api-key-row.js';
import { omitUndefined, touchUsed, writeBytes, writeJson, type DatabaseClient } from './columns.js';
import { Prisma } from './generated/client.js';
import type { ApiKeyModel } from './generated/models.js';
import { toPage } from './keyset.js';

export function prismaApiKeys(client: DatabaseClient): ApiKeys {
  return {
    async findByPublicId(publicId) {
      const [found] = await this.findAllByPublicId([publicId]);
      return found ?? null;
    },
    async findAllByPublicId(publicIds) {
      const rows = await client.$queryRawUnsafe<ApiKeyModel[]>(
        `SELECT ${API_KEY_COLUMNS} FROM api_keys WHERE public_id = ANY($1::text[])`,
        [...publicIds],
      );
      return rows.map(toStoredApiKey);
    },
    async find(workspaceId, id) {
      const row = await client.apiKey.findUnique({ where: { workspaceId_id: { workspaceId, id } } });
      return row && toApiKey(row);
    },
    async listCurrent(workspaceId, lineages) {
      const rows = await client.apiKey.findMany({
        where: { workspaceId, lineage: { in: [...lineages] }, replacedBy: null },
      });
      return rows.map(toApiKey);
    },
    async list(workspaceId, page) {
      const rows = await client.$queryRaw<ApiKeyModel[]>`
        SELECT ${Prisma.raw(API_KEY_COLUMNS)} FROM api_keys
        WHERE workspace_id = ${workspaceId} ${page.after === undefined ? Prisma.empty : Prisma.sql`AND id < ${page.after}`}
        ORDER BY id DESC LIMIT ${page.limit + 1}`;
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

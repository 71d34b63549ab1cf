import type { ApiKeys, DataKeys } from '@switchboard/domain/ports';
import { API_KEY_COLUMNS, toStoredApiKey } from './api-key-row.js';
import type { ApiKeyModel, DataKeyModel } from './generated/models.js';
import { withClient, type Queryable } from './migrate/database.js';
import { toDataKey, ownerOf } from './data-key-row.js';

/** The two lookups that identify the owner of a key. */
interface KeyLookups {
  readonly apiKeys: Pick<ApiKeys, 'findByPublicId'>;
  readonly dataKeys: Pick<DataKeys, 'find'>;
}

/**
 * Provides the lookups over a separate connection without Prisma, whose engine takes longer to load than a
 * client should wait for its tool list.
 */
export const withKeyLookups = <Value>(
  url: string,
  use: (keys: KeyLookups) => Promise<Value>,
): Promise<Value> => withClient(url, (client) => use(createKeyLookups(client)));

const createKeyLookups = (database: Queryable): KeyLookups => ({
  apiKeys: {
    async findByPublicId(publicId) {
      const { rows } = await database.query<ApiKeyModel>(
        `SELECT ${API_KEY_COLUMNS} FROM api_keys WHERE public_id = $1`,
        [publicId],
      );
      return rows[0] ? toStoredApiKey(rows[0]) : null;
    },
  },
  dataKeys: {
    async find(workspaceId) {
      const { rows } = await database.query<DataKeyModel>(
        `SELECT owner, version, workspace_id AS "workspaceId", master_key_id AS "masterKeyId", wrapped
         FROM data_keys WHERE owner = $1 ORDER BY version DESC LIMIT 1`,
        [ownerOf(workspaceId)],
      );
      return rows[0] ? toDataKey(rows[0]) : null;
    },
  },
});

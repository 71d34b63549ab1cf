import type { ApiKey, KeyPolicy } from '@switchboard/domain/access';
import type { StoredApiKey } from '@switchboard/domain/ports';
import { readRow } from './columns.js';
import type { ApiKeyModel } from './generated/models.js';

/** The jsonb representation: dates are text. */
type StoredPolicy = Omit<KeyPolicy, 'expiresAt'> & { readonly expiresAt: string | null };

/** The columns of `api_keys` aliased to the field names of the generated model, for raw SQL. */
export const API_KEY_COLUMNS = `id, workspace_id AS "workspaceId", public_id AS "publicId", lineage, ancestors, name, scopes, policy,
  hash, created_at AS "createdAt", last_used_at AS "lastUsedAt", revoked_at AS "revokedAt", replaced_by AS "replacedBy", version`;

export const toStoredApiKey = (row: ApiKeyModel): StoredApiKey => ({ key: toApiKey(row), hash: row.hash });

export function toApiKey({ hash: _, ...row }: ApiKeyModel): ApiKey {
  const policy = row.policy as unknown as StoredPolicy;
  return {
    ...readRow<Omit<ApiKey, 'policy'>>(row),
    policy: { ...policy, expiresAt: policy.expiresAt === null ? null : new Date(policy.expiresAt) },
  };
}

import type { ApiKey, KeyId, Policy, Scope, WorkspaceId } from '@switchboard/domain';
import type { ApiKeyModel } from './generated/models.js';

/** As jsonb keeps it: dates are text. */
type StoredPolicy = Omit<Policy, 'expiresAt'> & { readonly expiresAt: string | null };

export function apiKey({ hash: _, ...row }: ApiKeyModel): ApiKey {
  const policy = row.policy as unknown as StoredPolicy;
  return {
    ...row,
    id: row.id as KeyId,
    workspaceId: row.workspaceId as WorkspaceId,
    scopes: row.scopes as Scope[],
    policy: { ...policy, expiresAt: policy.expiresAt === null ? null : new Date(policy.expiresAt) },
    replacedBy: row.replacedBy as KeyId | null,
  };
}

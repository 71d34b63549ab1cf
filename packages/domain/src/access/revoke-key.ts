import { notFound } from '../failure.js';
import type { KeyId, WorkspaceId } from '../ids.js';
import type { Ports } from '../ports/index.js';
import { ok, type Result } from '../result.js';
import type { ApiKey } from './api-key.js';
import { byOperator } from './create-key.js';

/** Ends a key now, as the operator. A key that is revoked already stays revoked at its first time. */
export function revokeKey(
  ports: Pick<Ports, 'transactions'>,
  workspaceId: WorkspaceId,
  id: KeyId,
): Promise<Result<ApiKey, 'key.not_found'>> {
  return ports.transactions.run(async (tx) => {
    const before = await tx.apiKeys.find(workspaceId, id);
    const key = before && (await tx.apiKeys.revoke(workspaceId, id));
    if (!key) return notFound('key');
    if (before.revokedAt === null) {
      await tx.events.append({
        workspaceId,
        type: 'key.revoked',
        profileId: null,
        data: { key_id: id, name: key.name },
      });
      await tx.audit.append(byOperator(key, 'revokeKey'));
    }
    return ok(key);
  });
}

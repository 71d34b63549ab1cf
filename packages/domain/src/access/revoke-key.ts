import type { Call } from '../call.js';
import { notFound } from '../failure.js';
import type { AtomicPorts } from '../ports/index.js';
import { ok, type Result } from '../result.js';
import type { ApiKey } from './api-key.js';
import { getKey, type GetKey } from './get-key.js';

/**
 * Revokes a key immediately, regardless of its permissions. An already revoked key keeps its first revocation
 * time.
 */
export async function revokeKey(
  ports: Pick<AtomicPorts, 'apiKeys' | 'events'>,
  call: Call,
  command: GetKey,
): Promise<Result<ApiKey, 'key.not_found'>> {
  const before = await getKey(ports, call, command);
  if (!before.ok) return before;
  const { workspaceId, id, name, revokedAt } = before.value;
  const key = await ports.apiKeys.revoke(workspaceId, id);
  if (!key) return notFound('key');
  if (revokedAt === null) {
    const data = { key_id: id, name };
    await ports.events.append({ workspaceId, type: 'key.revoked', profileId: null, data });
  }
  return ok(key);
}

import type { Call } from '../call.js';
import { notFound } from '../failure.js';
import type { AtomicPorts } from '../ports/index.js';
import { ok, type Result } from '../result.js';
import type { ApiKey } from './api-key.js';
import { getKey, type GetKey } from './get-key.js';

/** Ends a key now, whatever it may do. A key that is revoked already stays revoked at its first time. */
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

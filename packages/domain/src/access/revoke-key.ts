import type { Call } from '../call.js';
import { appendClientRevoked } from '../clients/end-client.js';
import { notFound } from '../failure.js';
import type { AtomicPorts } from '../ports/index.js';
import { ok, type Result } from '../result.js';
import type { ApiKey } from './api-key.js';
import { getKey, type GetKey } from './get-key.js';

/**
 * Revokes a key immediately, regardless of its permissions, and with the current key of a lineage the access
 * of all its clients. An already revoked key keeps its first revocation time.
 */
export async function revokeKey(
  ports: Pick<AtomicPorts, 'apiKeys' | 'clients' | 'events'>,
  call: Call,
  command: GetKey,
): Promise<Result<ApiKey, 'key.not_found'>> {
  const before = await getKey(ports, call, command);
  if (!before.ok) return before;
  const { workspaceId, id, name, lineage, revokedAt } = before.value;
  const key = await ports.apiKeys.revoke(workspaceId, id);
  if (!key) return notFound('key');
  if (revokedAt !== null) return ok(key);
  const data = { key_id: id, name };
  await ports.events.append({ workspaceId, type: 'key.revoked', profileId: null, data });
  if (key.replacedBy === null) {
    for (const client of await ports.clients.endAll(workspaceId, lineage, 'key_revoked'))
      await appendClientRevoked(ports, client);
  }
  return ok(key);
}

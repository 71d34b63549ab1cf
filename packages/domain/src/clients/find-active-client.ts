import { isUsable } from '../access/key-rejection.js';
import type { ClientId } from '../ids.js';
import type { ReadPorts } from '../ports/index.js';
import type { AuthorizedClient } from './authorized-client.js';

/** A client that may obtain tokens: null when its access or its key has ended. */
export async function findActiveClient(
  ports: Pick<ReadPorts, 'clients' | 'apiKeys' | 'clock'>,
  id: ClientId,
): Promise<AuthorizedClient | null> {
  const client = await ports.clients.findById(id);
  if (!client || client.revokedAt !== null) return null;
  const [key] = await ports.apiKeys.listCurrent(client.workspaceId, [client.lineage]);
  return key && isUsable(key, ports.clock.now()) ? client : null;
}

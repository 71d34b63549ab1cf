import { getKey } from '../access/get-key.js';
import type { Call } from '../call.js';
import { notFound } from '../failure.js';
import { parseId } from '../ids.js';
import type { AtomicPorts } from '../ports/index.js';
import { ok, type Result } from '../result.js';
import type { AuthorizedClient } from './authorized-client.js';
import { appendClientRevoked } from './end-client.js';

interface RevokeClient {
  readonly id: string;
  readonly clientId: string;
}

/** Ends the access of a client at once. A client whose access has ended keeps its first end. */
export async function revokeClient(
  ports: Pick<AtomicPorts, 'apiKeys' | 'clients' | 'events'>,
  call: Call,
  { id, clientId: text }: RevokeClient,
): Promise<Result<AuthorizedClient, 'key.not_found' | 'client.not_found'>> {
  const key = await getKey(ports, call, { id });
  if (!key.ok) return key;
  const clientId = parseId('cli', text);
  const before = clientId && (await ports.clients.find(call.workspaceId, clientId));
  if (before?.lineage !== key.value.lineage) return notFound('client');
  const ended = await ports.clients.end(call.workspaceId, before.id, 'revoked');
  if (ended) await appendClientRevoked(ports, ended);
  return ok(ended ?? before);
}

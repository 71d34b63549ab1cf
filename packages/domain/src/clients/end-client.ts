import type { ClientId } from '../ids.js';
import type { AtomicPorts, Ports } from '../ports/index.js';
import { ok } from '../result.js';
import type { AuthorizedClient, ClientEndReason } from './authorized-client.js';

export const appendClientRevoked = (
  { events }: Pick<AtomicPorts, 'events'>,
  { id, workspaceId, name, host, endReason }: AuthorizedClient,
): Promise<void> => {
  const data = { client_id: id, name, host, reason: endReason };
  return events.append({ workspaceId, type: 'client.revoked', profileId: null, data });
};

/**
 * Ends a client's access on behalf of the authorization server: the client signed out, or presented a code or
 * refresh token again. Does nothing when it has ended before.
 */
export async function endClient(
  ports: Pick<Ports, 'transactions' | 'clients'>,
  requestId: string,
  id: ClientId,
  reason: ClientEndReason & ('signed_out' | 'token_reused'),
): Promise<void> {
  const client = await ports.clients.findById(id);
  if (!client) return;
  await ports.transactions.run(async (tx) => {
    const ended = await tx.clients.end(client.workspaceId, id, reason);
    if (!ended) return ok();
    await appendClientRevoked(tx, ended);
    await tx.audit.append({
      workspaceId: ended.workspaceId,
      actor: 'system:authorization_server',
      action: 'revokeClient',
      object: id,
      outcome: 'ok',
      requestId,
      details: { reason },
    });
    return ok();
  });
}

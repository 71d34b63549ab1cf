import { narrowPostApproval, type PostApprovalPorts } from '../approvals/post-approval.js';
import { actorName, type Call } from '../call.js';
import { nextCall } from '../next-call.js';
import type { AtomicPorts } from '../ports/index.js';
import { recordStates } from '../deliveries/record-states.js';
import { ok, type Result } from '../result.js';
import { isStale, preconditionFailed } from '../version.js';
import type { Connection } from './connection.js';
import { lockReachableConnection } from './find-reachable.js';
import { revocationOf } from './settle-receipts.js';

export type DisconnectPorts = PostApprovalPorts &
  Pick<
    AtomicPorts,
    | 'connections'
    | 'credentials'
    | 'deliveries'
    | 'jobs'
    | 'events'
    | 'posts'
    | 'ids'
    | 'clock'
    | 'storeWebhooks'
  >;

interface Disconnect {
  readonly id: string;
}

/**
 * Removes the connection immediately. Jobs revoke the grant at the platform and carry the sealed credential,
 * because its rows are destroyed here. A concurrent renewal finds no connection when it finishes, and revokes
 * what it received.
 */
export async function disconnect(
  ports: DisconnectPorts,
  call: Call,
  { id }: Disconnect,
): Promise<Result<Connection, 'connection.not_found' | 'request.precondition_failed'>> {
  // The lock serializes concurrent disconnects, and no delivery becomes blocked in the meantime.
  const found = await lockReachableConnection(ports, call, id);
  if (!found.ok) return found;
  const connection = found.value;
  if (isStale(call, connection))
    return preconditionFailed('connection', nextCall.getConnection(connection.id));
  const credential = await ports.credentials.find(call.workspaceId, connection.id);
  const webhook = await ports.storeWebhooks.find(call.workspaceId, connection.id);
  const receipts = await ports.credentials.deleteReceipts(call.workspaceId, connection.id);
  const cancelled = await ports.deliveries.cancelUnsentOf(call.workspaceId, connection.id);
  await recordStates(ports, cancelled, 'cancelled', actorName(call));
  for (const { postId } of await ports.approvals.listPendingOf(call.workspaceId, connection.id)) {
    const post = postId && (await ports.posts.lock(call.workspaceId, postId));
    if (post) await narrowPostApproval(ports, call, post);
  }
  await ports.connections.delete(call.workspaceId, connection.id);
  const current = credential && { ...connection, ...credential, ...(webhook && { webhook }) };
  for (const sealed of [...receipts, ...(current ? [current] : [])]) {
    await ports.jobs.enqueue(revocationOf({ ...sealed, accountId: connection.account.id }));
  }
  await ports.events.append({
    workspaceId: call.workspaceId,
    type: 'connection.disconnected',
    profileId: connection.profileId,
    data: {
      connection_id: connection.id,
      platform: connection.platform,
      cancelled_deliveries: cancelled.length,
    },
  });
  return ok(connection);
}

import { actorName, type Call } from '../call.js';
import { notFound, refuse } from '../failure.js';
import { withReconnectStep } from '../connections/needs-reauth.js';
import type { PlatformFailureCode, Ports, SessionFailureCode } from '../ports/index.js';
import { ok, type Result } from '../result.js';
import type { Delivery, DeliveryStatus } from './delivery.js';
import { recordDecision } from './record-decision.js';

/** A caller waits for it. */
const WORK_MS = 60_000;

export type RemovePorts = Pick<
  Ports,
  'posts' | 'deliveries' | 'connections' | 'platforms' | 'sessions' | 'transactions' | 'clock' | 'ids'
>;
export type RemoveFailure = PlatformFailureCode | SessionFailureCode | 'connection.not_found';

/** Completely or partially published. */
export const possiblyPublished: readonly DeliveryStatus[] = ['published', 'failed', 'missed'];

/**
 * Deletes one published delivery at its platform, last part first. The decision is stored before anything is
 * sent.
 */
export async function removeDelivery(
  ports: RemovePorts,
  call: Call,
  delivery: Delivery,
): Promise<Result<undefined, RemoveFailure>> {
  await ports.transactions.run<undefined, never>(async (tx) =>
    ok(
      await recordDecision({ ...ports, deliveries: tx.deliveries }, call, delivery, 'unpublish').then(
        () => undefined,
      ),
    ),
  );
  const removed = await removeParts(ports, call, delivery);
  const error = removed.ok ? null : { code: removed.failure.code, message: removed.failure.message };
  await ports.transactions.run<undefined, never>(async (tx) => {
    const post = await tx.posts.lock(delivery.workspaceId, delivery.postId);
    const current = post?.deliveries.find(({ id }) => id === delivery.id);
    if (!current || !possiblyPublished.includes(current.status)) return ok();
    const parts = current.parts.map((part) =>
      part.status === 'published' ? { ...part, status: 'deleted' as const } : part,
    );
    const changes = removed.ok ? { status: 'deleted' as const, parts, error } : { error };
    await tx.deliveries.settle([{ id: current.id, epoch: current.epoch, changes }]);
    await tx.deliveries.insertAttempts({
      id: ports.ids.next('att'),
      deliveryId: current.id,
      workspaceId: current.workspaceId,
      epoch: current.epoch,
      kind: 'state',
      outcome: removed.ok ? 'deleted' : current.status,
      error,
      actor: null,
      note: null,
      at: ports.clock.now(),
    });
    await tx.audit.append({
      workspaceId: current.workspaceId,
      actor: actorName(call),
      action: 'delivery.deleted',
      object: current.id,
      outcome: error?.code ?? 'ok',
      requestId: call.requestId,
      details: { post_id: current.postId, connection_id: current.connectionId },
    });
    return ok();
  });
  return removed;
}

async function removeParts(
  ports: RemovePorts,
  call: Call,
  delivery: Delivery,
): Promise<Result<undefined, RemoveFailure>> {
  const connection = await ports.connections.find(delivery.workspaceId, delivery.connectionId);
  const publishing = ports.platforms.find(delivery.platform)?.publishing;
  if (!connection) return notFound('connection');
  if (!publishing?.remove) return refuse('platform.refused', 'The platform cannot delete posts.');
  const signal = AbortSignal.any([call.signal, AbortSignal.timeout(WORK_MS)]);
  const session = await ports.sessions.open(
    connection,
    { purpose: 'unpublish', actor: actorName(call) },
    signal,
  );
  if (!session.ok) return withReconnectStep(connection, session);
  for (const { status, externalId, url, receipt } of [...delivery.parts].reverse()) {
    if (status !== 'published' || externalId === null) continue;
    const removed = await publishing.remove(session.value, { externalId, url, receipt });
    if (!removed.ok) return withReconnectStep(connection, removed);
  }
  return ok();
}

import { auditRow } from '../audit/audit-row.js';
import { type Call, actorName } from '../call.js';
import { refuse, notFound } from '../failure.js';
import { nextCall } from '../next-call.js';
import { ok, type Result } from '../result.js';
import { chooseDeliveries } from './choose-deliveries.js';
import { getPost, type GetPost } from '../posts/get-post.js';
import type { Post } from '../posts/post.js';
import { postEvent } from '../posts/post-event.js';
import { statusOf } from '../posts/post-status.js';
import { withReconnectStep } from '../connections/needs-reauth.js';
import type { PlatformFailureCode, Ports, SessionFailureCode } from '../ports/index.js';
import { possiblyPublished, type Delivery } from './delivery.js';
import { historyEntry } from './history-entry.js';
import { recordDecision } from './record-decision.js';

export interface UnpublishPost extends GetPost {
  readonly deliveryIds?: readonly string[] | undefined;
}
type UnpublishFailure =
  | 'post.not_found'
  | 'delivery.not_found'
  | 'post.unpublish_unsupported'
  | RemoveFailure;

/**
 * Deletes published deliveries at their platforms, where that is possible. A named delivery that cannot be
 * deleted is rejected before anything is sent.
 */
export async function unpublishPost(
  ports: RemovePorts,
  call: Call,
  { id, deliveryIds }: UnpublishPost,
): Promise<Result<Post, UnpublishFailure>> {
  const found = await getPost(ports, call, { id });
  if (!found.ok) return found;
  const post = found.value;
  const chosen = chooseDeliveries(post, deliveryIds);
  if (!chosen.ok) return chosen;
  const live = chosen.value.filter(({ status }) => status !== 'deleted');
  const removable = live.filter(
    ({ status, platform, parts }) =>
      possiblyPublished.includes(status) &&
      ports.platforms.find(platform)?.publishing?.remove !== undefined &&
      parts.some((part) => part.status === 'published') &&
      parts.every((part) => part.status !== 'published' || part.externalId !== null),
  );
  const all = deliveryIds === undefined ? removable.length > 0 : removable.length === live.length;
  if (!all && live.length > 0) {
    const unsupported = live
      .filter((delivery) => !removable.includes(delivery))
      .map(({ platform }) => platform);
    return refuse(
      'post.unpublish_unsupported',
      `Not published on ${[...new Set(unsupported)].join(', ')}, or the platform does not support deletion through its API.`,
      { next: nextCall.getPost(post.id) },
    );
  }
  const outcomes = await Promise.all(removable.map((delivery) => removeDelivery(ports, call, delivery)));
  const failed = outcomes.find((outcome) => !outcome.ok);
  // After a partial success, the response shows which are deleted: the others carry their error.
  if (failed && !failed.ok && outcomes.every((outcome) => !outcome.ok)) return failed;
  return ok((await ports.posts.find(call.workspaceId, post.id)) ?? post);
}

/** A caller waits for it. */
const WORK_MS = 60_000;

type RemovePorts = Pick<
  Ports,
  'posts' | 'deliveries' | 'connections' | 'platforms' | 'sessions' | 'transactions' | 'clock' | 'ids'
>;
type RemoveFailure = PlatformFailureCode | SessionFailureCode | 'connection.not_found';

/**
 * Deletes one published delivery at its platform, last part first. The decision is stored before anything is
 * sent.
 */
async function removeDelivery(
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
    // The epoch fences off an edit that is under way.
    const changes = removed.ok
      ? {
          status: 'deleted' as const,
          parts,
          error,
          edit: null,
          nextAttemptAt: null,
          epoch: current.epoch + 1,
        }
      : { error };
    await tx.deliveries.settle([{ id: current.id, epoch: current.epoch, changes }]);
    const outcome = removed.ok ? 'deleted' : current.status;
    await tx.deliveries.insertAttempts(historyEntry(ports, current, { kind: 'state', outcome, error }));
    const details = { post_id: current.postId, connection_id: current.connectionId };
    const row = auditRow(call, 'delivery.deleted', current.id, details);
    await tx.audit.append({ ...row, outcome: error?.code ?? 'ok' });
    const after = await tx.posts.find(current.workspaceId, current.postId);
    if (removed.ok && after) {
      const now = ports.clock.now();
      const type = statusOf(after, now) === 'deleted' ? 'post.deleted' : 'post.updated';
      await tx.events.append({ ...postEvent(after, now), type });
    }
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

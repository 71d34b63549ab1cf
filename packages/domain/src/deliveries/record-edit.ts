import { WORKER } from '../call.js';
import type { Ports, Tx } from '../ports/index.js';
import type { DeliveryProgress } from '../ports/deliveries.js';
import { postEvent } from '../posts/post-event.js';
import type { Post } from '../posts/post.js';
import { ok } from '../result.js';
import type { Delivery, DeliveryEdit, DeliveryPart, PartEdit } from './delivery.js';
import { historyEntry } from './history-entry.js';
import { backoffMs, errorOf, waitMs, type DeliveryFailure } from './settle-delivery.js';

export type EditOutcome =
  | { readonly kind: 'edited' }
  /** Another attempt follows. Parts that may have been changed keep `sentAt`. */
  | { readonly kind: 'waits'; readonly failure: DeliveryFailure }
  /** No further attempt follows. */
  | { readonly kind: 'ended'; readonly failure: DeliveryFailure }
  /** A newer edit, a deletion or another worker owns the delivery: nothing more is written. */
  | { readonly kind: 'superseded' };

type RecordPorts = Pick<Ports, 'transactions' | 'clock' | 'ids'>;

interface CurrentEdit {
  readonly post: Post;
  readonly delivery: Delivery;
  readonly edit: DeliveryEdit;
}

/** Reads the delivery under the lock of its post, and writes if this worker still holds it. */
async function changeCurrent(
  ports: RecordPorts,
  { workspaceId, postId, id, epoch }: Delivery,
  write: (tx: Tx, current: CurrentEdit) => Promise<unknown>,
): Promise<boolean> {
  const written = await ports.transactions.run<boolean, never>(async (tx) => {
    const post = await tx.posts.lock(workspaceId, postId);
    const delivery = post?.deliveries.find((one) => one.id === id);
    if (!post || delivery?.epoch !== epoch || delivery.status !== 'published') return ok(false);
    if (!delivery.edit) return ok(false);
    await write(tx, { post, delivery, edit: delivery.edit });
    return ok(true);
  });
  return written.ok && written.value;
}

const progressOf = ({ parts, externalId, url, publishedAt }: Delivery): DeliveryProgress => ({
  parts,
  externalId,
  url,
  publishedAt,
});

const withPartEdit = (
  edit: DeliveryEdit,
  index: number,
  change: (part: PartEdit) => PartEdit,
): DeliveryEdit => ({
  ...edit,
  parts: edit.parts.map((part) => (part.index === index ? change(part) : part)),
});

/** From here on, the platform may show the new content. Committed before any byte is sent. */
export const beginPartEdit = (ports: RecordPorts, delivery: Delivery, index: number): Promise<boolean> =>
  changeCurrent(ports, delivery, async (tx, { delivery: current, edit }) => {
    const sentAt = ports.clock.now().toISOString();
    const begun = withPartEdit(edit, index, (part) => ({ sentAt, ...part }));
    await tx.deliveries.recordParts(current.id, current.epoch, { ...progressOf(current), edit: begun });
    await insertEntry(ports, tx, current, 'edit_begun');
  });

/** Nothing took effect. */
export const releasePartEdit = (ports: RecordPorts, delivery: Delivery, index: number): Promise<boolean> =>
  changeCurrent(ports, delivery, async (tx, { delivery: current, edit }) => {
    const released = withPartEdit(edit, index, ({ sentAt: _, ...part }) => part);
    await tx.deliveries.recordParts(current.id, current.epoch, { ...progressOf(current), edit: released });
  });

/** The platform shows the new content of this part. */
export const finishPartEdit = (ports: RecordPorts, delivery: Delivery, index: number): Promise<boolean> =>
  changeCurrent(ports, delivery, async (tx, { delivery: current, edit }) => {
    const change = edit.parts.find((part) => part.index === index);
    if (!change) return;
    const progress = {
      ...progressOf(current),
      parts: current.parts.map((part) => (part.index === index ? withContent(part, change) : part)),
      edit: { ...edit, parts: edit.parts.filter((part) => part !== change) },
    };
    await tx.deliveries.recordParts(current.id, current.epoch, progress);
    await insertEntry(ports, tx, current, 'part_edited');
  });

function withContent(
  { isTextUncertain: _, ...part }: DeliveryPart,
  { title, text, link }: PartEdit,
): DeliveryPart {
  return { ...part, title, text, link };
}

/** Writes the outcome of an attempt with its history; an end also with its audit row and its event. */
export async function settleEdit(
  ports: RecordPorts,
  delivery: Delivery,
  outcome: EditOutcome,
): Promise<void> {
  if (outcome.kind === 'superseded') return;
  await changeCurrent(ports, delivery, async (tx, { post, delivery: current, edit }) => {
    const { id, epoch } = current;
    const now = ports.clock.now();
    const error = outcome.kind === 'edited' ? null : errorOf(outcome.failure);
    if (outcome.kind === 'waits') {
      const attempts = edit.attempts + 1;
      const waitsMs = Math.max(backoffMs(attempts), waitMs(outcome.failure.retryAfterSeconds ?? 0));
      const nextAttemptAt = new Date(now.getTime() + waitsMs);
      const changes = { error, edit: { ...edit, attempts }, nextAttemptAt };
      await tx.deliveries.settle([{ id, epoch, changes }]);
      return insertEntry(ports, tx, current, 'edit_waits', error);
    }
    const doubtful = new Set(
      edit.parts.filter(({ sentAt }) => sentAt !== undefined).map(({ index }) => index),
    );
    const changes = {
      error,
      edit: null,
      nextAttemptAt: null,
      ...(outcome.kind === 'edited'
        ? { contentDigest: edit.contentDigest }
        : {
            parts: current.parts.map((part) =>
              doubtful.has(part.index) ? { ...part, isTextUncertain: true as const } : part,
            ),
          }),
    };
    await tx.deliveries.settle([{ id, epoch, changes }]);
    const word =
      outcome.kind === 'edited' ? 'edited' : doubtful.size > 0 ? 'edit_unconfirmed' : 'edit_failed';
    await insertEntry(ports, tx, current, word, error);
    await tx.audit.append({
      workspaceId: current.workspaceId,
      actor: WORKER,
      action: 'delivery.edited',
      object: id,
      outcome: error?.code ?? 'ok',
      requestId: ports.ids.next('req'),
      details: {
        post_id: current.postId,
        connection_id: current.connectionId,
        requested_by: edit.requestedBy,
      },
    });
    const after = await tx.posts.find(current.workspaceId, current.postId);
    await tx.events.append({ ...postEvent(after ?? post, now), type: 'post.updated' });
  });
}

const insertEntry = (
  ports: RecordPorts,
  tx: Tx,
  delivery: Delivery,
  outcome: string,
  error: Delivery['error'] = null,
): Promise<void> =>
  tx.deliveries.insertAttempts(historyEntry(ports, delivery, { kind: 'attempt', outcome, error }));

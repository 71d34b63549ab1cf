import { actorName, type Call } from '../call.js';
import type { Tools, Tx } from '../ports/index.js';
import type { Delivery } from './delivery.js';

/** Writes a person's decision about a delivery into its history. */
export const recordDecision = (
  ports: Pick<Tx, 'deliveries'> & Pick<Tools, 'ids' | 'clock'>,
  call: Call,
  { id, workspaceId, epoch }: Pick<Delivery, 'id' | 'workspaceId' | 'epoch'>,
  outcome: string,
  note: string | null = null,
): Promise<void> =>
  ports.deliveries.insertAttempts({
    id: ports.ids.next('att'),
    deliveryId: id,
    workspaceId,
    epoch,
    kind: 'decision',
    outcome,
    error: null,
    actor: actorName(call),
    note,
    at: ports.clock.now(),
  });

import type { Tools, Tx } from '../ports/index.js';
import type { Delivery } from './delivery.js';

/** Writes state changes without an attempt into the histories: they are caused by a change of the account. */
export async function recordStates(
  ports: Pick<Tx, 'deliveries'> & Pick<Tools, 'ids' | 'clock'>,
  deliveries: readonly Delivery[],
  outcome: string,
  actor: string,
): Promise<void> {
  const at = ports.clock.now();
  const entries = deliveries.map(({ id, workspaceId, epoch }) => ({
    id: ports.ids.next('att'),
    deliveryId: id,
    workspaceId,
    epoch,
    kind: 'state' as const,
    outcome,
    error: null,
    actor,
    note: null,
    at,
  }));
  if (entries.length > 0) await ports.deliveries.insertAttempts(...entries);
}

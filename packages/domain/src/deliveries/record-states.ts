import type { Tools, Tx } from '../ports/index.js';
import type { Delivery } from './delivery.js';
import { historyEntry } from './history-entry.js';

/** Writes state changes without an attempt into the histories: they are caused by a change of the account. */
export async function recordStates(
  ports: Pick<Tx, 'deliveries'> & Pick<Tools, 'ids' | 'clock'>,
  deliveries: readonly Delivery[],
  outcome: string,
  actor: string,
): Promise<void> {
  const at = ports.clock.now();
  const entries = deliveries.map((delivery) =>
    historyEntry(ports, delivery, { kind: 'state', outcome, actor, at }),
  );
  if (entries.length > 0) await ports.deliveries.insertAttempts(...entries);
}

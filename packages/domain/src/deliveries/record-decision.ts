import { actorName, type Call } from '../call.js';
import type { Tools, Tx } from '../ports/index.js';
import type { Delivery } from './delivery.js';
import { historyEntry } from './history-entry.js';

/** Writes a person's decision about a delivery into its history. */
export const recordDecision = (
  ports: Pick<Tx, 'deliveries'> & Pick<Tools, 'ids' | 'clock'>,
  call: Call,
  delivery: Pick<Delivery, 'id' | 'workspaceId' | 'epoch'>,
  outcome: string,
  note: string | null = null,
): Promise<void> =>
  ports.deliveries.insertAttempts(
    historyEntry(ports, delivery, { kind: 'decision', outcome, actor: actorName(call), note }),
  );

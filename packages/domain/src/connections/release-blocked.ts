import type { Tools, Tx } from '../ports/index.js';
import { recordStates } from '../deliveries/record-states.js';
import type { Connection } from './connection.js';

/** Releases the deliveries that were blocked until the connection works again. */
export async function releaseBlocked(
  tools: Pick<Tools, 'ids' | 'clock'>,
  tx: Pick<Tx, 'deliveries' | 'jobs'>,
  { id, workspaceId }: Pick<Connection, 'id' | 'workspaceId'>,
  actor: string,
): Promise<void> {
  const released = await tx.deliveries.unblock(workspaceId, id);
  await recordStates({ ...tools, deliveries: tx.deliveries }, released, 'pending', actor);
  if (released.length > 0) await tx.jobs.enqueue({ name: 'deliver', workspaceId });
}

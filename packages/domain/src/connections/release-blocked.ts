import type { Tools, Tx } from '../ports/index.js';
import { recordStates } from '../deliveries/record-states.js';
import type { Connection } from './connection.js';

/** Releases the deliveries that were blocked until the connection works again. */
export async function releaseBlocked(
  tools: Pick<Tools, 'ids' | 'clock'>,
  tx: Pick<Tx, 'posts' | 'jobs'>,
  { id, workspaceId }: Pick<Connection, 'id' | 'workspaceId'>,
  actor: string,
): Promise<void> {
  const released = await tx.posts.unblock(workspaceId, id);
  await recordStates({ ...tools, posts: tx.posts }, released, 'pending', actor);
  for (const delivery of released) {
    await tx.jobs.enqueue({ name: 'deliver', workspaceId, deliveryId: delivery.id });
  }
}

import type { Call } from '../call.js';
import type { ReadPorts } from '../ports/index.js';
import { ok, type Result } from '../result.js';
import { getPost, type GetPost } from './get-post.js';
import type { DeliveryAttempt } from '../deliveries/delivery.js';

/** All attempts, read-backs, decisions and state changes of a post, in order. */
export async function getPostHistory(
  ports: Pick<ReadPorts, 'posts' | 'deliveries'>,
  call: Call,
  command: GetPost,
): Promise<Result<readonly DeliveryAttempt[], 'post.not_found'>> {
  const found = await getPost(ports, call, command);
  return found.ok ? ok(await ports.deliveries.listHistory(call.workspaceId, found.value.id)) : found;
}

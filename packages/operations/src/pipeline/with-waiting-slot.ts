import type { ApiKey } from '@switchboard/domain/access';
import type { Ports } from '@switchboard/domain/ports';
import type { OperationResponse } from './operation-response.js';
import { canWait, type Operation } from '../define.js';

/**
 * Runs an operation that waits within its use case, for at most as long as the caller requested and only with
 * a waiting slot: without one it runs without waiting. Values that settle later take their slot in `settle`,
 * only when there is something to wait for.
 */
export async function withWaitingSlot(
  { waitingSlots }: Pick<Ports, 'waitingSlots'>,
  operation: Operation,
  { workspaceId }: ApiKey,
  waitSeconds: number,
  run: (waitSeconds: number) => Promise<OperationResponse>,
): Promise<OperationResponse> {
  if (operation.settling !== null || !canWait(operation) || waitSeconds === 0) return run(waitSeconds);
  const slot = await waitingSlots.acquire(workspaceId);
  if (!slot) return { ...(await run(0)), waited: false };
  try {
    return await run(waitSeconds);
  } finally {
    slot.release();
  }
}

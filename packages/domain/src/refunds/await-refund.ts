import { actorName, type Call } from '../call.js';
import type { Ports } from '../ports/index.js';
import { sendRefund, type SendingPorts } from './send-refund.js';
import type { Refund } from './refund.js';

const LOOK_AGAIN_MS = 250;

/**
 * Sends a refund and waits for what comes of it, for as long as the caller is willing to. Whatever has been reserved goes on
 * without the caller: here while this process lives, and in the worker when it does not.
 */
export async function awaitRefund(
  ports: SendingPorts & Pick<Ports, 'refunds'>,
  call: Call,
  refund: Refund,
): Promise<Refund> {
  if (call.waitSeconds > 0 && isOpen(refund)) {
    const patience = new AbortController();
    await Promise.race([
      untilSettled(ports, refund, actorName(call), patience.signal),
      ports.clock.sleep(call.waitSeconds * 1000, patience.signal),
    ]);
    patience.abort();
  }
  return (await ports.refunds.find(refund.workspaceId, refund.id)) ?? refund;
}

async function untilSettled(
  ports: SendingPorts & Pick<Ports, 'refunds'>,
  refund: Refund,
  actor: string,
  patience: AbortSignal,
): Promise<void> {
  if (await sendRefund(ports, refund.workspaceId, refund.id, { actor })) return;
  // Somebody else is at it: their result is ours.
  for (let current: Refund | null = refund; current && isOpen(current) && !patience.aborted;) {
    await ports.clock.sleep(LOOK_AGAIN_MS, patience);
    current = await ports.refunds.find(refund.workspaceId, refund.id);
  }
}

/** Nothing is known of it yet. What the store has accepted and settles later is an answer, and so is a doubt. */
const isOpen = ({ status, externalId }: Refund): boolean => status === 'pending' && externalId === null;

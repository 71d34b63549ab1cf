import { actorName, type Call } from '../call.js';
import type { Ports } from '../ports/index.js';
import { sendRefund, type SendRefundPorts } from './send-refund.js';
import type { Refund } from './refund.js';

/**
 * Sends a refund and waits for its result, for as long as the caller allows. A reserved refund continues
 * without the caller: in this process, and in the worker if it crashes.
 */
export async function awaitRefund(
  ports: SendRefundPorts & Pick<Ports, 'changes' | 'refunds'>,
  call: Call,
  refund: Refund,
): Promise<Refund> {
  if (call.waitSeconds > 0 && isOpen(refund)) {
    const deadline = new AbortController();
    await Promise.race([
      untilSettled(ports, refund, actorName(call), deadline.signal),
      ports.clock.sleep(call.waitSeconds * 1000, deadline.signal),
    ]);
    deadline.abort();
  }
  return (await ports.refunds.find(refund.workspaceId, refund.id)) ?? refund;
}

async function untilSettled(
  ports: SendRefundPorts & Pick<Ports, 'changes' | 'refunds'>,
  refund: Refund,
  actor: string,
  deadline: AbortSignal,
): Promise<void> {
  if (await sendRefund(ports, refund.workspaceId, refund.id, { actor })) return;
  // Another request or the worker holds its lease: that result is also the result of this request.
  const watch = ports.changes.watch(refund.id);
  try {
    for (;;) {
      const current = await ports.refunds.find(refund.workspaceId, refund.id);
      if (!current || !isOpen(current) || deadline.aborted) return;
      await watch.next(MAX_WAIT_MS, deadline);
    }
  } finally {
    watch.close();
  }
}

/** The caller's deadline ends the wait. */
const MAX_WAIT_MS = 60_000;

/**
 * No result yet. A refund that the store accepted and settles later counts as a result, and so does an
 * unknown outcome.
 */
const isOpen = ({ status, externalId }: Refund): boolean => status === 'pending' && externalId === null;

import type { Ports } from '../ports/index.js';
import { ok } from '../result.js';
import type { ConnectSession } from './connect-session.js';
import { applyExpiry } from './get-connect-session.js';

/**
 * The person finishes or goes back: connected accounts stay connected; without any, the session is cancelled.
 * An ended session stays unchanged.
 */
export async function finishConnect(
  ports: Pick<Ports, 'transactions' | 'clock'>,
  session: ConnectSession,
): Promise<ConnectSession> {
  const finished = await ports.transactions.run(async (tx) => {
    const standing = (await tx.connectSessions.lock(session.workspaceId, session.id)) ?? session;
    const current = applyExpiry(standing, ports.clock.now());
    if (current.status !== 'pending') return ok(current);
    const { connectionIds } = current;
    const status = connectionIds.length > 0 ? 'connected' : 'cancelled';
    return ok((await tx.connectSessions.end(session.id, { status, error: null, connectionIds })) ?? current);
  });
  return finished.ok ? finished.value : session;
}

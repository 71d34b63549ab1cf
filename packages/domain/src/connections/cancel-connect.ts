import type { Ports } from '../ports/index.js';
import { ok } from '../result.js';
import type { ConnectSession } from './connect-session.js';
import { asOf } from './get-connect-session.js';

/** The person went back instead of agreeing. Whatever has ended already stays as it ended. */
export async function cancelConnect(
  ports: Pick<Ports, 'transactions' | 'connectSessions' | 'clock'>,
  session: ConnectSession,
): Promise<ConnectSession> {
  const current = asOf(session, ports.clock.now());
  if (current.status === 'expired') return current;
  const done = await ports.transactions.run(async (tx) =>
    ok(await tx.connectSessions.end(session.id, { status: 'cancelled', error: null, connectionIds: [] })),
  );
  const ended = done.ok ? done.value : null;
  return ended ?? (await ports.connectSessions.find(session.workspaceId, session.id)) ?? session;
}

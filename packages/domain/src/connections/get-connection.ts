import { actorName, type Call } from '../call.js';
import type { Ports } from '../ports/index.js';
import { ok, type Result } from '../result.js';
import type { Connection } from './connection.js';
import { findReachableConnection } from './find-reachable.js';
import { withoutCredential } from './read-accounts.js';
import { findConnectionView, type ConnectionView } from './list-connections.js';

interface GetConnection {
  readonly id: string;
  readonly refresh?: boolean | undefined;
}

/** With `refresh`, the platform is queried now. Its account data is stored; an outage changes nothing. */
export async function getConnection(
  ports: Pick<Ports, 'connections' | 'sessions' | 'platforms' | 'transactions' | 'clock'>,
  call: Call,
  { id, refresh }: GetConnection,
): Promise<Result<ConnectionView, 'connection.not_found'>> {
  if (refresh) {
    const found = await findReachableConnection(ports, call, id);
    if (!found.ok) return found;
    await refreshConnection(ports, call, found.value);
  }
  return findConnectionView(ports, call, id);
}

async function refreshConnection(
  ports: Pick<Ports, 'connections' | 'sessions' | 'platforms' | 'transactions' | 'clock'>,
  call: Call,
  connection: Connection,
): Promise<void> {
  const platform = ports.platforms.find(connection.platform);
  const session = await ports.sessions.open(
    connection,
    { purpose: 'check', actor: actorName(call) },
    call.signal,
  );
  const accounts = session.ok && platform ? await platform.connecting.identify(session.value) : null;
  const found = accounts?.ok ? accounts.value.find((one) => one.id === connection.account.id) : undefined;
  if (found) {
    const account = withoutCredential(found);
    await ports.transactions.run(async (tx) =>
      ok(
        await tx.connections.update(call.workspaceId, connection.id, {
          account,
          ...(found.permissions && { grantedPermissions: found.permissions }),
          lastCheckedAt: ports.clock.now(),
        }),
      ),
    );
  }
}

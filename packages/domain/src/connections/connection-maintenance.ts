import { WORKER } from '../call.js';
import { mapSettled } from '../map-settled.js';
import type { DueCredential, Ports } from '../ports/index.js';
import { ok } from '../result.js';
import type { Connection } from './connection.js';
import { updateConnectionHealth } from './update-connection-health.js';
import { settleReceipts } from './settle-receipts.js';
import { listRequiredPermissions } from './connection-health.js';

/** The time that the process which stored a receipt has to apply it itself. */
const RECEIPT_AGE_SECONDS = 10;
const LIMIT = 100;
/** How many credentials are renewed concurrently. */
const CONCURRENCY = 4;

type MaintenancePorts = Pick<
  Ports,
  'connections' | 'credentials' | 'sessions' | 'transactions' | 'manifests' | 'ids' | 'clock'
>;

/**
 * Applies refresh receipts that a stopped process left behind, and revokes those whose connection is gone.
 */
export async function applyOldReceipts(ports: MaintenancePorts, stop: AbortSignal): Promise<void> {
  await mapSettled(await ports.credentials.listUnsettled(RECEIPT_AGE_SECONDS, LIMIT), stop, (name) => {
    const by = { actor: WORKER, requestId: ports.ids.next('req') };
    return ports.transactions.run(async (tx) => ok(await settleReceipts(ports, tx, name, by)));
  });
}

/** Renews credentials before they expire, also unused ones. Returns how many were attempted. */
export async function renewDueCredentials(ports: MaintenancePorts, stop: AbortSignal): Promise<number> {
  const platforms = ports.manifests.list().map(({ id }) => id);
  const due = await ports.credentials.listDue(platforms, LIMIT);
  const connections = new Map(
    (await ports.connections.listByIds(due.map(({ connectionId }) => connectionId))).map((connection) => [
      connection.id,
      connection,
    ]),
  );
  const renew = async ({ connectionId, generation }: DueCredential) => {
    const connection = connections.get(connectionId);
    if (connection) await ports.sessions.renew(connection, generation);
  };
  await mapSettled(due, stop, renew, CONCURRENCY);
  return due.length;
}

type ReviewPorts = Omit<MaintenancePorts, 'sessions' | 'credentials'>;

/** Warns about logins that expire and cannot be renewed. */
export async function warnOfExpiry(ports: ReviewPorts, stop: AbortSignal): Promise<void> {
  await review(ports, await ports.connections.listWarningsDue(LIMIT), stop);
}

/**
 * Reports missing permissions and recovery. What a platform grants or refuses is reported when it changes; this
 * finds what another version of the adapters requires, and reads every connection for it.
 */
export async function reviewConnections(ports: ReviewPorts, stop: AbortSignal): Promise<void> {
  const required = ports.manifests
    .list()
    .flatMap(({ id: platform, permissions: common, connect }) => [
      { platform, connectMethod: null, permissions: listRequiredPermissions(common) },
      ...connect.flatMap(({ id: connectMethod, permissions }) =>
        permissions ? { platform, connectMethod, permissions: listRequiredPermissions(permissions) } : [],
      ),
    ]);
  for (let last = ''; !stop.aborted;) {
    const found = await ports.connections.listToReview(required, LIMIT);
    const ids = found.map(({ id }) => id).join();
    // Some are changed by none of it, such as those of a platform that is no longer installed.
    if (found.length === 0 || ids === last) return;
    await review(ports, found, stop);
    last = ids;
  }
}

async function review(
  ports: ReviewPorts,
  found: readonly Pick<Connection, 'id' | 'workspaceId'>[],
  stop: AbortSignal,
): Promise<void> {
  await mapSettled(found, stop, ({ id, workspaceId }) => {
    const by = { actor: WORKER, requestId: ports.ids.next('req') };
    return ports.transactions.run(async (tx) => {
      const connection = await tx.connections.lock(workspaceId, id);
      if (connection && connection.status !== 'needs_reauth') {
        const manifest = ports.manifests.find(connection.platform);
        await updateConnectionHealth(ports, tx, { connection, manifest }, by);
      }
      return ok();
    });
  });
}

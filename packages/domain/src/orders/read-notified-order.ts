import { WORKER } from '../call.js';
import { catchAdapterErrors } from '../catch-adapter-errors.js';
import { isTransient } from '../failure.js';
import type { Job, Ports } from '../ports/index.js';
import { ok, type Result } from '../result.js';
import { recordOrders, type RecordOrdersPorts } from './record-orders.js';

type ReadNotifiedOrderPorts = Pick<Ports, 'connections' | 'platforms' | 'sessions'> & RecordOrdersPorts;

/**
 * Reads the order that a webhook of its store named, and reports what is new. A transient failure is returned, so that
 * the job is retried.
 */
export async function readNotifiedOrder(
  ports: ReadNotifiedOrderPorts,
  { workspaceId, connectionId, externalId }: Extract<Job, { name: 'read_order' }>,
  signal: AbortSignal,
): Promise<Result<undefined>> {
  const connection = await ports.connections.find(workspaceId, connectionId);
  const orders = connection && ports.platforms.find(connection.platform)?.orders;
  if (!connection?.watchOrders || !orders) return ok();
  const session = await ports.sessions.open(connection, { purpose: 'orders', actor: WORKER }, signal);
  const read = session.ok ? await catchAdapterErrors(() => orders.get(session.value, externalId)) : session;
  if (!read.ok) return isTransient(read.failure) ? read : ok();
  if (read.value) await recordOrders(ports, { workspaceId, connectionId }, [read.value]);
  return ok();
}

import { actorName, reaches, type Call } from '../call.js';
import type { Connection } from '../connections/connection.js';
import { learnPermissions, type LearnPorts } from '../connections/learn-permissions.js';
import { withReconnectStep } from '../connections/needs-reauth.js';
import { notFound } from '../failure.js';
import type { SessionFailureCode } from '../ports/authorizers.js';
import type { Ports } from '../ports/index.js';
import type { Platform } from '../ports/platform.js';
import type { PlatformFailureCode, Session } from '../ports/session.js';
import { ok, type Result } from '../result.js';
import type { RemoteOrder } from './order.js';
import { parseOrderId, type ParsedOrderId } from './order-id.js';

export interface OrderContext {
  readonly connection: Connection;
  readonly platform: Platform;
  readonly session: Session;
  readonly order: RemoteOrder;
}

export type ReadOrderPorts = Pick<Ports, 'connections' | 'platforms' | 'sessions'> & LearnPorts;
export type ReadOrderFailure = 'order.not_found' | PlatformFailureCode | SessionFailureCode;

/** The connection that an order's id names, if the caller's key reaches it. */
export async function findOrderConnection(
  ports: Pick<Ports, 'connections'>,
  call: Call,
  orderId: string,
): Promise<Result<ParsedOrderId & { readonly connection: Connection }, 'order.not_found'>> {
  const address = parseOrderId(orderId);
  const connection = address && (await ports.connections.find(call.workspaceId, address.connectionId));
  if (!connection || !reaches(call, connection.profileId)) return notFound('order');
  return ok({ ...address, connection });
}

export async function readOrder(
  ports: ReadOrderPorts,
  call: Call,
  orderId: string,
): Promise<Result<OrderContext, ReadOrderFailure>> {
  const address = await findOrderConnection(ports, call, orderId);
  if (!address.ok) return address;
  const { connection, externalId } = address.value;
  const platform = ports.platforms.find(connection.platform);
  if (!platform?.orders) return notFound('order');
  const session = await ports.sessions.open(
    connection,
    { purpose: 'orders', actor: actorName(call) },
    call.signal,
  );
  if (!session.ok) return withReconnectStep(connection, session);
  const order = await platform.orders.get(session.value, externalId);
  const outcome = order.ok ? 'ok' : order.failure.code;
  await learnPermissions(ports, platform.manifest, connection, 'orders', outcome);
  if (!order.ok) return withReconnectStep(connection, order);
  if (order.value === null) return notFound('order');
  return ok({ connection, platform, session: session.value, order: order.value });
}

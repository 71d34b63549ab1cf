import type { Call } from '../call.js';
import type { Ports } from '../ports/index.js';
import { ok, type Result } from '../result.js';
import type { Order } from './list-orders.js';
import { findOrderAccount, applyOrderAccount } from '../refunds/order-account.js';
import { toOrder } from './to-order.js';
import { catchAdapterErrors } from '../catch-adapter-errors.js';
import type { RemoteOrder } from './order.js';
import { readOrder, type OrderContext, type ReadOrderFailure, type ReadOrderPorts } from './read-order.js';

interface GetOrderCommand {
  readonly orderId: string;
}

/** One order with its shipments, read live from its store, minus the refunds recorded in the ledger. */
export async function getOrder(
  ports: ReadOrderPorts & Pick<Ports, 'refunds'>,
  call: Call,
  { orderId }: GetOrderCommand,
): Promise<Result<Order, ReadOrderFailure>> {
  const reading = await readOrder(ports, call, orderId);
  if (!reading.ok) return reading;
  const [account, order] = await Promise.all([
    findOrderAccount(ports, reading.value),
    withShipments(reading.value),
  ]);
  return ok(toOrder(call, reading.value.connection, applyOrderAccount(order, account)));
}

/** Shipments that cannot be read do not withhold the order. */
async function withShipments({ platform, session, order }: OrderContext): Promise<RemoteOrder> {
  const { orders } = platform;
  if (order.shipments !== null || !orders?.listShipments) return order;
  const query = orders.listShipments.bind(orders, session, order.externalId);
  const listed = await catchAdapterErrors(query);
  return listed.ok ? { ...order, shipments: listed.value } : order;
}

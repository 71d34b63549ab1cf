import type { Call } from '../call.js';
import type { Ports } from '../ports/index.js';
import { ok, type Result } from '../result.js';
import type { Order } from './list-orders.js';
import { findOrderAccount, applyOrderAccount } from '../refunds/order-account.js';
import { toOrder } from './to-order.js';
import { readOrder, type ReadOrderFailure, type ReadOrderPorts } from './read-order.js';

interface GetOrderCommand {
  readonly orderId: string;
}

/** One order, read live from its store, minus the refunds recorded in the ledger. */
export async function getOrder(
  ports: ReadOrderPorts & Pick<Ports, 'refunds'>,
  call: Call,
  { orderId }: GetOrderCommand,
): Promise<Result<Order, ReadOrderFailure>> {
  const reading = await readOrder(ports, call, orderId);
  if (!reading.ok) return reading;
  const { connection, order } = reading.value;
  return ok(
    toOrder(call, connection, applyOrderAccount(order, await findOrderAccount(ports, reading.value))),
  );
}

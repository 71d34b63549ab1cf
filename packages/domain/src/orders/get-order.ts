import type { Call } from '../call.js';
import type { Ports } from '../ports/index.js';
import { ok, type Result } from '../result.js';
import type { Order } from './list-orders.js';
import { orderOf } from './order-of.js';
import { readOrder, type ReadOrderFailure } from './read-order.js';

export interface GetOrderCommand {
  readonly orderId: string;
}

/** One order, read live from its store. */
export async function getOrder(
  ports: Pick<Ports, 'connections' | 'platforms' | 'sessions'>,
  call: Call,
  { orderId }: GetOrderCommand,
): Promise<Result<Order, ReadOrderFailure>> {
  const reading = await readOrder(ports, call, orderId);
  return reading.ok ? ok(orderOf(call, reading.value.connection, reading.value.order)) : reading;
}

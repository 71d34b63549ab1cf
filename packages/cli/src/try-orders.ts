import { formatAmount, listOrders, refuse, type Connection } from '@switchboard/domain';
import { shown } from './operation.js';
import { operatorCall } from './operator.js';
import { answer, type Outcome } from './outcome.js';
import { table } from './table.js';
import type { Desk } from './with-service.js';

const NEWEST = 10;

/** Reads the newest orders of one store. */
export async function tryOrders(desk: Desk, { id, platform, workspaceId }: Connection): Promise<Outcome> {
  const { ports } = desk.service;
  if (!ports.platforms.find(platform)?.orders) {
    return refuse('platform.not_found', `${platform} has no orders.`);
  }
  const call = operatorCall(desk, workspaceId);
  const listed = await listOrders(ports, call, { connectionId: id, sort: '-created_at', limit: NEWEST });
  if (!listed.ok) return listed;
  const rows = listed.value.items.map(({ order }) => [
    order.number,
    order.status,
    order.paymentStatus,
    `${formatAmount(order.totals.total)} ${order.currency}`,
    order.createdAt.toISOString(),
  ]);
  return answer(
    shown(desk, call, 'listOrders', listed.value).json,
    table(['number', 'status', 'payment', 'total', 'made'], rows, 'The store has no orders.'),
  );
}

import { formatAmount, refuse } from '@switchboard/domain';
import type { Connection } from '@switchboard/domain/connections';
import { listOrders } from '@switchboard/domain/orders';
import { presentResult } from './present-result.js';
import { operatorCall } from './operator.js';
import { commandOutput, type CommandResult } from './command-result.js';
import { table } from './table.js';
import type { CommandContext } from './with-service.js';

const NEWEST = 10;

/** Reads the newest orders of one store. */
export async function tryOrders(
  context: CommandContext,
  { id, platform, workspaceId }: Connection,
): Promise<CommandResult> {
  const { ports } = context.service;
  if (!ports.platforms.find(platform)?.orders) {
    return refuse('platform.not_found', `${platform} has no orders.`);
  }
  const call = operatorCall(context, workspaceId);
  const listed = await listOrders(ports, call, { connectionId: id, sort: '-created_at', limit: NEWEST });
  if (!listed.ok) return listed;
  const rows = listed.value.items.map(({ order }) => [
    order.number,
    order.status,
    order.paymentStatus,
    `${formatAmount(order.totals.total)} ${order.currency}`,
    order.createdAt.toISOString(),
  ]);
  return commandOutput(
    presentResult(context, call, 'listOrders', listed.value).json,
    table(['number', 'status', 'payment', 'total', 'created'], rows, 'The store has no orders.'),
  );
}

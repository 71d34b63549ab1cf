import type { Connection } from '../connections/connection.js';
import type { EventDataOf } from '../events/event-data.js';
import { formatAmount, type Money } from '../money.js';
import type { Ports } from '../ports/index.js';
import { ok } from '../result.js';
import { formatOrderId } from './order-id.js';
import { OVERLAP_MS, type OrderWatch } from './order-watch.js';
import type { RemoteOrder } from './order.js';

export type RecordOrdersPorts = Pick<Ports, 'tokens' | 'transactions'>;

/**
 * Compares orders with their known versions and appends an event for each new version, in one transaction: a version
 * is reported once, by which process and however often it is read. Returns how many are new; null when the orders of the
 * connection are no longer watched.
 */
export async function recordOrders(
  ports: RecordOrdersPorts,
  { workspaceId, connectionId }: Pick<OrderWatch, 'workspaceId' | 'connectionId'>,
  orders: readonly RemoteOrder[],
): Promise<number | null> {
  const recorded = await ports.transactions.run(async (tx) => {
    // Held until the end: the events of an order are in the order in which its versions were stored.
    const connection = await tx.connections.lock(workspaceId, connectionId);
    const watch = connection?.watchOrders ? await tx.orderWatches.find(workspaceId, connectionId) : null;
    if (!connection || !watch) return ok(null);
    const versions = orders.map((order) => ({
      externalId: order.externalId,
      digest: versionOf(ports.tokens, order),
      isReported: !isOlder(watch, order),
    }));
    const added = await tx.orderWatches.addVersions(workspaceId, connectionId, versions);
    for (const order of orders) {
      const version = added.get(order.externalId);
      if (!version || isOlder(watch, order)) continue;
      const type = version.isFirst && order.createdAt >= startOf(watch) ? 'order.created' : 'order.updated';
      await tx.events.append({
        workspaceId,
        profileId: connection.profileId,
        type,
        data: toEventData(connection, order),
      });
    }
    if (added.size > 0) await tx.orderWatches.noteChange(workspaceId, connectionId);
    return ok(added.size);
  });
  return recorded.ok ? recorded.value : null;
}

/** The store's clock may be behind ours. */
const startOf = ({ since }: OrderWatch): Date => new Date(since.getTime() - OVERLAP_MS);

/** Whether the order existed in this version when the watch began. Afterwards every unknown version is a change. */
const isOlder = (watch: OrderWatch, order: RemoteOrder): boolean =>
  !watch.isBaselined && order.updatedAt < startOf(watch);

/**
 * Equal for equal content, in whatever order a store lists its parts. It contains the time of the change, so that
 * content which returns is a version of its own. It does not contain the shipments, which some stores report for
 * a single order and not in a list.
 */
function versionOf(
  tokens: Pick<Ports['tokens'], 'digestHex'>,
  { shipments: _shipments, ...order }: RemoteOrder,
): string {
  return tokens.digestHex(sortedJson(JSON.parse(JSON.stringify(order)))).slice(0, 32);
}

/** The text of a JSON value with sorted members and sorted elements. */
function sortedJson(value: unknown): string {
  if (Array.isArray(value)) {
    const elements = value.map((element: unknown) => sortedJson(element));
    return `[${elements.sort().join(',')}]`;
  }
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  const members = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return `{${members.map(([name, field]) => `${JSON.stringify(name)}:${sortedJson(field)}`).join(',')}}`;
}

/** Nothing that identifies a person: an event is sent to endpoints and kept for months. */
const toEventData = (
  { id: connectionId, platform }: Connection,
  order: RemoteOrder,
): EventDataOf['order.created'] => ({
  order_id: formatOrderId({ connectionId, externalId: order.externalId }),
  connection_id: connectionId,
  platform,
  external_id: order.externalId,
  number: order.number,
  status: order.status,
  payment_status: order.paymentStatus,
  fulfillment_status: order.fulfillmentStatus,
  total: toAmount(order.totals.total),
  refunded: toAmount(order.totals.refunded),
  created_at: order.createdAt.toISOString(),
  updated_at: order.updatedAt.toISOString(),
});

const toAmount = (value: Money) => ({ amount: formatAmount(value), currency: value.currency });

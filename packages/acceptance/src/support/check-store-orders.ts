import { expect } from '@jest/globals';
import { eventually } from './eventually.js';
import { asObject, asObjects, type JsonObject } from './json.js';
import { parseMinor } from './sandbox-store.js';
import type { StoreOrdersClient } from './store-orders-client.js';

const sumOf = (lines: unknown): number =>
  asObjects(lines).reduce((sum, { total }) => sum + parseMinor(total), 0);

/** The totals of an order recomputed from its lines: the number of minor units by which each differs. */
export function expectTotalsToAddUp({ number, totals, ...order }: JsonObject): void {
  const minor = (name: string) => parseMinor(asObject(totals)[name]);
  const [lines, shipping] = [sumOf(order['line_items']), sumOf(order['shipping_lines'])];
  expect({
    number,
    subtotal: minor('subtotal') - minor('discount') - lines,
    shipping: minor('shipping') - shipping,
    total: minor('total') - lines - shipping - minor('adjustments'),
    adjustments: minor('adjustments'),
  }).toEqual({ number, subtotal: 0, shipping: 0, total: 0, adjustments: 0 });
}

/** Watches a store of so many orders: each is reported once, and then only the one that a refund changes. */
export async function expectEachChangeOnce(
  store: StoreOrdersClient,
  orderCount: number,
  order: JsonObject,
  refund: () => Promise<{ readonly status: number }>,
): Promise<void> {
  await store.watch('2000-01-01T00:00:00Z');
  const first = await eventually('the orders are reported', async () => {
    const listed = await store.listChanges();
    return listed.changes.length >= orderCount ? listed : null;
  });
  const reported = new Set(first.changes.map(({ data }) => asObject(data)['order_id']));
  expect([first.changes.length, reported.size]).toEqual([orderCount, orderCount]);
  expect((await refund()).status).toBe(201);
  await store.watch(new Date(Date.now() - 60_000).toISOString());
  const next = await eventually('the refund is reported', async () => {
    const listed = await store.listChanges(first.after);
    return listed.changes.length > 0 ? listed : null;
  });
  expect(next.changes.map(({ type, data }) => [type, asObject(data)['order_id']])).toEqual([
    ['order.updated', order['id']],
  ]);
}

import { expect, test } from '@jest/globals';
import { listOrders } from '@switchboard/domain/orders';
import { memoryStore, remoteOrder, createStoreFixture } from '@switchboard/domain/testing';
import operation from './list-orders.js';

const MINUTE_MS = 60_000;

/** Reads a list over some stores page by page with its cursors, as a client does. */
async function readAll(stores: number, ordersEach: number, everyMs: number, limit: number): Promise<number> {
  const s = createStoreFixture();
  for (let store = 0; store < stores; store++) {
    const orders = Array.from({ length: ordersEach }, (_, order) =>
      remoteOrder({
        // As long as the ids of Shopify.
        externalId: `gid://shopify/Order/${5_843_000_000_000 + store * 1_000 + order}`,
        createdAt: new Date(Date.parse('2026-11-01T00:00:00Z') + (order * stores + store) * everyMs),
      }),
    );
    s.connect(memoryStore({ clock: s.clock, id: `store_${store}`, orders }));
  }
  const call = s.call(s.key());
  let read = 0;
  let cursor: string | undefined;
  do {
    const listed = await listOrders(s.ports, call, { sort: '-created_at', limit, cursor });
    if (!listed.ok) throw new Error(listed.failure.code);
    read += listed.value.items.length;
    cursor = listed.value.nextCursor ?? undefined;
    // The cursor is plain text here and base64url on the wire, where compression makes it even shorter.
    const onTheWire = cursor && Buffer.from(cursor).toString('base64url');
    expect(operation.input.safeParse({ cursor: onTheWire }).error).toBeUndefined();
  } while (cursor !== undefined);
  return read;
}

test('paginates over fifty stores', async () => {
  expect(await readAll(50, 4, MINUTE_MS, 20)).toBe(200);
});

test('paginates when two hundred orders were created at the same moment', async () => {
  expect(await readAll(1, 200, 0, 90)).toBe(200);
});

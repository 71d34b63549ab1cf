import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { eventually } from './support/eventually.js';
import { asObject, asObjects, asText, type JsonObject } from './support/json.js';
import { restClient, type RestClient } from './support/rest-client.js';
import { connectAccount, refundableOrders } from './support/sandbox-store.js';
import { storeOrdersClient } from './support/store-orders-client.js';
import type { Switchboard } from './support/installation.js';
import { serveSwitchboard } from './support/serve-switchboard.js';

let switchboard: Switchboard;
let client: RestClient;
let store: string;
let social: string;
beforeAll(async () => {
  switchboard = await serveSwitchboard({ name: 'order_changes' });
  client = restClient(switchboard.url, switchboard.keys.full);
  store = await connectAccount(client, 'sandbox_store', 'alder-oak');
  social = await connectAccount(client, 'sandbox_social', 'lumen-coffee');
});
afterAll(() => switchboard?.stop());

const watch = (body: JsonObject, status = 200) =>
  client.expect(status, 'PATCH', `/connections/${store}`, { body });

const listAll = (as: RestClient, after?: string) => storeOrdersClient(as, store).listChanges(after);

const orderIds = (changes: readonly JsonObject[]) =>
  changes.map(({ data }) => asText(asObject(data)['order_id']));

test('a watched store reports its orders from a requested time, and each change once, to the keys that reach it', async () => {
  expect(await watch({ watch_orders_since: '2000-01-01T00:00:00Z' }, 400)).toMatchObject({
    code: 'request.invalid',
  });
  expect(await watch({ watch_orders: true, watch_orders_since: '2000-01-01T00:00:00Z' })).toMatchObject({
    watch_orders: true,
  });
  const page = await client.expect(200, 'GET', '/ecommerce/orders', {
    query: { connection_id: store, limit: 100, sort: '-updated_at' },
  });
  const ids = asObjects(page['data']).map(({ id }) => asText(id));
  const first = await eventually('the orders are reported', async () => {
    const listed = await listAll(client);
    return ids.every((id) => orderIds(listed.changes).includes(id)) ? listed : null;
  });
  expect(first.changes.every(({ type }) => type === 'order.created')).toBe(true);
  expect(new Set(orderIds(first.changes)).size).toBe(first.changes.length);

  const [order] = await refundableOrders(client, store);
  if (!order) throw new Error('no order can be refunded');
  await client.expect(201, 'POST', `/ecommerce/orders/${order.id}/refund`, { body: { amount: '1.00' } });
  // Reads the store at once.
  await watch({ watch_orders: true, watch_orders_since: new Date().toISOString() });
  const next = await eventually('the refund is reported', async () => {
    const listed = await listAll(client, first.after);
    return listed.changes.length > 0 ? listed : null;
  });
  expect(next.changes).toEqual([
    expect.objectContaining({
      type: 'order.updated',
      data: expect.objectContaining({
        order_id: order.id,
        payment_status: 'partially_refunded',
        refunded: { amount: '1.00', currency: 'EUR' },
      }) as unknown,
    }),
  ]);

  const { json: hidden } = await client.get(`/ecommerce/orders/${order.id}`);
  const { customer, shipping_address: address } = hidden as {
    customer: JsonObject;
    shipping_address: JsonObject;
  };
  const personal = [customer['name'], customer['email'], address?.['line1']].filter(
    (text): text is string => typeof text === 'string',
  );
  expect(personal.length).toBeGreaterThan(0);
  for (const text of personal) expect(JSON.stringify([first, next])).not.toContain(text);

  const other = await client.expect(201, 'POST', '/profiles', { body: { name: 'Elsewhere' } });
  const { secret } = await client.expect(201, 'POST', '/keys', {
    body: { name: 'Bound', scopes: ['orders:read'], policy: { profile_ids: [other['id']] } },
  });
  const bound = restClient(switchboard.url, asText(secret));
  expect((await listAll(bound)).changes).toEqual([]);

  expect(await watch({ watch_orders: false })).toMatchObject({ watch_orders: false });
});

test('an account without orders cannot be watched', async () => {
  expect(
    await client.expect(422, 'PATCH', `/connections/${social}`, { body: { watch_orders: true } }),
  ).toMatchObject({ code: 'connection.orders_unsupported' });
});

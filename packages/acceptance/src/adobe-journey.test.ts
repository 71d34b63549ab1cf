import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ALL_RESOURCES, startAdobeCommerce } from '@switchboard/simulators';
import { asObjects, asText } from './support/json.js';
import { restClient, type RestClient } from './support/rest-client.js';
import { connectByKey, storeOrdersClient } from './support/store-orders-client.js';
import type { Switchboard } from './support/installation.js';
import { serveSwitchboard } from './support/serve-switchboard.js';

const keys = {
  consumerKey: 'ck',
  consumerSecret: 'consumer+secret',
  token: 'at',
  tokenSecret: 'token/secret=',
};

let store: Awaited<ReturnType<typeof startAdobeCommerce>>;
let switchboard: Switchboard;
let client: RestClient;
beforeAll(async () => {
  store = await startAdobeCommerce({ integrations: [{ ...keys, resources: ALL_RESOURCES }] });
  switchboard = await serveSwitchboard({
    name: 'adobe_journey',
    env: { SWITCHBOARD_ALLOW_PRIVATE_HOSTS: new URL(store.url).host },
  });
  client = restClient(switchboard.url, switchboard.keys.full);
});
afterAll(async () => {
  await switchboard?.stop();
  await store?.close();
});

const typed = () => ({
  store: store.url,
  consumer_key: keys.consumerKey,
  consumer_secret: keys.consumerSecret,
  access_token: keys.token,
  access_token_secret: keys.tokenSecret,
});

test('an integration’s four keys sign requests: the form reports a wrong key, and correct keys list, refund and disconnect', async () => {
  const wrong = await connectByKey(client, 'adobe_commerce', 'integration', {
    ...typed(),
    access_token_secret: 'another',
  });
  expect(wrong.page.status).toBe(422);
  const { session } = await connectByKey(client, 'adobe_commerce', 'integration', typed());
  expect(session).toMatchObject({ status: 'connected' });
  const storeOrders = storeOrdersClient(client, asText((session['connection_ids'] as string[])[0]));

  const orders = await storeOrders.listAllOrders({ limit: 3, created_after: '2026-01-01T00:00:00Z' });
  expect(new Set(orders.map((order) => order['external_id'])).size).toBe(orders.length);
  expect(orders.length).toBeGreaterThan(5);
  const paid = orders.find(
    (order) =>
      order['payment_status'] === 'paid' &&
      asObjects(order['payments']).every((payment) => payment['refundable_online'] === true),
  );
  const made = await storeOrders.refund(paid ?? {}, { amount: '1.00' });
  expect([made.status, made.json['status'], made.json['money_moved']]).toEqual([201, 'succeeded', true]);
  expect(store.refunds.createdCount()).toBe(1);

  const signed = store.exchanges().map(({ request }) => String(request.headers['authorization']));
  expect(signed.every((header) => header.startsWith('OAuth '))).toBe(true);
  expect(signed.join()).not.toContain(encodeURIComponent(keys.tokenSecret));
  await client.expect(204, 'DELETE', `/connections/${storeOrders.connection}`);
});

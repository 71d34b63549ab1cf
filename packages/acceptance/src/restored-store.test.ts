import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startWorld as startMedusa } from '@switchboard/platforms/testing/medusa';
import { parseMinor } from './support/sandbox-store.js';
import { queryRows } from './support/database.js';
import { asObject, asObjects, asText, type JsonObject } from './support/json.js';
import { restClient, type RestClient } from './support/rest-client.js';
import { connectByKey, storeOrdersClient, type StoreOrdersClient } from './support/store-orders-client.js';
import type { Switchboard } from './support/installation.js';
import { serveSwitchboard } from './support/serve-switchboard.js';

type MedusaWorld = Awaited<ReturnType<typeof startMedusa>>;

/** Two servers restored from one database backup: the same store, orders and payments with the same IDs. */
let servers: readonly [MedusaWorld, MedusaWorld];
let switchboard: Switchboard;
let client: RestClient;
beforeAll(async () => {
  servers = [await startMedusa(), await startMedusa()];
  switchboard = await serveSwitchboard({
    name: 'restored_store',
    env: { SWITCHBOARD_ALLOW_PRIVATE_HOSTS: servers.map(({ baseUrl }) => new URL(baseUrl).host).join() },
  });
  client = restClient(switchboard.url, switchboard.keys.full);
});
afterAll(async () => {
  await switchboard?.stop();
  await Promise.all(servers.map((server) => server.close()));
});

async function connect({
  baseUrl,
  token,
  keyLocations,
  requireKeyAt,
}: MedusaWorld): Promise<StoreOrdersClient> {
  const place = keyLocations?.['secret_key'];
  if (!place) throw new Error('the Medusa fixture has no server URL');
  requireKeyAt?.(place);
  const { session } = await connectByKey(client, 'medusa', 'secret_key', {
    store: baseUrl,
    secret_key: token,
  });
  expect(session).toMatchObject({ status: 'connected' });
  return storeOrdersClient(client, asText((session['connection_ids'] as string[])[0]));
}

const isFullyPaid = (order: JsonObject) =>
  parseMinor(asObject(order['totals'])['refundable']) > 0 &&
  asObjects(order['payments'])[0]?.['refundable_online'] === true;
const readRefundable = async (order: JsonObject) => {
  const read = await client.expect(200, 'GET', `/ecommerce/orders/${asText(order['id'])}`);
  return parseMinor(asObject(read['totals'])['refundable']);
};

test('finding 22: two servers with the same IDs are two stores with separate refund ledgers', async () => {
  const [one, other] = [await connect(servers[0]), await connect(servers[1])];
  expect(one.connection).not.toBe(other.connection);
  const [ofOne, ofOther] = [
    await one.listAllOrders({ limit: 100 }),
    await other.listAllOrders({ limit: 100 }),
  ];
  expect(ofOne.map((order) => order['external_id'])).toEqual(ofOther.map((order) => order['external_id']));
  const listed = await client.expect(200, 'GET', '/ecommerce/orders', { query: { limit: 100 } });
  expect(new Set(asObjects(listed['data']).map((order) => order['id'])).size).toBe(ofOne.length * 2);

  const [refunded] = ofOne.filter(isFullyPaid);
  const sameOrderAtOther = ofOther.find((order) => order['external_id'] === refunded?.['external_id']);
  if (!refunded || !sameOrderAtOther) throw new Error('the stores have no such order');
  const refundable = await readRefundable(refunded);

  const refund = await one.refund(refunded, {});
  expect([refund.status, refund.json['status']]).toEqual([201, 'succeeded']);
  expect([await readRefundable(refunded), await readRefundable(sameOrderAtOther)]).toEqual([0, refundable]);
  const [again] = await other
    .listAllOrders({ limit: 100 })
    .then((all) => all.filter(({ id }) => id === sameOrderAtOther['id']));
  expect(parseMinor(asObject(again?.['totals'])['refundable'])).toBe(refundable);
  const quoted = await client.post(`/ecommerce/orders/${asText(sameOrderAtOther['id'])}/refund/quote`, {});
  expect(quoted.status).toBe(201);

  // Without an idempotency key: at the same store this would be a possible duplicate.
  const second = await other.refund(sameOrderAtOther, { quote_id: quoted.json['id'] });
  expect([second.status, second.json['status']]).toEqual([201, 'succeeded']);
  expect(servers.map((server) => server.effects())).toEqual([1, 1]);
  const ledgers = await queryRows(
    switchboard.databaseUrl,
    'SELECT account_server, refunded_minor::int AS refunded FROM refund_ledgers ORDER BY account_server',
  );
  expect(ledgers).toEqual(
    servers
      .map(({ baseUrl }) => ({ account_server: new URL(baseUrl).host, refunded: refundable }))
      .sort((a, b) => (a.account_server < b.account_server ? -1 : 1)),
  );
});

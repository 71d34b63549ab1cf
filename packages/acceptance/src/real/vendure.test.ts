import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { expectEachChangeOnce, expectTotalsToAddUp } from '../support/check-store-orders.js';
import { parseMinor } from '../support/sandbox-store.js';
import { eventually } from '../support/eventually.js';
import { asObject, asObjects, asText, type JsonObject } from '../support/json.js';
import { startRealProcess, type RealProcess } from '../support/real-process.js';
import { restClient, type RestClient } from '../support/rest-client.js';
import { connectByKey, storeOrdersClient, type StoreOrdersClient } from '../support/store-orders-client.js';
import type { Switchboard } from '../support/installation.js';
import { startSwitchboard } from '../support/start-switchboard.js';

interface VendureReady {
  readonly url: string;
  readonly key: string;
  /** A key that may only read orders. */
  readonly readingKey: string;
  readonly orders: readonly {
    readonly id: string;
    readonly number: string;
    readonly totalCents: number;
    readonly method: string;
  }[];
}

const INSTALL_AND_BOOT_MS = 10 * 60_000;

let vendure: RealProcess<VendureReady>;
let switchboard: Switchboard;
let client: RestClient;
let store: StoreOrdersClient;
beforeAll(async () => {
  vendure = await startRealProcess<VendureReady>('vendure', { bootDeadlineMs: INSTALL_AND_BOOT_MS });
  switchboard = await startSwitchboard({
    name: 'real_vendure',
    env: { SWITCHBOARD_ALLOW_PRIVATE_HOSTS: new URL(vendure.ready.url).host, LOG_LEVEL: 'trace' },
  });
  client = restClient(switchboard.url, switchboard.keys.full);
}, INSTALL_AND_BOOT_MS);
afterAll(async () => {
  await switchboard?.stop();
  await vendure?.stop();
});

const connectWith = (key: string) =>
  connectByKey(client, 'vendure', 'api_key', { store: vendure.ready.url, api_key: key });

/** An unused order paid with the store's `testcard`, or with the handler whose refunds stay pending. */
const usedOrders = new Set<string>();
function takeOrder(method = 'testcard'): Promise<JsonObject> {
  const free = vendure.ready.orders.find((order) => order.method === method && !usedOrders.has(order.number));
  if (!free) throw new Error('the store has too few orders');
  usedOrders.add(free.number);
  return store.findByNumber(free.number);
}

/** The store's own API, called without Switchboard. */
async function requestVendure(query: string, variables: object): Promise<unknown> {
  const response = await fetch(`${vendure.ready.url}/admin-api`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'vendure-api-key': vendure.ready.key },
    body: JSON.stringify({ query, variables }),
  });
  const { data } = (await response.json()) as { data: unknown };
  return data;
}

/** The amount that Vendure itself has refunded for an order, in cents, by state. */
async function refundedCents(order: JsonObject): Promise<Readonly<Record<string, number>>> {
  const query = 'query ($id: ID!) { order(id: $id) { payments { refunds { total state } } } }';
  const data = (await requestVendure(query, { id: order['external_id'] })) as {
    order: { payments: JsonObject[] };
  };
  const refunds = data.order.payments.flatMap((payment) => asObjects(payment['refunds']));
  const sums: Record<string, number> = {};
  for (const { state, total } of refunds) sums[asText(state)] = (sums[asText(state)] ?? 0) + Number(total);
  return sums;
}

test('the form reports a wrong key, and nothing is connected', async () => {
  const { page, session } = await connectWith('not:a-key');
  expect(page.status).toBe(422);
  expect(page.text).toContain('Vendure rejected the entered credentials');
  expect(session).toMatchObject({ status: 'pending', connection_ids: [] });
});

test('an API key connects the store', async () => {
  const { session } = await connectWith(vendure.ready.key);
  expect(session).toMatchObject({ status: 'connected' });
  store = storeOrdersClient(client, asText((session['connection_ids'] as string[])[0]));
  expect(await client.expect(200, 'GET', `/connections/${store.connection}?refresh=true`)).toMatchObject({
    platform: 'vendure',
    status: 'active',
    account: { id: `${new URL(vendure.ready.url).host}/1` },
  });
});

describe('orders', () => {
  test('are listed once each over pages of seven, newest first, with exact amounts', async () => {
    const orders = await store.listAllOrders({ limit: 7 });
    const expected = vendure.ready.orders.toReversed();
    expect(orders.map((order) => order['number'])).toEqual(expected.map(({ number }) => number));
    expect(orders.map((order) => parseMinor(asObject(order['totals'])['total']))).toEqual(
      expected.map(({ totalCents }) => totalCents),
    );
    expect(new Set(orders.map((order) => order['payment_status']))).toEqual(new Set(['paid']));
  });

  test('are found by email in any letter case, for which Vendure has no filter', async () => {
    const found = await store.listAllOrders({ email: 'BUYER3@example.TEST' });
    expect(found.map((order) => order['number'])).toEqual([vendure.ready.orders[3]?.number]);
  });

  test('are found by the time of order', async () => {
    const all = await store.listAllOrders({ sort: 'created_at', limit: 100 });
    const from = asText(all[10]?.['created_at']);
    const found = await store.listAllOrders({ sort: 'created_at', created_after: from });
    expect(found.map((order) => order['number'])).toEqual(all.slice(10).map((order) => order['number']));
  });

  test('have totals that add up with their lines to the cent', async () => {
    const orders = await store.listAllOrders({ limit: 100 });
    expect(orders.length).toBe(vendure.ready.orders.length);
    for (const order of orders) expectTotalsToAddUp(order);
  });

  test('report shipments with carrier, number and lines', async () => {
    const order = await takeOrder();
    const [line] = asObjects(order['line_items']);
    const input = {
      lines: [{ orderLineId: line?.['id'], quantity: 1 }],
      handler: {
        code: 'manual-fulfillment',
        arguments: [
          { name: 'method', value: 'DHL' },
          { name: 'trackingCode', value: 'TRACK9' },
        ],
      },
    };
    const mutation =
      'mutation ($input: FulfillOrderInput!) { addFulfillmentToOrder(input: $input) { __typename } }';
    expect(await requestVendure(mutation, { input })).toEqual({
      addFulfillmentToOrder: { __typename: 'Fulfillment' },
    });
    expect(await store.findByNumber(asText(order['number']))).toMatchObject({
      shipments: [
        {
          status: 'pending',
          carrier: 'DHL',
          tracking_number: 'TRACK9',
          line_items: [{ id: line?.['id'], quantity: 1 }],
        },
      ],
    });
  });
});

test('the change feed reports each order once, and then only the one that was refunded', async () => {
  const order = await takeOrder();
  await expectEachChangeOnce(store, vendure.ready.orders.length, order, () =>
    store.refund(order, { amount: '1.00' }),
  );
});

describe('refunds', () => {
  test('of a part, of the rest, and of more than that', async () => {
    const order = await takeOrder();
    const total = parseMinor(asObject(order['totals'])['total']);
    const part = await store.refund(order, { amount: '5.00', reason: 'Scratched' });
    expect([part.status, part.json['status'], part.json['money_moved']]).toEqual([201, 'succeeded', true]);
    const over = await store.refund(order, { amount: (total / 100).toFixed(2) });
    expect([over.status, over.json['code']]).toEqual([422, 'refund.exceeds_refundable']);
    const rest = await store.refund(order, { full: true });
    expect([rest.status, parseMinor(rest.json['amount'])]).toEqual([201, total - 500]);
    expect(await refundedCents(order)).toEqual({ Settled: total });
    expect(await store.findByNumber(asText(order['number']))).toMatchObject({
      payment_status: 'refunded',
      raw_status: 'PaymentSettled',
      totals: { refundable: { amount: '0.00' } },
    });
  });

  test('that the payment handler declines have failed, and their amount is released', async () => {
    const order = await takeOrder();
    const declined = await store.refund(order, { amount: '1.13' });
    expect([declined.status, declined.json['code']]).toEqual([422, 'refund.refused']);
    expect(await refundedCents(order)).toEqual({ Failed: 113 });
    const full = await store.refund(order, { full: true });
    expect([full.status, parseMinor(full.json['amount'])]).toEqual([
      201,
      parseMinor(asObject(order['totals'])['total']),
    ]);
  });

  test('that settle later are pending and keep their amount reserved', async () => {
    const order = await takeOrder('dummy-payment-handler');
    const total = parseMinor(asObject(order['totals'])['total']);
    const made = await store.refund(order, { amount: '1.00' }, { Prefer: 'wait=2' });
    expect([made.status, made.json['status'], made.json['money_moved']]).toEqual([201, 'pending', null]);
    await eventually('the store has the refund', async () =>
      (await refundedCents(order))['Pending'] === 100 ? true : null,
    );
    expect(await store.findByNumber(asText(order['number']))).toMatchObject({
      totals: { refundable: { amount: ((total - 100) / 100).toFixed(2) } },
    });
  });

  test('are made once when requested twice, although Vendure has no duplicate protection', async () => {
    const order = await takeOrder();
    const headers = { 'Idempotency-Key': 'once' };
    const first = await store.refund(order, { amount: '2.00' }, headers);
    const again = await store.refund(order, { amount: '2.00' }, headers);
    expect([first.status, again.status, again.json['id']]).toEqual([201, 201, first.json['id']]);
    const other = await store.refund(order, { amount: '2.00' });
    expect([other.status, other.json['code']]).toEqual([409, 'refund.possible_duplicate']);
    expect(await refundedCents(order)).toEqual({ Settled: 200 });
  });

  test('five concurrent requests above the paid amount never exceed it', async () => {
    const order = await takeOrder();
    const total = parseMinor(asObject(order['totals'])['total']);
    const amount = (Math.ceil(total / 3) / 100).toFixed(2);
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => store.refund(order, { amount, allow_duplicate: true })),
    );
    const made = answers.filter(({ status }) => status === 201);
    expect(answers.map(({ status }) => status)).toContain(201);
    for (const { status, json } of answers.filter((answer) => answer.status !== 201)) {
      expect(['409 refund.in_progress', '422 refund.exceeds_refundable']).toContain(
        `${status} ${asText(json['code'])}`,
      );
    }
    const sum = made.reduce((all, { json }) => all + parseMinor(json['amount']), 0);
    expect(await refundedCents(order)).toEqual({ Settled: sum });
    expect(sum).toBeLessThanOrEqual(total);
  });
});

test('a read-only key gets an error with the missing permission, and the store stays connected', async () => {
  const { session } = await connectWith(vendure.ready.readingKey);
  expect(session).toMatchObject({ status: 'connected', connection_ids: [store.connection] });
  const order = await takeOrder();
  const refused = await store.refund(order, { amount: '1.00' });
  expect(refused.json['code']).toBe('platform.permission_missing');
  expect(await refundedCents(order)).toEqual({});
  expect(await client.expect(200, 'GET', `/connections/${store.connection}`)).toMatchObject({
    status: 'degraded',
  });
});

test('no key appears in any process output', () => {
  for (const key of [vendure.ready.key, vendure.ready.readingKey]) {
    expect(switchboard.logs()).not.toContain(key);
  }
});

import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { emptyTestDatabase } from '@switchboard/persistence/testing';
import { expectEachChangeOnce, expectTotalsToAddUp } from '../support/check-store-orders.js';
import { parseMinor } from '../support/sandbox-store.js';
import { asObject, asObjects, asText, type JsonObject } from '../support/json.js';
import { connectMcpHttp } from '../support/mcp-client.js';
import { startRealProcess, type RealProcess } from '../support/real-process.js';
import { restClient, type RestClient } from '../support/rest-client.js';
import { connectByKey, storeOrdersClient, type StoreOrdersClient } from '../support/store-orders-client.js';
import type { Switchboard } from '../support/installation.js';
import { startSwitchboard } from '../support/start-switchboard.js';

interface MedusaReady {
  readonly url: string;
  readonly key: string;
  readonly orders: readonly {
    readonly id: string;
    readonly number: string;
    readonly totalCents: number;
    readonly paid: boolean;
  }[];
}

const INSTALL_AND_BOOT_MS = 10 * 60_000;

let medusa: RealProcess<MedusaReady>;
let switchboard: Switchboard;
let client: RestClient;
let store: StoreOrdersClient;
beforeAll(async () => {
  medusa = await startRealProcess<MedusaReady>('medusa', {
    bootDeadlineMs: INSTALL_AND_BOOT_MS,
    env: { DATABASE_URL: await emptyTestDatabase('medusa') },
  });
  switchboard = await startSwitchboard({
    name: 'real_medusa',
    mcp: true,
    env: { SWITCHBOARD_ALLOW_PRIVATE_HOSTS: new URL(medusa.ready.url).host, LOG_LEVEL: 'trace' },
  });
  client = restClient(switchboard.url, switchboard.keys.full);
}, INSTALL_AND_BOOT_MS);
afterAll(async () => {
  await switchboard?.stop();
  await medusa?.stop();
});

/** The store's own API, called without Switchboard. */
async function requestMedusa(path: string): Promise<JsonObject> {
  const authorization = `Basic ${Buffer.from(`${medusa.ready.key}:`).toString('base64')}`;
  const response = await fetch(`${medusa.ready.url}/admin/${path}`, { headers: { authorization } });
  return (await response.json()) as JsonObject;
}

const connectWith = (key: string) =>
  connectByKey(client, 'medusa', 'secret_key', { store: medusa.ready.url, secret_key: key });

const refund = (order: JsonObject, body: JsonObject, headers?: Readonly<Record<string, string>>) =>
  store.refund(order, { allow_offline: true, ...body }, headers);

/** The amount that Medusa itself has refunded for an order, in cents. */
async function refundedCents(order: JsonObject): Promise<number> {
  const fields = 'id,*payment_collections.payments.refunds';
  const { order: said } = await requestMedusa(`orders/${asText(order['external_id'])}?fields=${fields}`);
  return asObjects(asObject(said)['payment_collections'])
    .flatMap((collection) => asObjects(collection['payments']))
    .flatMap((payment) => asObjects(payment['refunds']))
    .reduce((sum, one) => sum + Math.round(Number(one['amount']) * 100), 0);
}

test('the form reports a wrong key, and nothing is connected', async () => {
  const { page, session } = await connectWith('sk_wrong');
  expect(page.status).toBe(422);
  expect(page.text).toContain('Medusa rejected the entered credentials');
  expect(page.text).not.toContain('sk_wrong');
  expect(session).toMatchObject({ status: 'pending', connection_ids: [] });
});

test('a secret key connects the store', async () => {
  const { session } = await connectWith(medusa.ready.key);
  expect(session).toMatchObject({ status: 'connected' });
  store = storeOrdersClient(client, asText((session['connection_ids'] as string[])[0]));
  expect(await client.expect(200, 'GET', `/connections/${store.connection}?refresh=true`)).toMatchObject({
    platform: 'medusa',
    status: 'active',
    account: { name: 'Medusa Store', username: new URL(medusa.ready.url).host },
  });
});

describe('orders', () => {
  test('are listed once each over pages of seven, newest first, with exact amounts', async () => {
    const orders = await store.listAllOrders({ limit: 7 });
    const expected = medusa.ready.orders.toReversed();
    expect(orders.map((order) => order['number'])).toEqual(expected.map(({ number }) => number));
    expect(orders.map((order) => parseMinor(asObject(order['totals'])['total']))).toEqual(
      expected.map(({ totalCents }) => Math.round(totalCents)),
    );
    expect(orders.map((order) => order['payment_status'])).toEqual(
      expected.map(({ paid }) => (paid ? 'paid' : 'pending')),
    );
  });

  test('are found by email in any letter case, which Medusa itself does not support', async () => {
    const found = await store.listAllOrders({ email: 'BUYER3@example.TEST' });
    expect(found.map((order) => order['number'])).toEqual(['4']);
  });

  test('are found by number and by payment status', async () => {
    expect((await store.findByNumber('#7'))['number']).toBe('7');
    const unpaid = await store.listAllOrders({ payment_status: 'pending' });
    expect(unpaid).toHaveLength(medusa.ready.orders.filter(({ paid }) => !paid).length);
  });

  test('have totals that add up with their lines to the cent', async () => {
    const orders = await store.listAllOrders({ limit: 100 });
    expect(orders.length).toBe(medusa.ready.orders.length);
    for (const order of orders) expectTotalsToAddUp(order);
  });

  test('report shipments with carrier, number and lines', async () => {
    const [order] = medusa.ready.orders.slice(9);
    const shipped = await store.findByNumber(asText(order?.number));
    const [line] = asObjects(shipped['line_items']);
    expect(shipped['shipments']).toEqual([
      expect.objectContaining({
        status: 'shipped',
        tracking_number: 'TRACK9',
        tracking_url: 'https://track.example/TRACK9',
        line_items: [{ id: line?.['id'], quantity: 1 }],
      }),
    ]);
  });
});

test('the change feed reports each order once, and then only the one that was refunded', async () => {
  const order = await store.findByNumber('11');
  await expectEachChangeOnce(store, medusa.ready.orders.length, order, () =>
    refund(order, { amount: '1.00' }),
  );
});

describe('refunds', () => {
  test('require an acknowledgement that no money moves: the payment was made outside the store', async () => {
    const order = await store.findByNumber('1');
    const { status, json: body } = await refund(order, { amount: '1.00', allow_offline: false });
    expect([status, body['code']]).toEqual([422, 'refund.offline_only']);
    expect(await refundedCents(order)).toBe(0);
  });

  test('of a part, of the rest, and of more than that', async () => {
    const order = await store.findByNumber('2');
    const total = parseMinor(asObject(order['totals'])['total']);
    const part = await refund(order, { amount: '7.50', reason: 'Scratched' });
    expect([part.status, part.json['status'], part.json['money_moved']]).toEqual([201, 'succeeded', false]);
    expect(await refundedCents(order)).toBe(750);

    const over = await refund(order, { amount: String(total / 100) });
    expect([over.status, over.json['code']]).toEqual([422, 'refund.exceeds_refundable']);
    const rest = await refund(order, { full: true });
    expect([rest.status, parseMinor(rest.json['amount'])]).toEqual([201, total - 750]);
    expect(await refundedCents(order)).toBe(total);
    // Medusa itself would accept one cent more.
    const cent = await refund(order, { amount: '0.01' });
    expect([cent.status, cent.json['code']]).toEqual([422, 'refund.exceeds_refundable']);
    expect(await store.findByNumber('2')).toMatchObject({
      payment_status: 'refunded',
      totals: { total: { amount: (total / 100).toFixed(2) }, refundable: { amount: '0.00' } },
    });
  });

  test('are made once when requested twice, although Medusa has no duplicate protection', async () => {
    const order = await store.findByNumber('3');
    const headers = { 'Idempotency-Key': 'once' };
    const [first, again] = [
      await refund(order, { amount: '2.00' }, headers),
      await refund(order, { amount: '2.00' }, headers),
    ];
    expect([first.status, again.status, again.json['id']]).toEqual([201, 201, first.json['id']]);
    const other = await refund(order, { amount: '2.00' });
    expect([other.status, other.json['code']]).toEqual([409, 'refund.possible_duplicate']);
    expect(await refundedCents(order)).toBe(200);
  });

  test('five concurrent requests above the paid amount never exceed it', async () => {
    const order = await store.findByNumber('4');
    const total = parseMinor(asObject(order['totals'])['total']);
    const amount = (Math.ceil(total / 3) / 100).toFixed(2);
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => refund(order, { amount, allow_duplicate: true })),
    );
    const made = answers.filter(({ status }) => status === 201);
    expect(made.length).toBeGreaterThan(0);
    for (const { status, json } of answers.filter((answer) => answer.status !== 201)) {
      expect(['409 refund.in_progress', '422 refund.exceeds_refundable']).toContain(
        `${status} ${asText(json['code'])}`,
      );
    }
    const refunded = await refundedCents(order);
    expect(refunded).toBe(made.reduce((sum, { json }) => sum + parseMinor(json['amount']), 0));
    expect(refunded).toBeLessThanOrEqual(total);
  });

  test('made in the store itself are detected and counted', async () => {
    const order = await store.findByNumber('6');
    const [payment] = asObjects(order['payments']);
    const authorization = `Basic ${Buffer.from(`${medusa.ready.key}:`).toString('base64')}`;
    const made = await fetch(`${medusa.ready.url}/admin/payments/${asText(payment?.['id'])}/refund`, {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json' },
      body: JSON.stringify({ amount: 5 }),
    });
    expect(made.status).toBe(200);
    const total = parseMinor(asObject(order['totals'])['total']);
    const full = await refund(order, { full: true });
    expect([full.status, parseMinor(full.json['amount'])]).toEqual([201, total - 500]);
    expect(await refundedCents(order)).toBe(total);
  });

  test('by an agent use a quote', async () => {
    const order = await store.findByNumber('8');
    const agent = await connectMcpHttp(switchboard, switchboard.keys.full);
    const quoted = await agent.call('quote_refund', {
      order_id: order['id'],
      amount: '3.00',
      allow_offline: true,
    });
    const refunded = await agent.call('refund_order', { quote_id: quoted.json['id'] });
    expect(refunded.json).toMatchObject({ status: 'succeeded', amount: { amount: '3.00' } });
    await agent.close();
    expect(await refundedCents(order)).toBe(300);
  });
});

test('the key appears in no process output', () => {
  expect(switchboard.logs()).not.toContain(medusa.ready.key);
});

import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  sendWebhook,
  startWooCommerce,
  type RunningWooCommerce,
  type WebhookDelivery,
} from '@switchboard/simulators';
import { openBrowser, type Browser, type PageVisit } from './support/browser.js';
import { submitConnectForm, getLocation } from './support/connect-sandbox.js';
import { queryRows } from './support/database.js';
import { eventually } from './support/eventually.js';
import { asObject, asObjects, asText, type JsonObject } from './support/json.js';
import { restClient, type RestClient } from './support/rest-client.js';
import { connectByKey, storeOrdersClient, type StoreOrdersClient } from './support/store-orders-client.js';
import type { Switchboard } from './support/installation.js';
import { serveSwitchboard } from './support/serve-switchboard.js';

/** Without TLS, so that every request is signed. */
let woo: RunningWooCommerce;
let other: RunningWooCommerce;
let switchboard: Switchboard;
let client: RestClient;
let store: StoreOrdersClient;
beforeAll(async () => {
  [woo, other] = await Promise.all([
    startWooCommerce({ plainCallbacks: true }),
    startWooCommerce({ plainCallbacks: true }),
  ]);
  switchboard = await serveSwitchboard({
    name: 'woocommerce_journey',
    env: {
      SWITCHBOARD_ALLOW_PRIVATE_HOSTS: `${new URL(woo.url).host},${new URL(other.url).host}`,
    },
  });
  client = restClient(switchboard.url, switchboard.keys.full);
});
afterAll(async () => {
  await switchboard?.stop();
  await woo?.close();
  await other?.close();
});

interface ConnectFlow {
  readonly browser: Browser;
  readonly session: string;
  /** The store's page on which its owner decides. */
  readonly asked: URL;
  /** The URL to which the store delivers the keys. */
  readonly deliverTo: string;
}

async function startFlow(): Promise<ConnectFlow> {
  const session = await client.expect(201, 'POST', '/connect/url', { body: { platform: 'woocommerce' } });
  const browser = openBrowser();
  const leaving = await submitConnectForm(browser, asText(session['url']), 'approval', { store: woo.url });
  const asked = new URL(getLocation(leaving));
  return {
    browser,
    asked,
    session: asText(session['id']),
    deliverTo: asked.searchParams.get('callback_url') ?? '',
  };
}

/** Presses the button on the store's page, and follows the redirect. */
async function answer({ browser, asked }: ConnectFlow, how: 'approve' | 'deny'): Promise<PageVisit> {
  const page = await browser.get(asked.href);
  const [, href = ''] = new RegExp(`class="${how}" href="([^"]+)"`).exec(page.text) ?? [];
  const pressed = href.replaceAll('&amp;', '&');
  const back = how === 'deny' ? pressed : getLocation(await browser.get(pressed));
  return browser.get(back);
}

const postKey = (to: string, body: unknown) =>
  fetch(to, {
    method: 'POST',
    headers: { 'content-type': 'application/json;charset=UTF-8' },
    body: JSON.stringify(body),
  });

const sessionOf = (id: string) => client.expect(200, 'GET', `/connect/sessions/${id}`);
const keysFor = ({ asked }: ConnectFlow, of: RunningWooCommerce) => {
  const { id, consumerKey, consumerSecret, permissions } = of.keys.make('read_write');
  return {
    key_id: id,
    user_id: asked.searchParams.get('user_id'),
    key_permissions: permissions,
    consumer_key: consumerKey,
    consumer_secret: consumerSecret,
  };
};
const connections = async () =>
  asObjects(
    (await client.expect(200, 'GET', '/connections', { query: { platform: 'woocommerce' } }))['data'],
  );

describe('keys delivered to the key callback', () => {
  test('from a sender without the URL are rejected', async () => {
    const trip = await startFlow();
    const elsewhere = trip.deliverTo.replace(/[^/]+$/, 'a'.repeat(43));
    expect((await postKey(elsewhere, keysFor(trip, woo))).status).toBe(404);
    const another = trip.deliverTo.replace('/woocommerce/', '/medusa/');
    expect((await postKey(another, keysFor(trip, woo))).status).toBe(404);
    expect((await fetch(trip.deliverTo)).status).toBe(405);
  });

  test('are accepted only from the connected store and only once, regardless of earlier deliveries', async () => {
    const trip = await startFlow();
    const invented = { ...keysFor(trip, woo), consumer_secret: `cs_${'0'.repeat(40)}` };
    const foreign = { ...keysFor(trip, woo), user_id: 'another-user' };
    const wrong = [
      {},
      invented,
      foreign,
      keysFor(trip, other),
      { ...keysFor(trip, woo), key_permissions: 'read' },
    ];
    for (const body of wrong) expect((await postKey(trip.deliverTo, body)).status).toBe(502);
    expect((await postKey(trip.deliverTo, { much: 'x'.repeat(20_000) })).status).toBe(413);
    const notJson = await fetch(trip.deliverTo, { method: 'POST', body: 'consumer_key=ck_1' });
    expect(notJson.status).toBe(415);
    const both = await Promise.all([1, 2].map(() => postKey(trip.deliverTo, keysFor(trip, woo))));
    expect(both.map(({ status }) => status).sort()).toEqual([200, 404]);
    expect((await postKey(trip.deliverTo, keysFor(trip, woo))).status).toBe(404);
    expect(await sessionOf(trip.session)).toMatchObject({ status: 'pending', connection_ids: [] });
    expect(await connections()).toEqual([]);
  });

  test('connect nothing in another browser, nor for a redirect that claims success without delivered keys', async () => {
    const [victim, attacker] = [await startFlow(), await startFlow()];
    const back = new URL(victim.asked.searchParams.get('return_url') ?? '');
    back.searchParams.set('success', '1');
    back.searchParams.set('user_id', victim.asked.searchParams.get('user_id') ?? '');
    expect((await postKey(victim.deliverTo, keysFor(victim, woo))).status).toBe(200);
    expect((await attacker.browser.get(back.href)).status).toBe(404);
    expect((await openBrowser().get(back.href)).status).toBe(404);

    const own = new URL(attacker.asked.searchParams.get('return_url') ?? '');
    own.searchParams.set('success', '1');
    own.searchParams.set('user_id', attacker.asked.searchParams.get('user_id') ?? '');
    await attacker.browser.get(own.href);
    expect(await sessionOf(attacker.session)).toMatchObject({
      status: 'failed',
      error: { code: 'exchange_failed' },
      connection_ids: [],
    });
    expect((await postKey(attacker.deliverTo, keysFor(attacker, woo))).status).toBe(404);
    expect(await connections()).toEqual([]);
  });

  test('too late are rejected, and the redirect then connects nothing', async () => {
    const trip = await startFlow();
    await queryRows(
      switchboard.databaseUrl,
      `UPDATE connect_flows SET expires_at = now() - interval '1 second' WHERE session_id = '${trip.session}'`,
    );
    const before = woo.keys.all().length;
    const page = await trip.browser.get(trip.asked.href);
    const [, href = ''] = /class="approve" href="([^"]+)"/.exec(page.text) ?? [];
    expect((await trip.browser.get(href.replaceAll('&amp;', '&'))).status).toBe(401);
    // The store deletes a key that it could not deliver.
    expect(woo.keys.all()).toHaveLength(before);
    expect(await sessionOf(trip.session)).toMatchObject({ connection_ids: [] });
  });
});

describe('the store’s own page', () => {
  test('redirects back without a connection when the owner denies', async () => {
    const trip = await startFlow();
    await answer(trip, 'deny');
    expect(await sessionOf(trip.session)).toMatchObject({ status: 'failed', error: { code: 'denied' } });
  });

  test('redirects back to a connection when the owner approves', async () => {
    const trip = await startFlow();
    expect((await answer(trip, 'approve')).status).toBe(200);
    const ended = await sessionOf(trip.session);
    expect(ended).toMatchObject({ status: 'connected', error: null });
    const [id] = ended['connection_ids'] as string[];
    store = storeOrdersClient(client, asText(id));
    expect(await client.expect(200, 'GET', `/connections/${store.connection}?refresh=true`)).toMatchObject({
      platform: 'woocommerce',
      status: 'active',
      missing_permissions: [],
      account: { id: new URL(woo.url).host, name: 'Kiln & Co' },
    });
    const stored = await queryRows(switchboard.databaseUrl, 'SELECT * FROM connect_flows');
    expect(JSON.stringify(stored)).not.toContain(trip.session);
    const rows = JSON.stringify(await queryRows(switchboard.databaseUrl, 'SELECT * FROM credentials'));
    for (const { consumerSecret } of woo.keys.all()) expect(rows).not.toContain(consumerSecret);
  });
});

test('orders are listed once each, including by filters that the store itself ignores', async () => {
  const orders = await store.listAllOrders({ limit: 7 });
  expect(new Set(orders.map((order) => order['external_id'])).size).toBe(woo.orders().length);
  const found = await store.listAllOrders({ email: 'BUYER3@example.TEST' });
  expect(found).toMatchObject([{ currency: 'JPY', payment_status: 'paid', raw_status: 'processing' }]);
  for (const { request } of woo.exchanges().filter((one) => one.request.path.includes('/wc/v3/'))) {
    expect(String(request.headers['authorization'])).toMatch(/^OAuth oauth_consumer_key="ck_/);
    expect(String(request.query)).not.toContain('oauth');
  }
});

describe('a refund', () => {
  const moneyOf = (order: JsonObject) => woo.moneyOf(Number(order['external_id']));
  const fresh = async () => {
    const paid = await store.listAllOrders({ payment_status: 'paid', currency: 'EUR' });
    // An order for which another test left a refund with unknown outcome has less refundable than its total.
    const isWhole = ({ totals }: Record<string, unknown>) => {
      const { total, refundable } = totals as Record<string, { amount: string }>;
      return total?.amount === refundable?.amount;
    };
    const found = paid.find(isWhole);
    if (!found) throw new Error('there is no such order');
    return found;
  };

  test('of a line with its taxes equals the store’s record, and restocks it when requested', async () => {
    const order = await fresh();
    const [line] = asObjects(order['line_items']);
    const made = await store.refund(order, {
      line_items: [{ id: line?.['id'], quantity: 1, restock: true }],
      reason: 'Cracked',
    });
    expect([made.status, made.json['status'], made.json['money_moved']]).toEqual([201, 'succeeded', true]);
    const amount = Number(asObject(made.json['amount'])['amount']);
    expect(moneyOf(order)?.refunded).toBe(Math.round(amount * 10_000));
    expect(woo.restocked(Number(line?.['id']))).toBe(1);
    expect(woo.refunds.createdCount().at(-1)?.reason).toMatch(/^\[rfd_\w+\] Cracked$/);
    const over = await store.refund(order, { amount: '9999.00' });
    expect([over.status, over.json['code']]).toEqual([422, 'refund.exceeds_refundable']);
  });

  test.each([400, 500] as const)(
    'N50: that the store made but reported with a %s is found, and exists once',
    async (status) => {
      const order = await fresh();
      const before = woo.refunds.createdCount().length;
      woo.refunds.setNotCreatedStatus(status);
      const made = await store.refund(order, { amount: '2.50' });
      expect([made.status, made.json['status']]).toEqual([201, 'succeeded']);
      expect(woo.refunds.createdCount()).toHaveLength(before + 1);
      expect(moneyOf(order)?.refunded).toBe(25_000);
    },
  );

  test('whose response is lost is found by its reference, and exists once', async () => {
    const order = await fresh();
    const before = woo.refunds.createdCount().length;
    woo.faults.add({
      kind: 'reset-after-effect',
      match: { method: 'POST', path_prefix: '/wp-json/wc/v3/orders' },
    });
    const made = await store.refund(order, { amount: '1.50' });
    expect([made.status, made.json['status']]).toEqual([201, 'succeeded']);
    expect(woo.refunds.createdCount()).toHaveLength(before + 1);
  });

  test('that the gateway declines was quoted, and needs a review: the shop returns the same error for one that was paid', async () => {
    const order = await fresh();
    woo.refunds.decline('Your balance is too low');
    const declined = await store.refund(order, { amount: '1.50' });
    expect(declined.json).toMatchObject({
      status: 'needs_review',
      money_moved: null,
      error: { code: 'refund.unclear', platform: { message: 'Your balance is too low' } },
    });
    woo.refunds.decline(null);
    const early = await client.post(`/ecommerce/refunds/${asText(declined.json['id'])}/resolve`, {
      outcome: 'failed',
    });
    expect([early.status, early.json['code']]).toEqual([409, 'refund.in_progress']);
    const quoted = await client.post(`/ecommerce/orders/${asText(order['id'])}/refund/quote`, {});
    expect([quoted.status, quoted.json['code']]).toEqual([409, 'refund.in_doubt']);
    const again = await store.refund(order, { amount: '1.50', allow_duplicate: true });
    expect([again.status, again.json['code']]).toEqual([409, 'refund.in_doubt']);
    expect(moneyOf(order)?.refunded).toBe(0);
  });

  test('of an order that was never paid is rejected, although the store would make it', async () => {
    const [unpaid] = await store.listAllOrders({ payment_status: 'pending' });
    const made = await store.refund(unpaid ?? {}, { amount: '1.00' });
    expect([made.status, made.json['code']]).toEqual([422, 'refund.exceeds_refundable']);
  });

  test('with both restocked and non-restocked lines is two refunds', async () => {
    const order = await fresh();
    const [one, two] = asObjects(order['line_items']).map((line) => line['id']);
    const mixed = [
      { id: one, quantity: 1, restock: true },
      { id: two, quantity: 1 },
    ];
    const made = await store.refund(order, { line_items: mixed });
    expect([made.status, made.json['code']]).toEqual([422, 'refund.unsupported_option']);
  });
});

describe('a key form', () => {
  test('reports wrong keys, and connects with correct ones', async () => {
    const { consumerKey, consumerSecret } = other.keys.make('read');
    const typed = { store: other.url, consumer_key: consumerKey, consumer_secret: consumerSecret };
    const wrong = { ...typed, consumer_secret: `cs_${'0'.repeat(40)}` };
    const { page } = await connectByKey(client, 'woocommerce', 'api_keys', wrong);
    expect(page.status).toBe(422);
    expect(page.text).not.toContain(wrong.consumer_secret);
    const { session } = await connectByKey(client, 'woocommerce', 'api_keys', typed);
    expect(session).toMatchObject({ status: 'connected' });
    const [id] = session['connection_ids'] as string[];
    const storeOrders = storeOrdersClient(client, asText(id));
    const [order] = await storeOrders.listAllOrders({ payment_status: 'paid', currency: 'EUR' });
    // These keys are read-only: the error says so, and the connection says what is missing.
    const refused = await storeOrders.refund(order ?? {}, { amount: '1.00' });
    expect(refused.status).toBe(422);
    expect(other.refunds.createdCount()).toEqual([]);
    expect(await client.expect(200, 'GET', `/connections/${asText(id)}`)).toMatchObject({
      status: 'degraded',
      missing_permissions: ['write', 'read'],
    });
    expect(await storeOrders.listAllOrders({ payment_status: 'paid', currency: 'EUR' })).not.toEqual([]);
    expect(await client.expect(200, 'GET', `/connections/${asText(id)}`)).toMatchObject({
      status: 'degraded',
      missing_permissions: ['write'],
    });
  });
});

test('webhooks that the shop sends twice, out of order and forged report every change once, and end with the connection', async () => {
  // Shops send webhooks to public addresses only.
  await switchboard.rest.stop();
  const replica = await switchboard.startReplica({ SWITCHBOARD_PUBLIC_URL: 'https://switchboard.example' });
  client = restClient(replica.url, switchboard.keys.full);
  const watch = (body: JsonObject) =>
    client.expect(200, 'PATCH', `/connections/${store.connection}`, { body });
  await watch({ watch_orders: true });
  await eventually('the webhooks are registered', async () => woo.webhooks.list().length === 2 || null);
  expect(
    woo.webhooks
      .list()
      .map(({ topic }) => topic)
      .sort(),
  ).toEqual(['order.created', 'order.updated']);
  const [row] = await queryRows<{ sealed: string }>(
    switchboard.databaseUrl,
    `SELECT encode(sealed_secret, 'escape') AS sealed FROM store_webhooks WHERE sealed_secret IS NOT NULL`,
  );
  for (const { secret, url } of woo.webhooks.list()) {
    expect(row?.sealed).not.toContain(secret);
    expect(url).toMatch(/^https:\/\/switchboard\.example\/store-webhooks\/[\w-]{43}$/);
  }
  // From here on no poll finds a change.
  await eventually('the first poll has ended', async () => {
    const [watched] = await queryRows<{ baselined: boolean }>(
      switchboard.databaseUrl,
      'SELECT baselined FROM order_watches',
    );
    return watched?.baselined || null;
  });
  await queryRows(
    switchboard.databaseUrl,
    "UPDATE order_watches SET next_poll_at = now() + interval '1 hour', fence = fence + 1",
  );

  const order = woo.arrive();
  const created = woo.webhooks.deliveriesOf(String(order.id));
  const send = (delivery: WebhookDelivery) => sendWebhook(delivery, replica.url);
  const [first] = created;
  const [webhook] = woo.webhooks.list();
  if (!first || !webhook) throw new Error('nothing was sent');
  expect(await send(woo.webhooks.pingOf(webhook.id))).toBe(200);
  const forged = { ...first, headers: { ...first.headers, 'x-wc-webhook-signature': 'Zm9yZ2Vk' } };
  expect(await send(forged)).toBe(404);
  expect(await send({ ...first, body: first.body.replace(String(order.id), '1') })).toBe(404);
  expect(await send({ ...first, url: first.url.replace(/[^/]+$/, 'a'.repeat(43)) })).toBe(404);
  const changesOf = async (count: number) =>
    eventually(`${count} changes are reported`, async () => {
      const { data } = await client.expect(200, 'GET', '/ecommerce/orders/changes', {
        query: { limit: 100 },
      });
      const found = asObjects(data)
        .map(({ type, data: change }) => ({ type, change: asObject(change) }))
        .filter(({ change }) => change['external_id'] === String(order.id))
        .map(({ type, change }) => ({ type, at: asText(change['updated_at']) }));
      return found.length >= count ? found : null;
    });
  for (const delivery of [...created, ...created]) expect(await send(delivery)).toBe(200);
  expect((await changesOf(1)).map(({ type }) => type)).toEqual(['order.created']);

  woo.change(order.id, 'completed');
  const updated = woo.webhooks.deliveriesOf(String(order.id));
  for (const delivery of [...updated, ...created, ...updated]) expect(await send(delivery)).toBe(200);
  const changes = await changesOf(2);
  expect(changes.map(({ type }) => type)).toEqual(['order.created', 'order.updated']);
  const times = changes.map(({ at }) => at);
  expect(times).toEqual(times.toSorted());
  await eventually('every webhook has been read', async () => {
    const [{ waiting } = { waiting: -1 }] = await queryRows<{ waiting: number }>(
      switchboard.databaseUrl,
      "SELECT count(*)::int AS waiting FROM pgboss.job WHERE name = 'read_order' AND state < 'completed'",
    );
    return waiting === 0 || null;
  });
  expect(await changesOf(2)).toHaveLength(2);

  await watch({ watch_orders: false });
  await eventually('the webhooks are removed', async () => woo.webhooks.list().length === 0 || null);
  expect(await send(first)).toBe(404);
  await watch({ watch_orders: true });
  await eventually('the webhooks are registered again', async () => woo.webhooks.list().length === 2 || null);
});

test('disconnecting deletes the key here and the webhooks there; the key stays in the store, which has no revocation endpoint', async () => {
  await client.expect(204, 'DELETE', `/connections/${store.connection}`);
  expect((await client.sendRequest('GET', `/connections/${store.connection}`)).status).toBe(404);
  expect(woo.keys.all().length).toBeGreaterThan(0);
  await eventually('the webhooks are removed', async () => woo.webhooks.list().length === 0 || null);
});

import type { WooOrder } from './seeded-orders.js';
import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { startServer, type SimulatedServer } from '../wire/start-server.js';
import { startWooCommerce, type RunningWooCommerce } from './woo-store.js';

/** The observed responses of WooCommerce 11.0.1. */
let shop: RunningWooCommerce;
let basic: string;
beforeAll(async () => {
  shop = await startWooCommerce({ tls: true, plainCallbacks: true, gatewayMs: 250 });
});
beforeEach(() => {
  const { consumerKey, consumerSecret } = shop.keys.make('read_write');
  basic = `Basic ${Buffer.from(`${consumerKey}:${consumerSecret}`).toString('base64')}`;
});
afterAll(() => shop.close());

const API = '/wp-json/wc/v3';

async function ask(path: string, body?: unknown, authorization = basic) {
  const response = await fetch(`${shop.url}${API}${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { authorization, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return {
    status: response.status,
    headers: response.headers,
    json: (await response.json()) as Record<string, unknown>,
  };
}
const refund = (order: WooOrder, body: unknown) => ask(`/orders/${order.id}/refunds`, body);
const orderWith = (fits: (order: WooOrder) => boolean): WooOrder => {
  const found = shop.orders().find((order) => order.refunds.length === 0 && fits(order));
  if (!found) throw new Error('there is no such order');
  return found;
};
const paid = () =>
  orderWith(({ paidAt, method, currency }) => paidAt !== null && method === 'stripe' && currency === 'EUR');

describe('lists', () => {
  test('return 1 to 100 per page and count in headers', async () => {
    const { headers, json } = await ask('/orders?per_page=7&page=2');
    expect([headers.get('x-wp-total'), headers.get('x-wp-totalpages')]).toEqual(['36', '6']);
    expect(json).toHaveLength(7);
    expect(await ask('/orders?page=99')).toMatchObject({ status: 200, json: [] });
    for (const wrong of ['per_page=0', 'per_page=101', 'status=nonsense', 'orderby=nonsense'])
      expect(await ask(`/orders?${wrong}`)).toMatchObject({
        status: 400,
        json: { code: 'rest_invalid_param' },
      });
  });

  test('ignore unknown filters and return everything', async () => {
    for (const unknown of ['email=nobody@example.test', 'billing_email=x', 'payment_method=x', 'bogus=1'])
      expect((await ask(`/orders?${unknown}`)).headers.get('x-wp-total')).toBe('36');
  });

  test('exclude both bounds, and compare with site time unless GMT is requested', async () => {
    const [first] = (await ask('/orders?per_page=1&order=asc')).json as unknown as Record<string, string>[];
    expect(first?.['date_created']).not.toBe(first?.['date_created_gmt']);
    const count = async (query: string) => (await ask(`/orders?${query}`)).headers.get('x-wp-total');
    expect(await count(`after=${first?.['date_created_gmt']}&dates_are_gmt=true`)).toBe('35');
    expect(await count(`after=${first?.['date_created_gmt']}`)).toBe('36');
    expect(await count(`before=${first?.['date_created']}`)).toBe('0');
    // A value with an offset is converted to site time and then compared with GMT.
    expect(await count(`before=${first?.['date_created_gmt']}Z&dates_are_gmt=true`)).toBe('1');
  });
});

describe('a refund', () => {
  test('is made twice when requested twice', async () => {
    const order = paid();
    const [one, other] = [await refund(order, { amount: '1' }), await refund(order, { amount: '1' })];
    expect([one.status, other.status]).toEqual([201, 201]);
    expect(one.json['id']).not.toBe(other.json['id']);
  });

  test('of nothing, of "0" and of "1.999" is made; a JSON number is rejected', async () => {
    const order = paid();
    expect(await refund(order, {})).toMatchObject({ status: 201, json: { amount: '' } });
    expect(await refund(order, { amount: '0' })).toMatchObject({ status: 201, json: { amount: '0.00' } });
    expect(await refund(order, { amount: '1.999' })).toMatchObject({ status: 201, json: { amount: '2.00' } });
    expect(await refund(order, { amount: 1 })).toMatchObject({
      status: 400,
      json: { code: 'rest_invalid_param' },
    });
  });

  test('that is impossible returns 500, with a number in place of a status', async () => {
    const order = paid();
    for (const amount of ['-1', 'abc', '99999']) expect((await refund(order, { amount })).status).toBe(500);
    expect(await ask('/orders/1/refunds', { amount: '1' })).toMatchObject({
      status: 500,
      json: { data: 404 },
    });
  });

  test('above the remainder succeeds under concurrent requests', async () => {
    const order = paid();
    const total = (shop.moneyOf(order.id)?.total ?? 0) / 10_000;
    const amount = (total * 0.8).toFixed(2);
    const all = await Promise.all([1, 2, 3].map(() => refund(order, { amount })));
    expect(all.filter(({ status }) => status === 201).length).toBeGreaterThan(1);
    expect(shop.moneyOf(order.id)?.refunded).toBeGreaterThan(shop.moneyOf(order.id)?.total ?? 0);
  });

  test('of an order that was never paid is made', async () => {
    const unpaid = orderWith(({ paidAt, method }) => paidAt === null && method === 'stripe');
    expect(await refund(unpaid, { amount: '1' })).toMatchObject({
      status: 201,
      json: { refunded_payment: true },
    });
  });

  test('through a gateway without refund support must state that it moves no money', async () => {
    const order = orderWith(({ method }) => method === 'bacs');
    expect(await refund(order, { amount: '1' })).toMatchObject({
      status: 500,
      json: { message: expect.stringContaining('does not support automatic refunds') },
    });
    expect(await refund(order, { amount: '1', api_refund: false })).toMatchObject({
      status: 201,
      json: { refunded_payment: false },
    });
  });

  test('that the gateway declines is deleted, and so is its ID', async () => {
    const order = paid();
    const before = Number((await refund(order, { amount: '1' })).json['id']);
    shop.refunds.decline('No');
    expect((await refund(order, { amount: '1' })).status).toBe(500);
    shop.refunds.decline(null);
    expect(Number((await refund(order, { amount: '1' })).json['id'])).toBeGreaterThan(before + 10);
    expect((await ask(`/orders/${order.id}/refunds`)).json).toHaveLength(2);
  });

  test('is deleted when a plugin throws after the gateway has paid, and the response looks like a failure', async () => {
    const order = paid();
    const before = shop.refunds.paidOut();
    shop.refunds.failOnceAfterPayment('No answer');
    expect(await refund(order, { amount: '1' })).toMatchObject({
      status: 500,
      json: { code: 'woocommerce_rest_cannot_create_order_refund', message: 'No answer' },
    });
    expect((await ask(`/orders/${order.id}/refunds`)).json).toEqual([]);
    expect(shop.refunds.paidOut()).toBe(before + 10_000);
  });

  test('restocks every line with a quantity unless it is disabled', async () => {
    const order = paid();
    const line = order.items[0]?.id ?? 0;
    const requested = { amount: '1', line_items: [{ id: line, quantity: 2, refund_total: 1 }] };
    await refund(order, { ...requested, api_restock: false });
    expect(shop.restocked(line)).toBe(0);
    await refund(order, requested);
    expect(shop.restocked(line)).toBe(2);
  });

  test('requires write keys and a user who may manage the shop', async () => {
    const as = ({ consumerKey, consumerSecret }: { consumerKey: string; consumerSecret: string }) =>
      `Basic ${Buffer.from(`${consumerKey}:${consumerSecret}`).toString('base64')}`;
    const path = `/orders/${paid().id}/refunds`;
    expect((await ask(path, { amount: '1' }, as(shop.keys.make('read')))).status).toBe(401);
    expect((await ask(path, undefined, as(shop.keys.make('read')))).status).toBe(200);
    expect((await ask(path, { amount: '1' }, as(shop.keys.make('read_write', false)))).status).toBe(403);
    expect((await ask(path, { amount: '1' }, 'Basic eDp5')).status).toBe(401);
  });
});

test('without TLS a key is accepted only as a one-time signature, and not as Basic credentials', async () => {
  const plain = await startWooCommerce();
  const { consumerKey, consumerSecret } = plain.keys.make('read');
  const authorization = `Basic ${Buffer.from(`${consumerKey}:${consumerSecret}`).toString('base64')}`;
  expect((await fetch(`${plain.url}${API}/orders`, { headers: { authorization } })).status).toBe(401);

  // Spelled out as in the documentation.
  const url = `${plain.url}${API}/orders`;
  const seconds = Math.floor(Date.now() / 1_000);
  const query = `oauth_consumer_key=${consumerKey}&oauth_nonce=once&oauth_signature_method=HMAC-SHA256&oauth_timestamp=${seconds}&per_page=2`;
  const base = `GET&${encodeURIComponent(url)}&${encodeURIComponent(query)}`;
  const signature = createHmac('sha256', `${consumerSecret}&`).update(base).digest('base64');
  const signed = `${url}?${query}&oauth_signature=${encodeURIComponent(signature)}`;
  expect((await fetch(signed)).status).toBe(200);
  expect((await fetch(signed)).status).toBe(401);
  expect((await fetch(signed.replace('per_page=2', 'per_page=3'))).status).toBe(401);
  await plain.close();
});

describe('the key authorization page', () => {
  let app: SimulatedServer;
  let status = 200;
  const posted: unknown[] = [];
  beforeAll(async () => {
    app = await startServer(({ body }) => {
      posted.push(body);
      return { status, json: {} };
    });
  });
  afterAll(() => app.close());

  const authorize = (more: Record<string, string> = {}, at = shop.url) =>
    fetch(
      `${at}/wc-auth/v1/authorize?${String(
        new URLSearchParams({
          app_name: 'App',
          scope: 'read_write',
          user_id: 'me',
          ...more,
          return_url: `${app.url}/back?state=1`,
          callback_url: `${app.url}/keys/2`,
        }),
      )}`,
    );
  const linkOf = async (page: Response, name: string) =>
    (new RegExp(`class="${name}" href="([^"]+)"`).exec(await page.text())?.[1] ?? '').replaceAll(
      '&amp;',
      '&',
    );

  test('posts the keys before it redirects back', async () => {
    const approved = await fetch(await linkOf(await authorize(), 'approve'), { redirect: 'manual' });
    expect(approved.headers.get('location')).toBe(`${app.url}/back?state=1&success=1&user_id=me`);
    expect(posted.at(-1)).toMatchObject({
      user_id: 'me',
      key_permissions: 'read_write',
      consumer_key: expect.stringMatching(/^ck_/),
    });
  });

  test('creates no keys when they cannot be delivered or the user denies', async () => {
    const before = shop.keys.all().length;
    const page = await authorize();
    expect(await linkOf(page.clone(), 'deny')).toContain('success=0');
    status = 500;
    expect((await fetch(await linkOf(page, 'approve'), { redirect: 'manual' })).status).toBe(401);
    status = 200;
    expect(shop.keys.all()).toHaveLength(before);
  });

  test('requires all its parameters, and TLS for the keys', async () => {
    expect((await authorize({ scope: 'everything' })).status).toBe(401);
    expect((await authorize({ app_name: '' })).status).toBe(401);
    const strict = await startWooCommerce();
    expect(await (await authorize({}, strict.url)).text()).toContain('needs to be over SSL');
    await strict.close();
  });
});

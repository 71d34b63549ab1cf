import { describe, expect, test } from '@jest/globals';
import type { WireResponse, WireRequest } from '../wire/exchange.js';
import { startBigCommerce } from './store.js';
import { bigCommerceStore, BIGCOMMERCE_SCOPES } from './store.js';

const TOKEN = 'let-me-in';
const tokens = { [TOKEN]: BIGCOMMERCE_SCOPES, reader: ['store_v2_orders_read_only'] };

function open(options: Parameters<typeof bigCommerceStore>[0] = {}) {
  const store = bigCommerceStore({ tokens, now: () => new Date('2026-11-22T12:00:00.000Z'), ...options });
  const call = (method: string, path: string, body?: unknown, token = TOKEN): WireResponse => {
    const url = new URL(`https://api.example/stores/${store.hash}${path}`);
    const request: WireRequest = {
      method,
      path: url.pathname,
      query: url.searchParams,
      body,
      headers: { 'x-auth-token': token },
    };
    return store.respond(request);
  };
  const actions = (id: number) => `/v3/orders/${id}/payment_actions`;
  return {
    store,
    get: (path: string, token?: string) => call('GET', path, undefined, token),
    quote: (id: number, body: unknown, token?: string) =>
      call('POST', `${actions(id)}/refund_quotes`, body, token),
    refund: (id: number, body: unknown) => call('POST', `${actions(id)}/refunds`, body),
  };
}

const ofOrder = (id: number, amount: number) => [{ item_type: 'ORDER', item_id: id, amount }];
const byCard = (amount: number) => [{ provider_id: 'braintree', amount, offline: false }];

describe('a caller', () => {
  test('needs a token of this store with the required scope', () => {
    const { get, quote } = open();
    expect(get('/v2/store', 'wrong').status).toBe(401);
    expect(get('/v2/orders', 'reader').status).toBe(200);
    expect(get('/v2/store', 'reader')).toMatchObject({ status: 403, json: [{ status: 403 }] });
    expect(quote(103, { items: ofOrder(103, 1) }, 'reader')).toMatchObject({
      status: 403,
      json: { status: 403 },
    });
  });

  test('receives the remaining shared quota and the time of its reset', () => {
    const { get } = open({ quota: 2 });
    expect(get('/v2/store').headers).toEqual({
      date: 'Sun, 22 Nov 2026 12:00:00 GMT',
      'x-rate-limit-requests-left': '1',
      'x-rate-limit-requests-quota': '2',
      'x-rate-limit-time-reset-ms': '30000',
      'x-rate-limit-time-window-ms': '30000',
    });
    get('/v2/store');
    expect(get('/v2/store').status).toBe(429);
  });
});

describe('orders', () => {
  test('are listed fifty per page by ID, and an empty response follows the last page', () => {
    const { get, store } = open();
    expect(get('/v2/orders?limit=2').json).toMatchObject([{ id: 100 }, { id: 101 }]);
    expect(get('/v2/orders?page=2')).toEqual({ status: 204, headers: expect.anything() });
    expect(get('/v2/orders?limit=251').status).toBe(400);
    const statuses = new Set(store.orders().map(({ statusId }) => statusId));
    expect([...statuses].sort((one, other) => one - other)).toEqual(
      Array.from({ length: 15 }, (_, id) => id),
    );
  });

  test('have money as strings with four decimals, and a refunded amount that is always zero', () => {
    const [order] = open().get('/v2/orders?min_id=105&max_id=105').json as Record<string, unknown>[];
    expect(order).toMatchObject({ status_id: 4, total_inc_tax: '27.5400', refunded_amount: '0.0000' });
    expect(order).toMatchObject({ date_created: 'Tue, 06 Oct 2026 08:00:00 +0000' });
  });

  test('contain lines only on request, in the requested shape', () => {
    const { get } = open();
    expect(get('/v2/orders/103').json).toMatchObject({
      consignments: { resource: '/orders/103/consignments' },
    });
    const query = 'include=consignments.line_items,fees&consignment_structure=object';
    expect(get(`/v2/orders/103?${query}`).json).toMatchObject({
      consignments: { shipping: [{ line_items: [{ quantity: 3 }] }] },
    });
    expect(get('/v2/orders/103?include=consignments').json).toMatchObject({
      consignments: [{ pickups: [] }],
    });
    expect(get('/v2/orders/999')).toMatchObject({ status: 404, json: [{ status: 404 }] });
  });
});

describe('a refund', () => {
  test('is rejected when it differs from the quote', () => {
    const { quote, refund, store } = open();
    const items = [{ item_type: 'PRODUCT', item_id: 1030, quantity: 1 }];
    expect(quote(103, { items })).toMatchObject({
      status: 201,
      json: { data: { total_refund_amount: 21.92, total_refund_tax_amount: 1.62, adjustment: 0 } },
    });
    expect(refund(103, { items, payments: byCard(21.91) })).toMatchObject({ status: 422 });
    expect(refund(103, { items })).toMatchObject({ status: 422 });
    expect(refund(103, { payments: byCard(21.92) })).toMatchObject({ status: 422 });
    expect(store.refunds.createdCount()).toBe(0);
    expect(refund(103, { items, payments: byCard(21.92) })).toMatchObject({
      status: 201,
      json: { data: { payments: [{ provider_id: 'braintree', amount: 21.92, is_declined: false }] } },
    });
    expect(store.truth(103).refunded).toBe(2192);
  });

  test('is made for every request while enough remains', () => {
    const { refund, store } = open();
    const requested = { items: ofOrder(103, 30), payments: byCard(30) };
    expect(
      [refund(103, requested), refund(103, requested), refund(103, requested)].map(({ status }) => status),
    ).toEqual([201, 201, 422]);
    expect(store.truth(103)).toMatchObject({ captured: 7117, refunded: 6000 });
  });

  test('is offered as store credit first, except to a guest', () => {
    const { quote, refund } = open();
    const { data } = quote(129, { items: ofOrder(129, 5) }).json as {
      data: { refund_methods: { provider_id: string }[][] };
    };
    expect(data.refund_methods.map((options) => options.map(({ provider_id: id }) => id))).toEqual([
      ['storecredit'],
      ['custom'],
      ['braintree'],
    ]);
    const credit = [{ provider_id: 'storecredit', amount: 5, offline: false }];
    expect(refund(103, { items: ofOrder(103, 5), payments: credit })).toMatchObject({
      status: 422,
      json: { data: [{ title: 'Unable to provide store credit for a guest customer.' }] },
    });
  });

  test('of items is limited to the order’s remainder, and the quote contains the adjustment', () => {
    const { quote, refund } = open();
    refund(130, { items: ofOrder(130, 20), payments: byCard(20) });
    expect(quote(130, { items: [{ item_type: 'PRODUCT', item_id: 1300, quantity: 1 }] })).toMatchObject({
      json: { data: { total_refund_amount: 10.24, adjustment: -14.6 } },
    });
  });

  test('is zero for an unpaid order', () => {
    expect(open().quote(118, { items: ofOrder(118, 1) })).toMatchObject({ status: 422 });
  });

  test('of a currency with three decimals loses the last one', () => {
    expect(open().quote(100, { items: ofOrder(100, 1.234) })).toMatchObject({
      json: { data: { total_refund_amount: 1.23, rounding: -0.004 } },
    });
  });

  test('is settled later: with a transaction, or declined', () => {
    const { get, refund, store } = open();
    const requested = { items: ofOrder(103, 10), payments: byCard(10) };
    const payments = () =>
      (
        get('/v3/orders/payment_actions/refunds?order_id:in=103,104').json as {
          data: { payments: object[] }[];
        }
      ).data.map((one) => one.payments[0]);
    refund(103, requested);
    expect(payments()[0]).not.toHaveProperty('transaction_id');
    store.refunds.settleAll();
    expect(payments()[0]).toHaveProperty('transaction_id', expect.stringMatching(/^\d+$/));
    refund(103, requested);
    store.refunds.declineAll('Closed account');
    expect(payments()).toMatchObject([
      { is_declined: false },
      { is_declined: true, declined_message: 'Closed account' },
    ]);
    expect(store.truth(103).refunded).toBe(1000);
  });

  test('fails only on the card when part of it is store credit', () => {
    const { get, refund, store } = open();
    const payments = [...byCard(18.73), { provider_id: 'storecredit', amount: 10, offline: false }];
    expect(refund(116, { items: ofOrder(116, 28.73), payments })).toMatchObject({ status: 201 });
    store.refunds.failAll();
    expect(store.truth(116)).toMatchObject({ refunded: 1000, asCredit: 1000 });
    expect(get('/v3/orders/116/transactions').json).toMatchObject({
      data: [
        { event: 'purchase', status: 'ok' },
        { event: 'refund', gateway: 'braintree', status: 'error' },
        { event: 'refund', gateway: 'storecredit', status: 'ok' },
      ],
    });
  });

  test.each([
    [true, 'Awaiting Fulfillment'],
    [false, 'Refunded'],
  ])('that is declined may restore the order status or keep it: %s', (takesStatusBack, status) => {
    const { get, refund, store } = open({ takesStatusBack });
    const { captured } = store.truth(131);
    refund(131, { items: ofOrder(131, captured / 100), payments: byCard(captured / 100) });
    expect(get('/v2/orders/131').json).toMatchObject({ status: 'Refunded' });
    store.refunds.declineAll();
    expect(get('/v2/orders/131').json).toMatchObject({ status });
  });

  test('has no transaction when the gateway records none', () => {
    const { get, refund, store } = open({ leavesTransactions: false });
    refund(103, { items: ofOrder(103, 10), payments: byCard(10) });
    store.refunds.settleAll();
    expect(get('/v3/orders/103/transactions').status).toBe(204);
    expect(store.truth(103).refunded).toBe(1000);
  });
});

test('a store is served over HTTP', async () => {
  const running = await startBigCommerce({ tokens });
  const requested = await fetch(`${running.url}/stores/${running.hash}/v2/store`, {
    headers: { 'x-auth-token': TOKEN },
  });
  expect(await requested.json()).toMatchObject({ id: running.hash, name: 'Kiln & Co' });
  expect(requested.headers.get('x-rate-limit-time-window-ms')).toBe('30000');
  await running.close();
});

import { expect, test } from '@jest/globals';
import type { WireRequest } from '../wire/exchange.js';
import { adobeStore, ALL_RESOURCES, type AdobeStore } from './store.js';

const now = () => new Date('2026-11-21T12:00:00.000Z');
const ask = (
  store: AdobeStore,
  method: string,
  path: string,
  more: { query?: string; body?: unknown } = {},
) =>
  store.respondAs(
    {
      method,
      path: `/rest/V1${path}`,
      query: new URLSearchParams(more.query),
      headers: {},
      body: more.body,
    } satisfies WireRequest,
    ALL_RESOURCES,
  );
const search = (store: AdobeStore, path: string, query: string) => {
  const { status, json } = ask(store, 'GET', path, { query });
  const found = json as { items: { entity_id: number; increment_id: string }[]; total_count: number };
  return { status, ids: found.items.map(({ entity_id: id }) => id), total: found.total_count };
};

test('a search without a page size returns everything, and one beyond the end returns the last page again', () => {
  const store = adobeStore({ now });
  const all = search(store, '/orders', 'searchCriteria=');
  expect(all.ids.length).toBe(all.total);
  const sorted =
    'searchCriteria[sortOrders][0][field]=entity_id&searchCriteria[sortOrders][0][direction]=ASC';
  const past = search(
    store,
    '/orders',
    `${sorted}&searchCriteria[pageSize]=10&searchCriteria[currentPage]=99`,
  );
  expect(past.ids.length).toBeGreaterThan(0);
  expect(past.ids.at(-1)).toBe(Math.max(...all.ids));
});

test('filters within a group are combined with OR, groups with AND, and both spellings are accepted', () => {
  const store = adobeStore({ now });
  const either = (at: number, id: number) =>
    `searchCriteria[filterGroups][0][filters][${at}][field]=entity_id&searchCriteria[filterGroups][0][filters][${at}][value]=${id}`;
  expect(search(store, '/orders', `${either(0, 1)}&${either(1, 2)}`).ids.sort()).toEqual([1, 2]);
  const and =
    '&searchCriteria[filter_groups][1][filters][0][field]=entity_id&searchCriteria[filter_groups][1][filters][0][value]=2,3&searchCriteria[filter_groups][1][filters][0][condition_type]=in';
  expect(search(store, '/orders', `${either(0, 1)}&${either(1, 2)}${and}`).ids).toEqual([2]);
});

test('a field that is not a column is a store error, and missing criteria are a client error', () => {
  const store = adobeStore({ now });
  const unknown = 'searchCriteria[filterGroups][0][filters][0][field]=email';
  expect(ask(store, 'GET', '/orders', { query: unknown }).status).toBe(500);
  expect(ask(store, 'GET', '/orders').status).toBe(400);
});

test('a refund without items refunds everything, and one with empty quantities refunds no items', () => {
  const store = adobeStore({ now });
  const order = store.orderNamed('taxed');
  const [invoice] = store.invoicesOf(order);
  const [cup] = order.items;
  const path = `/invoice/${invoice?.entity_id}/refund`;
  const little = {
    isOnline: true,
    items: [{ order_item_id: cup?.item_id, qty: 0 }],
    arguments: { shipping_amount: 0, adjustment_positive: 1.5 },
  };
  expect(ask(store, 'POST', path, { body: little }).status).toBe(200);
  expect(order.base_total_refunded).toBe(1.5);
  // An identical request creates a second refund.
  expect(ask(store, 'POST', path, { body: little }).status).toBe(200);
  expect(order.base_total_refunded).toBe(3);
  const everything = ask(store, 'POST', path, { body: { isOnline: true, items: [] } });
  expect(everything).toMatchObject({
    status: 400,
    json: { message: expect.stringContaining('The most money') },
  });
  const rest = { isOnline: true, items: [], arguments: { adjustment_negative: 3 } };
  expect(ask(store, 'POST', path, { body: rest }).status).toBe(200);
  expect([order.base_total_refunded, order.state]).toEqual([order.base_grand_total, 'closed']);
  const sent = store.gateway.sent().filter(({ orderId }) => orderId === order.entity_id);
  expect(sent.reduce((sum, { amount }) => sum + amount, 0)).toBeCloseTo(order.base_grand_total);
});

test('only the invoice endpoint with isOnline sends money, and it rejects methods that cannot', () => {
  const store = adobeStore({ now });
  const card = store.orderNamed('card');
  const before = store.gateway.sent().length;
  const body = {
    items: [{ order_item_id: card.items[0]?.item_id, qty: 0 }],
    arguments: { shipping_amount: 0, adjustment_positive: 1 },
  };
  expect(ask(store, 'POST', `/order/${card.entity_id}/refund`, { body }).status).toBe(200);
  expect(ask(store, 'POST', `/invoice/${store.invoicesOf(card)[0]?.entity_id}/refund`, { body }).status).toBe(
    200,
  );
  expect(store.gateway.sent()).toHaveLength(before);
  const cheque = store.orderNamed('cheque');
  const refused = ask(store, 'POST', `/invoice/${store.invoicesOf(cheque)[0]?.entity_id}/refund`, {
    body: { isOnline: true },
  });
  expect(refused).toMatchObject({ status: 400 });
  expect((refused.json as { message: string }).message).toContain(
    "We can't create creditmemo for the invoice.",
  );
});

const refundOf = (store: AdobeStore, name: Parameters<AdobeStore['orderNamed']>[0]) => {
  const order = store.order(name);
  const items = (qty: number) => order.items.map(({ item_id: id }) => ({ order_item_id: id, qty }));
  const refund = (qty: number, positive: number) =>
    ask(store, 'POST', `/invoice/${store.invoicesOf(order)[0]?.entity_id}/refund`, {
      body: {
        isOnline: true,
        items: items(qty),
        arguments: { shipping_amount: 0, adjustment_positive: positive },
      },
    }).status;
  const sent = () =>
    store.gateway
      .sent()
      .filter(({ orderId }) => orderId === order.entity_id)
      .map(({ amount }) => amount);
  return { refund, sent };
};

test('a unit is refunded with its fixed product tax, which exceeds its row total plus taxes', () => {
  const { refund, sent } = refundOf(adobeStore({ now }), 'fixedTax');
  expect(refund(0, 1)).toBe(200);
  expect(refund(1, 0)).toBe(200);
  expect(refund(1, 0)).toBe(400);
  expect(sent()).toEqual([1, 22.5]);
});

test('amounts paid by gift card, balance or points are returned there before money is sent', () => {
  for (const name of ['giftCard', 'storeCredit', 'points'] as const) {
    const { refund, sent } = refundOf(adobeStore({ now }), name);
    expect([refund(0, 4), refund(0, 8), refund(0, 5)]).toEqual([200, 200, 200]);
    expect(sent()).toEqual([2, 5]);
  }
});

test('wrapping is refunded with the first memo, regardless of its items', () => {
  const { refund, sent } = refundOf(adobeStore({ now }), 'wrapped');
  expect([refund(0, 4), refund(0, 4)]).toEqual([200, 200]);
  expect(sent()).toEqual([7, 4]);
});

test('a provider decline and a store failure after payment return the same error', () => {
  const store = adobeStore({ now });
  const order = store.orderNamed('card');
  const path = `/invoice/${store.invoicesOf(order)[0]?.entity_id}/refund`;
  const before = store.gateway.sent().length;
  store.gateway.declineNextRefund();
  const declined = ask(store, 'POST', path, { body: { isOnline: true } });
  store.gateway.failNextRefundAfterPayment();
  expect(ask(store, 'POST', path, { body: { isOnline: true } })).toEqual(declined);
  expect(store.gateway.sent()).toHaveLength(before + 1);
  expect([order.base_total_refunded, store.refunds.of(order)]).toEqual([0, []]);
});

test('an unauthorized token and an unknown one get the same response', () => {
  const store = adobeStore({ now, tokens: { some: ['Magento_Backend::store'] } });
  const request = (token: string): WireRequest => ({
    method: 'GET',
    path: '/rest/V1/orders',
    query: new URLSearchParams('searchCriteria='),
    headers: { authorization: `Bearer ${token}` },
    body: undefined,
  });
  expect(store.respond(request('some')).status).toBe(401);
  expect(store.respond(request('some'))).toEqual(store.respond(request('nobody')));
});

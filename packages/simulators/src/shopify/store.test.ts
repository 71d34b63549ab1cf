import { expect, test } from '@jest/globals';
import type { ShopifyAccess } from './access.js';
import { startShopify } from './store.js';
import { shopifyStore, type ShopifyOptions } from './store.js';

const ALL: ShopifyAccess = { scopes: ['write_orders', 'read_all_orders'], protectedData: true };
const TOKENS = { good: ALL };

interface Answered {
  readonly data?: { readonly [field: string]: unknown } | null;
  readonly errors?: readonly { readonly message: string; readonly extensions: { readonly code: string } }[];
  readonly extensions?: {
    readonly cost: { readonly requestedQueryCost: number; readonly actualQueryCost: number };
  };
}

function open(options: ShopifyOptions = {}) {
  let nowMs = Date.parse('2026-11-22T12:00:00Z');
  const store = shopifyStore({ now: () => new Date(nowMs), tokens: TOKENS, ...options });
  const ask = (query: string, variables: object = {}, token = 'good', version = '2026-10') =>
    store.respond({
      method: 'POST',
      path: `/admin/api/${version}/graphql.json`,
      query: new URLSearchParams(),
      headers: { 'x-shopify-access-token': token },
      body: { query, variables },
    });
  return {
    store,
    ask,
    json: (query: string, variables?: object) => ask(query, variables).json as Answered,
    pass: (hours: number) => void (nowMs += hours * 3_600_000),
  };
}

const REFUND = `mutation ($input: RefundInput!, $key: String!) {
  refundCreate(input: $input) @idempotent(key: $key) { refund { id } userErrors { message } }
}`;
const codeOf = ({ errors }: Answered) => errors?.[0]?.extensions.code;

/** A refund of the newest order's payment. */
function refunding({ store, json }: ReturnType<typeof open>, key: string) {
  const [order] = store.orders;
  const [payment] = order?.transactions ?? [];
  const orderId = `gid://shopify/Order/${order?.id ?? ''}`;
  const parentId = `gid://shopify/OrderTransaction/${payment?.id ?? ''}`;
  const gateway = payment?.gateway ?? '';
  return (amount: string, more: object = {}) =>
    json(REFUND, {
      key,
      input: {
        orderId,
        currency: 'EUR',
        transactions: [{ orderId, kind: 'REFUND', parentId, gateway, amount }],
        ...more,
      },
    }).data?.['refundCreate'] as { refund: { id: string } | null; userErrors: { message: string }[] };
}

test('an unknown token and an unknown version are rejected', () => {
  const { ask } = open();
  expect(ask('query { shop { name } }').status).toBe(200);
  expect(ask('query { shop { name } }', {}, 'stolen').status).toBe(401);
  expect(ask('query { shop { name } }', {}, 'good', '2019-04').status).toBe(404);
});

test('a document that the published schema rejects has no effect', () => {
  const { json } = open();
  expect(codeOf(json('query { orders(first: 1) { nodes { colour } } }'))).toBe('undefinedField');
  expect(codeOf(json('query {'))).toBe('BAD_REQUEST');
  expect(
    json('query ($n: Int!) { orders(first: $n) { nodes { id } } }', { n: 'three' }).data,
  ).toBeUndefined();
});

test('a refund without an idempotency key is rejected, although the schema allows it', () => {
  const opened = open();
  const { json, store } = opened;
  const response = json(REFUND.replace('@idempotent(key: $key)', '').replace(', $key: String!', ''), {
    input: { orderId: 'gid://shopify/Order/1' },
  });
  expect(codeOf(response)).toBe('BAD_REQUEST');
  expect(store.refunds.createdCount()).toBe(0);
});

test('a key makes one refund per day, is bound to its parameters, and is consumed by a rejection', () => {
  const opened = open();
  const once = refunding(opened, 'one');
  const first = once('1.00');
  expect(first.refund).not.toBeNull();
  expect(once('1.00')).toEqual(first);
  expect(once('2.00')).toMatchObject({
    refund: null,
    userErrors: [{ message: expect.stringContaining('different') }],
  });
  const twice = refunding(opened, 'two');
  expect(twice('9999.00').refund).toBeNull();
  expect(twice('9999.00').userErrors[0]?.message).toContain('new idempotency key');
  opened.pass(25);
  expect(once('1.00').refund).not.toEqual(first.refund);
  expect(opened.store.refunds.createdCount()).toBe(2);
});

test('a refund of zero is a note only', () => {
  const created = refunding(open(), 'note')('1.00', { transactions: [], note: 'called' });
  expect(created.userErrors).toEqual([]);
});

test.each([
  ['in the shop’s currency', '1.00', { currency: 'USD' }],
  ['without a currency', '1.00', { currency: null }],
  ['of a fraction of a cent', '1.001', {}],
  ['of zero', '0.00', {}],
  ['of more than was received', '9999.00', {}],
])('a refund %s is rejected', (_what, amount, more) => {
  const opened = open();
  expect(refunding(opened, 'no')(amount, more).refund).toBeNull();
  expect(opened.store.refunds.createdCount()).toBe(0);
});

test('a refund above the received amount succeeds with the explicit over-refund flag', () => {
  expect(refunding(open(), 'over')('9999.00', { allowOverRefunding: true }).refund).not.toBeNull();
});

test('a query has a cost, which is estimated in advance and corrected afterwards', () => {
  const { json } = open();
  expect(
    codeOf(json('query { orders(first: 250) { nodes { lineItems(first: 10) { nodes { id } } } } }')),
  ).toBe('MAX_COST_EXCEEDED');
  const { extensions } = json('query { orders(first: 100) { nodes { id customer { id } } } }');
  expect(extensions?.cost.requestedQueryCost).toBe(202);
  expect(extensions?.cost.actualQueryCost).toBeLessThan(202);
});

test('a client that spends points faster than they are restored is throttled', () => {
  const { json, pass } = open({ plan: { maximumAvailable: 300, restoreRate: 100 } });
  const query = 'query { orders(first: 100) { nodes { id shippingAddress { city } } } }';
  const codes = Array.from({ length: 5 }, () => codeOf(json(query)));
  expect(codes).toContain('THROTTLED');
  pass(1);
  expect(codeOf(json(query))).toBeUndefined();
});

test('no list can be paged deeper than Shopify’s limit', () => {
  const { json } = open({ paginationCap: 5 });
  const query = `query ($after: String) {
    orders(first: 4, after: $after) { nodes { id } pageInfo { endCursor hasNextPage } }
  }`;
  const page = (after?: string) =>
    json(query, { after }).data?.['orders'] as { nodes: unknown[]; pageInfo: { endCursor: string } };
  const second = page(page().pageInfo.endCursor);
  expect(second.nodes).toHaveLength(1);
  expect(codeOf(json(query, { after: second.pageInfo.endCursor }))).toBe('BAD_REQUEST');
});

test('a pending refund settles after the configured number of reads', () => {
  const opened = open({ slowGateways: ['shopify_payments'], settlesAfterReads: 2 });
  const { refund } = refunding(opened, 'slow')('1.00');
  const id = `gid://shopify/Order/${opened.store.orders[0]?.id ?? ''}`;
  const look = () => {
    const query =
      'query ($id: ID!) { order(id: $id) { refunds { transactions(first: 1) { nodes { status } } } } }';
    return JSON.stringify(opened.json(query, { id }).data);
  };
  expect(refund).not.toBeNull();
  expect(look()).toContain('PENDING');
  expect(look()).toContain('SUCCESS');
});

test('a store on a local port accepts requests with a token', async () => {
  const running = await startShopify({ tokens: TOKENS });
  const response = await fetch(`${running.url}/admin/api/2026-10/graphql.json`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-shopify-access-token': 'good' },
    body: JSON.stringify({ query: 'query { shop { myshopifyDomain } }' }),
  });
  expect(await response.json()).toMatchObject({ data: { shop: { myshopifyDomain: running.shop.domain } } });
  await running.close();
});

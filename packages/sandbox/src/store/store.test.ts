import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Sandbox } from '../sandbox.js';
import { startSandbox } from '../sandbox.js';
import type { TokenSet } from '../testing/test-client.js';
import { testClient } from '../testing/test-client.js';

interface OrderView {
  id: string;
  number: string;
  status: string;
  payment_status: string;
  currency: string;
  subtotal: number;
  discount_total: number;
  shipping_total: number;
  tax_total: number;
  total: number;
  captured_total: number;
  refunded_total: number;
  pending_refund_total: number;
  refundable_total: number;
  customer: object | null;
  line_items: {
    id: string;
    quantity: number;
    refunded_quantity: number;
    unit_price: number;
    discount: number;
    tax: number;
    total: number;
  }[];
  shipping_lines: { price: number; tax: number; total: number; refunded: number }[];
  payments: { id: string; online: boolean; captured: number; refundable: number; refunded: number }[];
  refunds: object[];
  created_at: string;
  updated_at: string;
}

const TODAY = new Date('2026-05-20T10:00:00.000Z');
let sandbox: Sandbox;
let client: ReturnType<typeof testClient>;
let shop: TokenSet;
let all: OrderView[];

beforeAll(async () => {
  sandbox = await startSandbox({ clock: () => TODAY });
  client = testClient(fetch, sandbox.url, 'store');
  shop = await client.connect('alder-oak');
  all = await walk('');
});
afterAll(() => sandbox.close());

const get = async (path: string) => (await client.call(shop, 'GET', path)).json();
const getOrder = async (id: string) => (await get(`/orders/${id}`)) as OrderView;
const refund = (id: string, body: object) => client.call(shop, 'POST', `/orders/${id}/refunds`, body);
const codeOf = async (response: Response) =>
  ((await response.json()) as { error: { code: string } }).error.code;

async function walk(query: string, limit = 100): Promise<OrderView[]> {
  const orders: OrderView[] = [];
  let token: string | null = null;
  do {
    const path: string = `/orders?limit=${limit}${query}${token === null ? '' : `&page_token=${token}`}`;
    const page = (await get(path)) as { data: OrderView[]; next_page_token: string | null };
    orders.push(...page.data);
    token = page.next_page_token;
  } while (token !== null);
  return orders;
}

const used = new Set<string>();
/** An order unused by other tests: one online payment, no refunds. */
function freshOrder(suits: (order: OrderView) => boolean = () => true): OrderView {
  const order = all.find(
    (known) =>
      !used.has(known.id) &&
      known.payment_status === 'paid' &&
      known.payments.length === 1 &&
      known.payments[0]?.online === true &&
      suits(known),
  );
  if (!order) throw new Error('the seed has no such order');
  used.add(order.id);
  return order;
}

function wholeOf(order: OrderView, amount = order.captured_total) {
  return { payment_id: order.payments[0]?.id, amount, currency: order.currency };
}

test('seeds orders in every currency and state, with consistent totals', () => {
  expect(all.length).toBeGreaterThan(200);
  expect(new Set(all.map((order) => order.currency))).toEqual(new Set(['EUR', 'USD', 'GBP', 'JPY', 'KWD']));
  expect(new Set(all.map((order) => order.status))).toEqual(new Set(['open', 'completed', 'cancelled']));
  expect(new Set(all.map((order) => order.payment_status))).toEqual(
    new Set([
      'pending',
      'authorized',
      'paid',
      'partially_paid',
      'partially_refunded',
      'refunded',
      'voided',
      'failed',
    ]),
  );
  expect(all.some((order) => order.customer === null)).toBe(true);
  expect(all.some((order) => order.payments.length === 2)).toBe(true);
  const sum = (amounts: number[]) => amounts.reduce((total, amount) => total + amount, 0);
  for (const order of all) {
    expect(order.total).toBe(order.subtotal - order.discount_total + order.shipping_total + order.tax_total);
    expect(order.total).toBe(sum([...order.line_items, ...order.shipping_lines].map((line) => line.total)));
    for (const line of order.line_items)
      expect(line.total).toBe(line.quantity * line.unit_price - line.discount + line.tax);
    expect(order.captured_total).toBe(sum(order.payments.map((payment) => payment.captured)));
    expect(order.captured_total).toBeLessThanOrEqual(order.total);
    expect(order.refundable_total).toBe(order.captured_total - order.refunded_total);
    expect(order.updated_at >= order.created_at).toBe(true);
    expect(order.updated_at <= TODAY.toISOString()).toBe(true);
  }
});

test('seeds the same orders for the same seed and day, and others for another seed', async () => {
  const ordersWith = async (seed: number) => {
    const other = await startSandbox({ seed, clock: () => TODAY });
    const there = testClient(fetch, other.url, 'store');
    const text = await (
      await there.call(await there.connect('alder-oak'), 'GET', '/orders?limit=100')
    ).text();
    await other.close();
    return text.replaceAll(other.url, '');
  };
  const [first, again, another] = [await ordersWith(1), await ordersWith(1), await ordersWith(2)];
  expect(again).toBe(first);
  expect(another).not.toBe(first);
});

test('lists every order once in each sort', async () => {
  for (const sort of ['created_at', '-created_at', 'updated_at', '-updated_at'] as const) {
    const orders = await walk(`&sort=${sort}`, 37);
    expect(new Set(orders.map(({ id }) => id)).size).toBe(all.length);
    const field = sort.endsWith('updated_at') ? 'updated_at' : 'created_at';
    const moments = orders.map((order) => order[field]);
    expect(moments).toEqual(sort.startsWith('-') ? moments.toSorted().reverse() : moments.toSorted());
  }
});

test('applies known filters and ignores unknown ones', async () => {
  const some = all[100]!;
  expect((await walk(`&number=${some.number}`)).map(({ id }) => id)).toEqual([some.id]);
  const since = await walk(`&created_after=${some.created_at}`);
  expect(since).toEqual(all.filter((order) => order.created_at >= some.created_at));
  const until = await walk(`&created_before=${some.created_at}`);
  expect(since.length + until.length).toBe(all.length);
  const states = await walk('&payment_status=refunded,voided&status=cancelled');
  expect(states).toEqual(
    all.filter(
      ({ payment_status: is, status }) => (is === 'refunded' || is === 'voided') && status === 'cancelled',
    ),
  );
  expect(await walk('&email=nobody@example.com&min_total=999999999')).toHaveLength(all.length);
  expect(await codeOf(await client.call(shop, 'GET', '/orders?status=lost'))).toBe('filter_invalid');
  expect(await codeOf(await client.call(shop, 'GET', '/orders?limit=101'))).toBe('limit_invalid');
  expect(await codeOf(await client.call(shop, 'GET', '/orders?page_token=x'))).toBe('page_token_invalid');
});

test('shows a shop no data of another shop', async () => {
  const other = await client.connect('kumo-paper');
  const order = freshOrder();
  expect((await client.call(other, 'GET', `/orders/${order.id}`)).status).toBe(404);
  expect((await client.call(other, 'POST', `/orders/${order.id}/refunds`, wholeOf(order))).status).toBe(404);
});

test('refunds the requested amount for each request, and lists it by its reference', async () => {
  const order = freshOrder((known) => known.captured_total > 300 && known.line_items[0]!.quantity > 1);
  const body = {
    ...wholeOf(order, 100),
    line_items: [{ id: order.line_items[0]!.id, quantity: 1 }],
    reason: 'Damaged',
    reference: 'rfn_1',
    notify: false,
  };
  const created = [await (await refund(order.id, body)).json(), await (await refund(order.id, body)).json()];
  expect(created[0]).toMatchObject({
    status: 'succeeded',
    money_moved: true,
    amount: 100,
    reference: 'rfn_1',
    customer_notified: false,
  });
  expect(((await get(`/orders/${order.id}/refunds`)) as { data: object[] }).data).toEqual(created);
  expect(await getOrder(order.id)).toMatchObject({
    payment_status: 'partially_refunded',
    refunded_total: 200,
    refundable_total: order.captured_total - 200,
  });
  expect((await getOrder(order.id)).line_items[0]?.refunded_quantity).toBe(2);
  expect(sandbox.ledger.entries({ effect: 'refund.created', reference: 'rfn_1' })).toHaveLength(2);
});

test('rejects a refund above the captured amount, also under concurrency', async () => {
  const order = freshOrder();
  expect(await codeOf(await refund(order.id, wholeOf(order, order.captured_total + 1)))).toBe(
    'amount_exceeds_refundable',
  );
  const answers = await Promise.all(Array.from({ length: 10 }, () => refund(order.id, wholeOf(order))));
  expect(answers.map((reply) => reply.status).sort()).toEqual([201, ...Array.from({ length: 9 }, () => 422)]);
  expect(await getOrder(order.id)).toMatchObject({
    payment_status: 'refunded',
    refundable_total: 0,
    refunded_total: order.captured_total,
  });
});

test('over-refunds concurrent requests in lax mode, and not sequential ones', async () => {
  sandbox.control.changeSettings({ lax_over_refund: true, lax_window_ms: 60 });
  const order = freshOrder();
  const answers = await Promise.all([refund(order.id, wholeOf(order)), refund(order.id, wholeOf(order))]);
  expect(answers.map((reply) => reply.status)).toEqual([201, 201]);
  expect(await getOrder(order.id)).toMatchObject({
    refunded_total: order.captured_total * 2,
    refundable_total: 0,
  });
  expect(await codeOf(await refund(order.id, wholeOf(order, 1)))).toBe('amount_exceeds_refundable');
  sandbox.control.changeSettings({ lax_over_refund: false });
});

test.each([
  ['payment_not_found', { payment_id: 'pay_none' }],
  ['amount_invalid', { amount: 0 }],
  ['amount_invalid', { amount: 1.5 }],
  ['amount_invalid', { amount: '10' }],
  ['currency_mismatch', { currency: 'CHF' }],
  ['line_item_not_found', { line_items: [{ id: 'li_none', quantity: 1 }] }],
  ['field_invalid', { line_items: 'all' }],
  ['shipping_exceeds_refundable', { shipping: 10_000_000 }],
  ['offline_not_possible', { offline: true }],
  ['reference_invalid', { reference: 'r'.repeat(101) }],
  ['field_invalid', { restock: 'yes' }],
])('rejects with %s and moves nothing: %j', async (code, change) => {
  const order = all.find(
    ({ payment_status: is, payments }) => is === 'paid' && payments.length === 1 && payments[0]?.online,
  )!;
  const before = sandbox.ledger.entries().length;
  const response = await refund(order.id, { ...wholeOf(order, 1), ...change });
  expect([response.status, await codeOf(response)]).toEqual([422, code]);
  expect(sandbox.ledger.entries()).toHaveLength(before);
});

test('rejects more of a line than was bought, including earlier refunds', async () => {
  const order = freshOrder((known) => known.captured_total > 10);
  const line = order.line_items[0]!;
  const body = { ...wholeOf(order, 1), line_items: [{ id: line.id, quantity: line.quantity }] };
  expect((await refund(order.id, body)).status).toBe(201);
  expect(await codeOf(await refund(order.id, body))).toBe('quantity_exceeds_refundable');
});

test('rejects a payment that was never captured', async () => {
  const order = all.find(({ payment_status: is }) => is === 'authorized')!;
  expect(await codeOf(await refund(order.id, wholeOf(order, 1)))).toBe('payment_not_captured');
});

test('records the refund of an offline payment only with the offline flag, and moves no money', async () => {
  const order = all.find(
    ({ payment_status: is, payments }) => is === 'paid' && payments.length === 1 && !payments[0]?.online,
  )!;
  expect(await codeOf(await refund(order.id, wholeOf(order)))).toBe('offline_required');
  const response = await refund(order.id, { ...wholeOf(order), offline: true });
  expect(await response.json()).toMatchObject({ status: 'succeeded', offline: true, money_moved: false });
});

test.each([
  ['succeeded', true],
  ['failed', false],
] as const)('keeps a refund pending until it settles as %s', async (outcome, money_moved) => {
  sandbox.control.changeSettings({ refund_settle_seconds: 30, refund_settle_outcome: outcome });
  const order = freshOrder();
  const created = (await (await refund(order.id, wholeOf(order))).json()) as { id: string };
  expect(created).toMatchObject({ status: 'pending', money_moved: false, settled_at: null });
  expect(await getOrder(order.id)).toMatchObject({
    payment_status: 'paid',
    pending_refund_total: order.captured_total,
    refundable_total: 0,
  });
  sandbox.control.advanceClock(31);
  expect(await getOrder(order.id)).toMatchObject({
    payment_status: money_moved ? 'refunded' : 'paid',
    refundable_total: money_moved ? 0 : order.captured_total,
    refunds: [{ id: created.id, status: outcome, money_moved }],
  });
  sandbox.control.resetClock();
  sandbox.control.changeSettings({ refund_settle_seconds: 0, refund_settle_outcome: 'succeeded' });
});

test('shows orders and one order with its refunds as pages', async () => {
  const order = all.find(({ payment_status: is }) => is === 'partially_refunded')!;
  expect(await (await fetch(`${sandbox.url}/store/orders`)).text()).toContain('Alder &#38; Oak');
  expect(await (await fetch(`${sandbox.url}/store/orders/${order.id}`)).text()).toContain(
    `Order #${order.number}`,
  );
});

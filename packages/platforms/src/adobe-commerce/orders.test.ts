import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Result } from '@switchboard/domain';
import type { RemoteOrder } from '@switchboard/domain/orders';
import type { OrderSort, Session } from '@switchboard/domain/ports';
import { withChangedResponses } from '@switchboard/platform-kit/testing/with-changed-responses';
import { testSession } from '@switchboard/platform-kit/testing/session';
import { connecting } from './connecting.js';
import { orders } from './orders.js';
import { startWorld } from './testing/world.js';

let world: Awaited<ReturnType<typeof startWorld>>;
let session: Session;
beforeAll(async () => {
  world = await startWorld();
  session = testSession(world);
});
afterAll(() => world.close());

const value = <Value>(result: Result<Value>): Value => {
  if (!result.ok) throw new Error(JSON.stringify(result.failure));
  return result.value;
};
type SeedName = Parameters<Awaited<ReturnType<typeof startWorld>>['store']['orderNamed']>[0];
const seeded = async (name: SeedName): Promise<RemoteOrder> => {
  const found = value(await orders.get(session, String(world.store.orderNamed(name).entity_id)));
  if (!found) throw new Error('there is no such order');
  return found;
};

test.each<[SeedName, RemoteOrder['status'], RemoteOrder['paymentStatus'], RemoteOrder['fulfillmentStatus']]>([
  ['card', 'open', 'paid', 'unfulfilled'],
  ['cheque', 'open', 'paid', 'unfulfilled'],
  ['unpaid', 'open', 'pending', 'unfulfilled'],
  ['authorized', 'open', 'authorized', 'unfulfilled'],
  ['pendingPayment', 'open', 'pending', 'unfulfilled'],
  ['canceled', 'cancelled', 'voided', 'unfulfilled'],
  ['held', 'open', 'paid', 'unfulfilled'],
  ['ownStatus', 'open', 'paid', 'unfulfilled'],
  ['virtual', 'completed', 'paid', 'fulfilled'],
  ['free', 'open', 'paid', 'unfulfilled'],
  ['partlyInvoiced', 'open', 'partially_paid', 'unfulfilled'],
  ['partlyRefunded', 'open', 'partially_refunded', 'unfulfilled'],
  ['refunded', 'completed', 'refunded', 'unfulfilled'],
  ['shippedComplete', 'completed', 'paid', 'fulfilled'],
])('%s is read as %s, %s, %s', async (name, status, paymentStatus, fulfillmentStatus) => {
  expect(await seeded(name)).toMatchObject({ status, paymentStatus, fulfillmentStatus });
});

test('keeps the store’s own status text: a status may be any text, the state determines the mapping', async () => {
  expect((await seeded('ownStatus')).rawStatus).toBe('processing/awaiting_pick');
});

test('a configurable product is one line; a bundle whose parts have prices is its parts', async () => {
  expect((await seeded('configurable')).lines).toMatchObject([
    { sku: 'SHIRT-M', quantity: 2, total: { amountMinor: 5_000 } },
    { sku: 'SOCKS' },
  ]);
  expect((await seeded('bundle')).lines.map(({ sku }) => sku)).toEqual(['DESK', 'CHAIR']);
});

test('goods sold by weight are one line without refundable units', async () => {
  const [rice] = (await seeded('byWeight')).lines;
  expect(rice).toMatchObject({ quantity: 1, refundableQuantity: 0, total: { amountMinor: 800 } });
});

test('only what was invoiced can be refunded', async () => {
  expect((await seeded('partlyInvoiced')).lines).toMatchObject([{ quantity: 10, refundableQuantity: 4 }]);
});

test('lists every refund, whether Switchboard or the store created it; one that was only recorded reduces the remainder', async () => {
  const refunded = await seeded('refunded');
  expect(refunded.refunds).toMatchObject([
    { status: 'succeeded', reference: null, reason: 'Arrived broken', moneyMoved: true },
  ]);
  const booked = await seeded('bookedRefund');
  expect(booked.refunds).toMatchObject([{ moneyMoved: false, amount: { amountMinor: 1_000 } }]);
  expect(booked.totals.refundable.amountMinor).toBe(2_500);
  expect(booked.payments).toMatchObject([
    { refundableOnline: true, captured: { amountMinor: 3_500 }, refundable: { amountMinor: 2_500 } },
  ]);
});

test('the refundable amount of an order is the sum of its payments’', async () => {
  // Recorded on the order: Magento does not report for which of its invoices.
  const [sofa] = world.store.orderNamed('twoInvoices').items;
  const items = [{ order_item_id: sofa?.item_id, qty: 1 }];
  world.store.refundInAdmin('twoInvoices', { items, arguments: { shipping_amount: 5 } }, false);
  const { orders: some } = value(await orders.list(session, { sort: 'created_at' }, { limit: 100 }));
  expect(some.length).toBeGreaterThan(25);
  for (const { totals, payments } of some) {
    const remaining = payments.reduce((sum, { refundable }) => sum + refundable.amountMinor, 0);
    expect(remaining).toBe(totals.refundable.amountMinor);
  }
});

test.each<OrderSort>(['-created_at', 'created_at'])(
  'no order is lost or listed twice while others arrive, sorted by %s',
  async (sort) => {
    const before = value(await orders.list(session, { sort }, { limit: 100 })).orders;
    const seen: string[] = [];
    let token: string | undefined;
    do {
      const page = value(await orders.list(session, { sort }, { limit: 3, token }));
      seen.push(...page.orders.map(({ externalId }) => externalId));
      token = page.next;
      if (seen.length < 20) world.store.order('card');
    } while (token !== undefined);
    expect(new Set(seen).size).toBe(seen.length);
    expect(seen).toEqual(expect.arrayContaining(before.map(({ externalId }) => externalId)));
  },
);

test('states a page size in every search, since Magento returns everything otherwise', () => {
  const searches = world.exchanges().filter(({ query }) => [...query.keys()].length > 0);
  expect(searches.length).toBeGreaterThan(10);
  for (const { query } of searches) {
    expect(Number(query.get('searchCriteria[pageSize]'))).toBeGreaterThan(0);
    expect(query.get('searchCriteria[currentPage]')).toBe('1');
  }
});

test('continues after the last order with any filters, in no more filter groups than a signature supports', async () => {
  const [from, to] = [new Date('2026-01-01'), new Date('2027-01-01')];
  const query = {
    sort: 'created_at',
    statuses: ['open'],
    createdAfter: from,
    createdBefore: to,
    updatedAfter: from,
    updatedBefore: to,
    currency: 'EUR',
    minTotalMinor: 1,
    maxTotalMinor: 10_000_000,
    number: '000000001',
  } as const;
  value(await orders.list(session, query, { limit: 1, token: '2026-10-01 08:00:00|1' }));
  const names = [
    ...(world
      .exchanges()
      .filter(({ path }) => path.endsWith('/orders'))
      .at(-1)
      ?.query.keys() ?? []),
  ];
  const groups = new Set(names.flatMap((name) => /filterGroups\]\[(\d+)/.exec(name)?.[1] ?? []));
  expect(groups.size).toBe(10);
  expect(names.filter((name) => name.includes('[filters][1]'))).toHaveLength(3);
});

test('finds a number with the sign that people write before it', async () => {
  const order = await seeded('guest');
  const query = { sort: '-created_at', number: `#${order.number}` } as const;
  const found = value(await orders.list(session, query, { limit: 5 })).orders;
  expect(found.map(({ externalId }) => externalId)).toEqual([order.externalId]);
});

test('an email is not a filter of the store’s, which matches the customer’s address and not the billing address', async () => {
  expect(orders.filters).not.toContain('email');
  const before = world.exchanges().length;
  value(await orders.list(session, { sort: '-created_at', email: 'buyer1@example.test' }, { limit: 5 }));
  const requested = world
    .exchanges()
    .slice(before)
    .flatMap(({ query }) => [...query.values()]);
  expect(requested).toContain('created_at');
  expect(requested.join()).not.toContain('email');
});

test('keeps bounds between two seconds', async () => {
  const { createdAt } = await seeded('card');
  const between = new Date(createdAt.getTime() + 500);
  const list = async (more: object) =>
    value(await orders.list(session, { sort: 'created_at', ...more }, { limit: 100 })).orders;
  expect((await list({ createdBefore: between })).every((one) => one.createdAt <= createdAt)).toBe(true);
  expect((await list({ createdBefore: between })).length).toBeGreaterThan(0);
  expect((await list({ createdAfter: between })).every((one) => one.createdAt > createdAt)).toBe(true);
});

test('finds the API if the path of a store view was typed too', async () => {
  const below = { ...session, baseUrl: `${world.baseUrl}/rest/default` };
  const typed = testSession({ ...world, baseUrl: below.baseUrl });
  expect(value(await orders.list(typed, { sort: 'created_at' }, { limit: 1 })).orders).toHaveLength(1);
  const [account] = value(await connecting.identify(typed));
  expect(account?.id).toBe(new URL(world.baseUrl).host);
});

type Row = Record<string, unknown>;
/** The list, with some of the requested rows in another format. */
async function listing(place: string, fits: (row: Row) => boolean, change: Row, limit = 100) {
  const changed = withChangedResponses(
    session,
    ({ path }) => path.endsWith(place),
    (body: { items: Row[] }) => {
      body.items.filter(fits).forEach((row) => Object.assign(row, change));
      return body;
    },
  );
  const found: RemoteOrder[] = [];
  const notes = new Set<string>();
  let token: string | undefined;
  do {
    const listed = value(await orders.list(changed, { sort: 'created_at' }, { limit, token }));
    found.push(...listed.orders);
    listed.notes?.forEach((note) => notes.add(note));
    token = listed.next;
  } while (token !== undefined);
  return { found, notes: [...notes] };
}
const all = async () => (await listing('/none', () => false, {})).found;

test.each<[string, string, Row]>([
  ['an amount is not a number', '/orders', { base_grand_total: 'much' }],
  ['its number is null', '/orders', { increment_id: null }],
  ['a credit memo has no total', '/creditmemos', { base_grand_total: null }],
  ['a credit memo has no time', '/creditmemos', { created_at: null }],
  ['an invoice has no items', '/invoices', { items: null }],
])('one unreadable order does not fail its page: %s', async (_name, place, change) => {
  const { externalId } = await seeded('partlyRefunded');
  const complete = await all();
  const fits = (row: Row) => String(place === '/orders' ? row['entity_id'] : row['order_id']) === externalId;
  for (const limit of [3, 100]) {
    const listed = await listing(place, fits, change, limit);
    expect(listed.found.map((one) => one.externalId)).toEqual(
      complete.map((one) => one.externalId).filter((id) => id !== externalId),
    );
    expect(listed.notes).toEqual(['orders.unreadable']);
  }
});

test.each([null, undefined, 9])(
  'a credit memo of the state %p has not succeeded, and its amount is not refundable',
  async (state) => {
    const before = await all();
    const { found } = await listing('/creditmemos', () => true, { state });
    const refunded = before.filter(({ refunds }) => refunds.length > 0);
    expect(refunded.length).toBeGreaterThan(1);
    for (const order of refunded) {
      const after = found.find(({ externalId }) => externalId === order.externalId);
      expect(after?.refunds.map(({ status }) => status)).toEqual(order.refunds.map(() => 'pending'));
      expect(after?.totals.refundable.amountMinor).toBeLessThanOrEqual(order.totals.refundable.amountMinor);
    }
  },
);

test('an order without a refunded total is read from its credit memos', async () => {
  const before = await all();
  const { found } = await listing('/orders', () => true, { base_total_refunded: null });
  for (const order of before.filter(({ refunds }) => refunds.length > 0)) {
    expect(found.find(({ externalId }) => externalId === order.externalId)).toMatchObject({
      paymentStatus: order.paymentStatus,
      totals: { refunded: order.totals.refunded, refundable: order.totals.refundable },
    });
  }
});

test('an order in yen with fractions has no more refundable than captured (finding 33)', async () => {
  const inYen = (json: unknown): unknown =>
    JSON.parse(JSON.stringify(json), (name, one: unknown) => {
      if (name === 'base_currency_code') return 'JPY';
      return ['base_grand_total', 'base_total_paid'].includes(name) ? 1000.6 : one;
    });
  const changed = withChangedResponses(session, () => true, inYen);
  const order = value(await orders.get(changed, String(world.store.orderNamed('card').entity_id)));
  const whole = { amountMinor: 1000, currency: 'JPY' };
  expect(order).toMatchObject({
    paymentStatus: 'paid',
    totals: { captured: whole, refundable: whole },
    payments: [{ captured: whole, refundable: whole }],
  });
});

test('shipments are read with the order, in a list too, with carrier, number and lines', async () => {
  const order = await seeded('shippedComplete');
  const expected = [
    {
      id: expect.any(String),
      status: 'shipped',
      carrier: 'United Parcel Service',
      trackingNumber: expect.stringMatching(/^1Z\d+$/),
      trackingUrl: null,
      lineItems: order.lines.map(({ id, quantity }) => ({ id, quantity })),
      createdAt: expect.any(Date),
    },
  ];
  expect(order.shipments).toEqual(expected);
  const { orders: listed } = value(await orders.list(session, { sort: 'created_at' }, { limit: 100 }));
  expect(listed.find(({ externalId }) => externalId === order.externalId)?.shipments).toEqual(expected);
  expect((await seeded('card')).shipments).toEqual([]);
});

test('shipments that the integration may not read are null, and the order is readable', async () => {
  const id = String(world.store.orderNamed('shippedComplete').entity_id);
  const denied = withChangedResponses(
    session,
    ({ path }) => path.endsWith('/shipments'),
    () => ({
      message: "The consumer isn't authorized to access %resources.",
      parameters: { resources: 'Magento_Sales::shipment' },
    }),
    401,
  );
  expect(value(await orders.get(denied, id))?.shipments).toBeNull();
});

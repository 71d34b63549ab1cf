import { afterEach, describe, expect, test } from '@jest/globals';
import type { RemoteOrder } from '@switchboard/domain/orders';
import type { OrderQuery, Orders } from '@switchboard/domain/ports';
import type { ShopifyAccess, ShopifyOptions } from '@switchboard/simulators';
import { withChangedResponses } from '@switchboard/platform-kit/testing/with-changed-responses';
import { testSession } from '@switchboard/platform-kit/testing/session';
import { orders, createOrders } from './orders.js';
import { EVERYTHING, startWorld } from './testing/world.js';

let world: Awaited<ReturnType<typeof startWorld>>;
afterEach(() => world.close());

const start = async (options: ShopifyOptions = {}, access: Partial<ShopifyAccess> = {}) =>
  (world = await startWorld(options, { ...EVERYTHING, ...access }));

async function page(query: OrderQuery, limit = 50, token?: string, from: Orders = orders) {
  const listed = await from.list(testSession(world), query, { limit, token });
  if (!listed.ok) throw new Error(JSON.stringify(listed.failure));
  return listed.value;
}

async function everything(query: OrderQuery, limit = 50, from: Orders = orders): Promise<RemoteOrder[]> {
  const found: RemoteOrder[] = [];
  let token: string | undefined;
  do {
    const { orders: some, next } = await page(query, limit, token, from);
    found.push(...some);
    token = next;
  } while (token !== undefined);
  return found;
}

const newest: OrderQuery = { sort: '-created_at' };
const numbers = (some: readonly RemoteOrder[]) => some.map(({ number }) => number);
const minor = (order: RemoteOrder) =>
  Object.fromEntries(Object.entries(order.totals).map(([name, { amountMinor }]) => [name, amountMinor]));

/** The seeded orders are numbered downward from the newest, #1044, and are in the order of their kinds. */
async function seeded(number: number): Promise<RemoteOrder> {
  const [found] = (await page({ ...newest, number: `#${number}` })).orders;
  if (!found) throw new Error(`there is no order #${number}`);
  return found;
}

describe('what an app does not receive', () => {
  test('orders before the last sixty days are left out, and the list notes it', async () => {
    await start({}, { scopes: ['write_orders', 'read_customers'] });
    expect(await everything(newest)).toHaveLength(40);
    expect((await page(newest)).notes).toEqual(['orders.history_limited']);
  });

  test('an app that may read all orders receives all, without a note', async () => {
    await start();
    expect(await everything(newest)).toHaveLength(44);
    expect((await page(newest)).notes).toEqual([]);
  });

  test('customer data for which the app is not approved is null, and the order is listed', async () => {
    await start({}, { protectedData: false });
    const order = await seeded(1_044);
    expect(order).toMatchObject({
      customer: { name: null, email: null },
      emails: [],
      shippingAddress: { name: null, line1: null, postalCode: null, city: 'Lyon', country: 'FR' },
      totals: { total: { amountMinor: 4_575, currency: 'EUR' } },
    });
    expect(order.lines).toHaveLength(2);
  });

  test('without the scope for customers only they are missing', async () => {
    await start({}, { scopes: ['read_orders'] });
    expect(await seeded(1_044)).toMatchObject({
      customer: { id: null, name: 'Ada Buyer', email: 'buyer44@example.test' },
    });
  });
});

describe('money', () => {
  test('is the customer’s, exactly, in currencies without decimals and with three', async () => {
    await start();
    expect(minor(await seeded(1_044))).toMatchObject({
      discount: 100,
      shipping: 499,
      total: 4_575,
    });
    const [yen, dinar] = [await seeded(1_041), await seeded(1_040)];
    expect(yen).toMatchObject({
      currency: 'JPY',
      totals: { total: { amountMinor: 4_563, currency: 'JPY' } },
    });
    expect(dinar).toMatchObject({
      currency: 'KWD',
      totals: { total: { amountMinor: 4_559, currency: 'KWD' } },
    });
  });

  test('tax that is not in the prices is in the total', async () => {
    await start();
    expect(minor(await seeded(1_042))).toMatchObject({
      shipping: 499,
      tax: 702,
      total: 5_269,
    });
  });

  test('every payment is separate, with its own remainder', async () => {
    await start();
    const { payments, totals } = await seeded(1_043);
    expect(payments).toMatchObject([
      { gateway: 'gift_card', captured: { amountMinor: 1_500 }, refundable: { amountMinor: 1_500 } },
      { gateway: 'shopify_payments', captured: { amountMinor: 3_071 }, refundableOnline: true },
    ]);
    expect(totals.captured).toEqual(totals.total);
  });

  test('only the captured part of an authorization is refundable', async () => {
    await start();
    expect(await seeded(1_036)).toMatchObject({
      paymentStatus: 'authorized',
      payments: [],
      totals: { captured: { amountMinor: 0 }, refundable: { amountMinor: 0 } },
    });
    const { totals, payments, paymentStatus } = await seeded(1_035);
    expect(paymentStatus).toBe('partially_paid');
    expect(totals.refundable.amountMinor).toBe(totals.total.amountMinor - 1_000);
    expect(payments).toHaveLength(1);
  });

  test('a bank deposit and cash cannot be refunded through the store, and change does not count', async () => {
    await start();
    expect((await seeded(1_032)).payments).toMatchObject([
      { gateway: 'Bank Deposit', refundableOnline: false },
    ]);
    const cash = await seeded(1_025);
    expect(cash.payments).toMatchObject([{ gateway: 'cash', refundableOnline: false }]);
    expect(cash.totals.captured).toEqual(cash.totals.total);
  });

  test('refunds made in Shopify’s admin are listed, with their note', async () => {
    await start();
    expect(await seeded(1_039)).toMatchObject({
      paymentStatus: 'partially_refunded',
      totals: { refunded: { amountMinor: 500 } },
      refunds: [{ status: 'succeeded', reason: 'Arrived broken', reference: null, moneyMoved: true }],
    });
    expect(minor(await seeded(1_038))).toMatchObject({ refundable: 0 });
  });
});

test('parts that exceed the order’s response are fetched', async () => {
  await start();
  const [lines, refunds] = [await seeded(1_030), await seeded(1_029)];
  expect(new Set(lines.lines.map(({ id }) => id)).size).toBe(23);
  expect(lines.payments).toHaveLength(12);
  expect(lines.totals.captured).toEqual(lines.totals.total);
  expect(refunds.refunds).toHaveLength(7);
  expect(refunds.totals.refunded.amountMinor).toBe(175);
  expect(refunds.refunds.every(({ status }) => status === 'succeeded')).toBe(true);
});

test('a refund without a creation time has the time of its processing', async () => {
  await start();
  const { refunds, createdAt } = await seeded(1_029);
  expect(refunds.map((refund) => refund.createdAt)).toEqual(refunds.map(() => createdAt));
});

test('statuses are mapped, and Shopify’s own are kept', async () => {
  await start();
  expect(await seeded(1_034)).toMatchObject({
    status: 'cancelled',
    paymentStatus: 'voided',
    rawStatus: 'VOIDED/PARTIALLY_FULFILLED',
  });
  expect(await seeded(1_028)).toMatchObject({
    status: 'open',
    paymentStatus: 'paid',
    rawStatus: expect.stringMatching(/\/TEST$/),
  });
  expect(await seeded(1_027)).toMatchObject({ status: 'completed', fulfillmentStatus: 'fulfilled' });
  expect(await seeded(1_026)).toMatchObject({
    paymentStatus: 'failed',
    totals: { refundable: { amountMinor: 0 } },
  });
});

describe('a search', () => {
  test.each([`x' OR name:'1044`, 'a\\', `' OR status:open OR email:'`, `"`, '(', 'AND', 'e:mail'])(
    'treats %s as plain text',
    async (text) => {
      await start();
      expect((await page({ ...newest, email: text })).orders).toEqual([]);
      expect((await page({ ...newest, number: text })).orders).toEqual([]);
      expect(world.store.warnings()).toEqual([]);
    },
  );

  test('uses only filters that Shopify supports, together and each', async () => {
    await start();
    const found = await page({
      ...newest,
      statuses: ['open', 'completed'],
      paymentStatuses: ['paid', 'refunded'],
      createdAfter: new Date('2026-10-30T00:00:00.250Z'),
      createdBefore: new Date('2026-11-22T23:00:00.000Z'),
      updatedAfter: new Date('2026-10-01T00:00:00.000Z'),
      email: 'BUYER44@example.test',
    });
    expect(numbers(found.orders)).toEqual(['#1044']);
    expect(world.store.warnings()).toEqual([]);
  });

  test('uses the requested second, and not the one before', async () => {
    await start();
    const { createdAt } = await seeded(1_043);
    const halfASecond = new Date(createdAt.getTime() + 500);
    expect(numbers((await page({ ...newest, createdAfter: halfASecond })).orders)).toEqual(['#1044']);
    const before = await everything({ ...newest, createdBefore: halfASecond });
    expect(numbers(before)[0]).toBe('#1043');
  });
});

describe('pages', () => {
  // The oldest orders have no further parts to fetch.
  const oldest: OrderQuery = { sort: 'created_at' };

  test('are as large as Shopify’s cost limit permits, which is determined once', async () => {
    await start();
    const before = world.requests();
    const first = await page(oldest, 20);
    expect(first.orders.length).toBeGreaterThan(5);
    expect(world.requests() - before).toBe(2);
    await page(oldest, 20, first.next);
    expect(world.requests() - before).toBe(3);
  });

  test('have as many orders as the remaining points allow, and then the previous size again', async () => {
    await start({ plan: { maximumAvailable: 1_000, restoreRate: 1 } });
    const first = await page(oldest, 20);
    const second = await page(oldest, 20, first.next);
    expect(second.orders.length).toBeLessThan(first.orders.length);
    expect(second.orders.length).toBeGreaterThan(0);
    world.advanceHours(1);
    const third = await page(oldest, 20, second.next);
    expect(third.orders).toHaveLength(first.orders.length);
    const all = [first, second, third].flatMap((one) => one.orders);
    expect(numbers(all)).toEqual(all.map((_order, at) => `#${1_001 + at}`));
  });

  test.each(['-created_at', 'created_at'] as const)(
    'by %s contain every order once while others arrive',
    async (sort) => {
      await start();
      const before = numbers(await everything({ sort }));
      const first = await page({ sort }, 4);
      const [like] = world.store.orders;
      if (!like) throw new Error('the store is empty');
      world.store.orders.push({
        ...like,
        id: like.id + 1,
        name: '#2000',
        createdAt: new Date('2026-11-22T12:30:00Z'),
      });
      const seen = numbers(first.orders);
      for (let token = first.next; token !== undefined;) {
        const next = await page({ sort }, 4, token);
        seen.push(...numbers(next.orders));
        token = next.next;
      }
      expect(seen.filter((number) => number !== '#2000')).toEqual(before);
      expect(new Set(seen).size).toBe(seen.length);
    },
  );

  test.each(['-created_at', 'created_at', '-updated_at', 'updated_at'] as const)(
    'by %s continue beyond the end of Shopify’s cursors',
    async (sort) => {
      await start();
      const all = numbers(await everything({ sort }));
      await world.close();
      await start({ paginationCap: 12 });
      expect(numbers(await everything({ sort }, 4, createOrders(12)))).toEqual(all);
    },
  );
});

describe('when Shopify is rate limiting', () => {
  test('the delay is the time until the points of one order are restored', async () => {
    await start({ plan: { maximumAvailable: 170, restoreRate: 5 } });
    await page(newest, 1);
    let listed = await orders.list(testSession(world), newest, { limit: 1 });
    while (listed.ok) listed = await orders.list(testSession(world), newest, { limit: 1 });
    expect(listed.failure.code).toBe('platform.rate_limited');
    expect(listed.failure.retryAfterSeconds).toBeGreaterThan(1);
    expect(listed.failure.retryAfterSeconds).toBeLessThan(34);
  });

  test('an internal error is recognized with every status', async () => {
    await start();
    world.store.disturb('internal_error_before');
    const got = await orders.get(testSession(world), '5500000044000');
    expect(got).toMatchObject({ failure: { code: 'platform.unavailable' } });
  });
});

interface Transaction {
  id: string;
  kind: string;
  status: string;
  gateway: string | null;
  amountSet: { presentmentMoney: { amount: string; currencyCode: string } };
  parentTransaction: { id: string } | null;
}
interface Node {
  id: string;
  name: string;
  createdAt: string | null;
  totalPriceSet: unknown;
  displayFinancialStatus: string | null;
  displayFulfillmentStatus: string;
  refunds: { processedAt: string | null }[];
  transactions: Transaction[];
}

/** The list with some of its orders in another format. */
async function listing(
  number: number | null,
  change: (node: Node) => unknown,
  from: Orders = orders,
  limit = 50,
) {
  const session = withChangedResponses(
    testSession(world),
    () => true,
    (body: { data?: { orders?: { nodes: Node[] }; order?: Node } }) => {
      // Transactions beyond the list are read for a single order.
      const { orders: page, order } = body.data ?? {};
      const nodes = [...(page?.nodes ?? []), ...(order?.transactions ? [order] : [])];
      nodes.filter(({ name }) => number === null || name === `#${number}`).forEach(change);
      return body;
    },
  );
  const found: RemoteOrder[] = [];
  const notes = new Set<string>();
  let token: string | undefined;
  do {
    const listed = await from.list(session, newest, { limit, token });
    if (!listed.ok) throw new Error(JSON.stringify(listed.failure));
    found.push(...listed.value.orders);
    listed.value.notes?.forEach((note) => notes.add(note));
    token = listed.value.next;
  } while (token !== undefined);
  return { found, notes: [...notes] };
}
const the = (number: number, { found }: { readonly found: readonly RemoteOrder[] }) => {
  const order = found.find((one) => one.number === `#${number}`);
  if (!order) throw new Error(`there is no order #${number}`);
  return order;
};

describe('finding 28: what Shopify omits raises no amount and changes no status', () => {
  /** Those with a refund. */
  const refundedOrders = async () =>
    (await everything(newest)).filter(({ totals }) => totals.refunded.amountMinor > 0);

  test.each<[string, (refund: Transaction) => unknown]>([
    ['null', (refund) => (refund.parentTransaction = null)],
    [
      'one that is not in the response',
      (refund) => (refund.parentTransaction = { id: 'gid://shopify/OrderTransaction/1' }),
    ],
  ])('the payment of a refund is %s: no payment’s refundable amount increases', async (_name, change) => {
    await start();
    const before = await refundedOrders();
    expect(before.length).toBeGreaterThan(2);
    const after = await listing(null, ({ transactions }) =>
      transactions.filter(({ kind }) => kind === 'REFUND' || kind === 'CHANGE').forEach(change),
    );
    for (const order of before) {
      const [number] = order.number.match(/\d+/) ?? [];
      const changed = the(Number(number), after);
      expect(changed.totals).toMatchObject({ refunded: order.totals.refunded });
      expect(changed.totals.refundable.amountMinor).toBeLessThanOrEqual(order.totals.refundable.amountMinor);
      for (const [at, payment] of order.payments.entries()) {
        expect(changed.payments[at]?.refundable.amountMinor).toBeLessThanOrEqual(
          payment.refundable.amountMinor,
        );
      }
      // A single payment can only be that one.
      if (order.payments.length === 1) expect(changed.payments).toEqual(order.payments);
    }
  });

  test.each([null, 'SOMETHING_NEW'])(
    'a displayFinancialStatus of %p is derived from the transactions',
    async (status) => {
      await start();
      const before = await everything(newest);
      const after = await listing(null, (node) => (node.displayFinancialStatus = status));
      const states = (some: readonly RemoteOrder[]) =>
        some.map(({ number, paymentStatus }) => [number, paymentStatus]);
      // Only Shopify's status reports that an authorization has expired, or that an order's payment is
      // overdue.
      const reported = before.filter(({ rawStatus }) => !/^(EXPIRED|VOIDED)/.test(rawStatus));
      expect(new Set(reported.map(({ paymentStatus }) => paymentStatus)).size).toBeGreaterThan(4);
      const reportedNumbers = new Set(numbers(reported));
      expect(states(after.found.filter(({ number }) => reportedNumbers.has(number)))).toEqual(
        states(reported),
      );
      for (const order of after.found) {
        if (!reportedNumbers.has(order.number))
          expect(['pending', 'authorized', 'voided']).toContain(order.paymentStatus);
      }
    },
  );

  test('an unknown kind or status of a transaction is not received money, and may be refunded money', async () => {
    await start();
    const before = await refundedOrders();
    const unknownRefund = await listing(null, ({ transactions }) =>
      transactions.filter(({ kind }) => kind === 'REFUND').forEach((one) => (one.status = 'SETTLING')),
    );
    const unknownPayment = await listing(null, ({ transactions }) =>
      transactions
        .filter(({ kind }) => kind === 'SALE' || kind === 'CAPTURE')
        .forEach((one) => (one.kind = 'NEW')),
    );
    for (const order of before) {
      const number = Number(order.number.slice(1));
      const { totals, refunds } = the(number, unknownRefund);
      expect(totals.refundable.amountMinor).toBeLessThanOrEqual(order.totals.refundable.amountMinor);
      expect(
        refunds.filter(({ amount, status }) => amount.amountMinor > 0 && status === 'succeeded'),
      ).toEqual([]);
      expect(the(number, unknownPayment).totals).toMatchObject({
        captured: { amountMinor: 0 },
        refundable: { amountMinor: 0 },
      });
    }
  });

  test.each<[string, (node: Node) => unknown]>([
    ['an amount is null', (node) => (node.totalPriceSet = null)],
    [
      'a transaction is in another currency',
      ({ transactions: [one] }) => {
        if (one) one.amountSet.presentmentMoney.currencyCode = 'XTS';
      },
    ],
    ['it has no time', (node) => (node.createdAt = null)],
    ['a refund has no time', ({ refunds }) => refunds.push({ processedAt: null })],
  ])('one unreadable order does not fail its page: %s', async (_name, spoil) => {
    await start();
    const all = numbers(await everything(newest));
    const number = 1_043;
    const expected = all.filter((one) => one !== `#${number}`);
    for (const [limit, from] of [
      [50, orders],
      [3, orders],
      // With a low cursor limit.
      [3, createOrders(55)],
    ] as const) {
      const listed = await listing(number, spoil, from, limit);
      expect(numbers(listed.found)).toEqual(expected);
      expect(listed.notes).toEqual(['orders.unreadable']);
    }
  });
});

test('an order in yen with fractions has no more refundable than captured (finding 33)', async () => {
  await start();
  const plain = (await everything(newest)).find(
    ({ payments, refunds, paymentStatus }) =>
      paymentStatus === 'paid' && refunds.length === 0 && payments.length === 1,
  );
  /** Every amount of the order is the same: its total, what was paid, and its remainder. */
  const inYen = (json: unknown): unknown =>
    JSON.parse(JSON.stringify(json), (name, one: unknown) => {
      if (name === 'presentmentCurrencyCode') return 'JPY';
      return name === 'presentmentMoney' ? { amount: '1000.6', currencyCode: 'JPY' } : one;
    });
  const found = await orders.get(
    withChangedResponses(testSession(world), () => true, inYen),
    plain?.externalId ?? '',
  );
  const whole = { amountMinor: 1000, currency: 'JPY' };
  expect(found.ok && found.value).toMatchObject({
    totals: { captured: whole, refundable: whole },
    payments: [{ captured: whole, refundable: whole }],
  });
});

describe('shipments', () => {
  type StoredOrder = NonNullable<ShopifyOptions['orders']>[number];
  type StoredLine = StoredOrder['lines'][number];
  const at = new Date('2026-11-20T09:00:00Z');

  const orderLine = (index: number): StoredLine => ({
    id: 100 + index,
    sku: null,
    title: `Cup ${index}`,
    quantity: 1,
    unit: 1_000,
    discount: 0,
    tax: 0,
    unfulfilled: 0,
    refunded: 0,
  });
  const shipmentOf = (index: number, lines: readonly StoredLine[]): StoredOrder['fulfillments'][number] => ({
    id: 5_000 + index,
    status: 'SUCCESS',
    displayStatus: 'IN_TRANSIT',
    createdAt: at,
    tracking: { company: 'UPS', number: `1Z${index}`, url: 'javascript:alert(1)' },
    lines: lines.map(({ id }) => ({ lineId: id, quantity: 1 })),
  });
  const shippedOrder = (
    lines: readonly StoredLine[],
    fulfillments: StoredOrder['fulfillments'],
  ): StoredOrder => ({
    id: 1,
    name: '#1000',
    createdAt: at,
    updatedAt: at,
    cancelledAt: null,
    closedAt: null,
    test: false,
    email: null,
    customer: null,
    currency: 'EUR',
    taxesIncluded: true,
    note: null,
    lines,
    shippingLines: [],
    transactions: [],
    refunds: [],
    fulfillments,
  });
  const shipmentsOf = async ({ externalId }: RemoteOrder) => {
    const listed = await orders.listShipments?.(testSession(world), externalId);
    if (!listed?.ok) throw new Error(JSON.stringify(listed));
    return listed.value;
  };

  test('of an order are listed with carrier, number, link, all lines and status', async () => {
    await start();
    const closed = await seeded(1_027);
    expect(await shipmentsOf(closed)).toEqual([
      {
        id: expect.stringMatching(/^\d+$/),
        status: 'delivered',
        carrier: 'DHL Express',
        trackingNumber: expect.stringMatching(/^JD\d+$/),
        trackingUrl: expect.stringMatching(/^https:\/\/www\.dhl\.com\/track\?id=JD\d+$/),
        lineItems: closed.lines.map(({ id, quantity }) => ({ id, quantity })),
        createdAt: closed.createdAt,
      },
    ]);
  });

  test('with more lines than one request returns are complete', async () => {
    const lines = Array.from({ length: 137 }, (_, at) => orderLine(at));
    const fulfillments = Array.from({ length: 12 }, (_, at) =>
      shipmentOf(at, at === 11 ? lines : lines.slice(0, 3)),
    );
    await start({ orders: [shippedOrder(lines, fulfillments)] });
    const shipments = await shipmentsOf(await seeded(1_000));
    // A link that is no web address is left out.
    expect(shipments.every(({ trackingUrl }) => trackingUrl === null)).toBe(true);
    expect(shipments.map(({ lineItems }) => lineItems.length)).toEqual([...Array<number>(11).fill(3), 137]);
  });

  test.each([
    ['SUCCESS', 'IN_TRANSIT', 'shipped'],
    ['SUCCESS', null, 'shipped'],
    ['SUCCESS', 'DELIVERED', 'delivered'],
    ['SUCCESS', 'LABEL_PURCHASED', 'pending'],
    ['SUCCESS', 'NOT_DELIVERED', 'failed'],
    ['CANCELLED', 'IN_TRANSIT', 'cancelled'],
    ['ERROR', null, 'failed'],
  ] as const)('with the status %s and displayed as %s are %s', async (status, displayStatus, expected) => {
    const one = { ...shipmentOf(0, [orderLine(0)]), status, displayStatus, tracking: null };
    await start({ orders: [shippedOrder([orderLine(0)], [one])] });
    expect(await shipmentsOf(await seeded(1_000))).toMatchObject([
      { status: expected, carrier: null, trackingNumber: null, trackingUrl: null },
    ]);
  });

  test('are not requested with an order: they are known where nothing has left', async () => {
    const open = { ...orderLine(0), unfulfilled: 1 };
    const shipped = {
      ...shippedOrder([orderLine(1)], [shipmentOf(1, [orderLine(1)])]),
      id: 2,
      name: '#1001',
    };
    await start({ orders: [shippedOrder([open], []), shipped] });
    const listed = await everything({ sort: 'created_at' });
    expect(listed.map(({ number, shipments }) => [number, shipments])).toEqual([
      ['#1000', []],
      ['#1001', null],
    ]);
  });
});

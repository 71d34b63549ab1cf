import { afterEach, describe, expect, test } from '@jest/globals';
import type { Result } from '@switchboard/domain';
import type { RemoteOrder } from '@switchboard/domain/orders';
import type { OrderQuery, OrderSort } from '@switchboard/domain/ports';
import type { SquareOptions } from '@switchboard/simulators';
import { withChangedResponses } from '@switchboard/platform-kit/testing/with-changed-responses';
import { testSession } from '@switchboard/platform-kit/testing/session';
import { orders } from './orders.js';
import { startWorld } from './testing/world.js';

let world: Awaited<ReturnType<typeof startWorld>>;
const start = async (options: SquareOptions = {}) => void (world = await startWorld(options));
afterEach(() => world.close());

function value<Value>(result: Result<Value>): Value {
  if (!result.ok) throw new Error(JSON.stringify(result.failure));
  return result.value;
}
const get = async (id: string) => value(await orders.get(testSession(world), id));
const ids = (some: readonly { readonly externalId: string }[]) => some.map(({ externalId }) => externalId);

/** Page after page. `meanwhile` makes changes at the store between them. */
async function everything(query: OrderQuery, limit: number, meanwhile: (page: number) => void = () => {}) {
  const found: RemoteOrder[] = [];
  let token: string | undefined;
  for (let page = 0; page < 500; page++) {
    const listed = value(await orders.list(testSession(world), query, { limit, token }));
    expect(listed.orders.length).toBeLessThanOrEqual(limit);
    found.push(...listed.orders);
    token = listed.next;
    if (token === undefined) return found;
    meanwhile(page);
  }
  throw new Error('the pages never end');
}

/** The sales according to the store's ledger. */
const sales = () =>
  world.store.books.orders.filter(({ state, returns }) => state !== 'DRAFT' && returns === undefined);

/** A sale at a given time, at the location of an earlier one. */
function sell(id: string, at: string, like = 'ORDER0000'): void {
  const order = world.store.books.orders.find((one) => one.id === like);
  if (!order) throw new Error('there is no such order');
  world.store.books.orders.push({ ...order, id, created_at: at, updated_at: at });
}

describe('orders of many locations', () => {
  const sorts: readonly OrderSort[] = ['-created_at', 'created_at', '-updated_at', 'updated_at'];
  test.each(sorts)('are one list sorted by %s, every order once, for every page size', async (sort) => {
    await start({ locations: 23, orders: 36 });
    const expected = sales().map(({ id }) => id);
    for (const limit of [3, 100]) {
      const all = await everything({ sort }, limit);
      expect(ids(all).sort()).toEqual([...expected].sort());
      const times = all.map((order) =>
        order[sort.endsWith('created_at') ? 'createdAt' : 'updatedAt'].getTime(),
      );
      expect(times).toEqual(
        [...times].sort((one, other) => (sort.startsWith('-') ? other - one : one - other)),
      );
    }
    const searched = world.exchanges().filter(({ path }) => path === '/v2/orders/search');
    expect(searched.every(({ status }) => status === 200)).toBe(true);
    expect(
      new Set(searched.slice(0, 3).flatMap(({ sent }) => (sent as { location_ids: string[] }).location_ids))
        .size,
    ).toBe(23);
  });

  test.each(['-created_at', 'created_at'] as const)(
    'are neither lost nor duplicated by new arrivals, by %s',
    async (sort) => {
      await start({ locations: 12, orders: 40 });
      const before = sales().map(({ id }) => id);
      const all = await everything({ sort }, 5, (page) =>
        sell(`NEW${page}`, new Date(Date.parse('2026-11-20T00:00:00Z') + page).toISOString()),
      );
      const found = ids(all);
      expect(new Set(found).size).toBe(found.length);
      expect(found.filter((id) => !id.startsWith('NEW')).sort()).toEqual(before.sort());
    },
  );

  test('are complete when more of them have the same time than a page holds', async () => {
    await start({ locations: 11, orders: 12 });
    for (let index = 0; index < 30; index++)
      sell(`SAME${index}`, '2026-10-02T08:00:00.000Z', `ORDER000${index % 10}`);
    for (const sort of ['-created_at', 'created_at'] as const) {
      expect(ids(await everything({ sort }, 4)).sort()).toEqual(
        sales()
          .map(({ id }) => id)
          .sort(),
      );
    }
  });

  test('are none without a location, and if a range ends before it begins', async () => {
    await start({ locations: 0, orders: 0 });
    expect(await everything({ sort: '-created_at' }, 10)).toEqual([]);
    await world.close();
    await start();
    const at = new Date('2026-10-05T00:00:00.000Z');
    expect(await everything({ sort: 'created_at', createdAfter: at, createdBefore: at }, 10)).toEqual([]);
  });
});

describe('an order reports', () => {
  test.each([
    ['ORDER0000', 'completed', 'paid', 'fulfilled', ['ada0@example.test']],
    ['ORDER0001', 'completed', 'paid', 'fulfilled', ['ada1@example.test']],
    ['ORDER0002', 'open', 'pending', 'unfulfilled', []],
    ['ORDER0003', 'completed', 'paid', 'fulfilled', []],
    ['ORDER0005', 'open', 'authorized', 'unfulfilled', []],
    ['ORDER0006', 'cancelled', 'voided', 'unfulfilled', []],
    ['ORDER0007', 'completed', 'partially_refunded', 'fulfilled', []],
    ['ORDER0008', 'completed', 'refunded', 'fulfilled', []],
    ['ORDER0009', 'completed', 'paid', 'unfulfilled', ['guest9@example.test', 'Guest9@Example.test']],
  ])('for %s the states %s, %s and %s', async (id, status, paymentStatus, fulfillmentStatus, emails) => {
    await start();
    expect(await get(id)).toMatchObject({ status, paymentStatus, fulfillmentStatus, emails });
  });

  test('nothing for a draft and for a refund’s own order; a sale of zero is paid', async () => {
    await start();
    expect(await get('ORDER0048')).toBeNull();
    expect(await get('RETURN1')).toBeNull();
    expect(await get('ORDER0049')).toMatchObject({
      paymentStatus: 'paid',
      payments: [],
      totals: { total: { amountMinor: 0 } },
    });
  });

  test('which of its payments the store can refund', async () => {
    await start();
    const online = async (id: string) =>
      (await get(id))?.payments.map(({ method, refundableOnline }) => [method, refundableOnline]);
    expect(await online('ORDER0004')).toEqual([
      ['card', true],
      ['cash', false],
    ]);
    expect(await online('ORDER0009')).toEqual([['external', false]]);
    expect(await online('ORDER0011')).toEqual([['card', false]]);
  });

  test('its amounts in the currency of its location, unchanged', async () => {
    await start();
    const total = async (id: string) => (await get(id))?.totals.total;
    expect(await total('ORDER0000')).toEqual({ amountMinor: 2160, currency: 'USD' });
    expect(await total('ORDER0001')).toEqual({ amountMinor: 2010 + 499 + 160 - 100, currency: 'JPY' });
    expect(await total('ORDER0002')).toEqual({ amountMinor: 2180, currency: 'KWD' });
    expect(await get('ORDER0001')).toMatchObject({
      totals: {
        shipping: { amountMinor: 499 },
        tax: { amountMinor: 160 },
        discount: { amountMinor: 100 },
      },
      shippingLines: [{ title: 'Shipping', total: { amountMinor: 499 } }],
      shippingAddress: { city: 'Oakland', country: 'US' },
    });
  });

  test('a measured line as one, and a counted one with its count', async () => {
    await start();
    expect((await get('ORDER0010'))?.lines).toMatchObject([
      { quantity: 1, unitPrice: { amountMinor: 2100 } },
    ]);
    expect((await get('ORDER0000'))?.lines).toMatchObject([
      { quantity: 2, unitPrice: { amountMinor: 1000 }, title: 'Mug 0, Regular' },
    ]);
  });

  test('the refunds that the store made itself', async () => {
    await start();
    expect((await get('ORDER0007'))?.refunds).toMatchObject([
      {
        status: 'succeeded',
        amount: { amountMinor: 743 },
        reference: null,
        reason: 'Returned goods',
        moneyMoved: true,
      },
    ]);
  });
});

test('a page reads its payments by location, and refunds separately only for refunded payments', async () => {
  await start({ locations: 3, orders: 48 });
  value(await orders.list(testSession(world), { sort: 'created_at' }, { limit: 100 }));
  const requested = world.exchanges().map(({ method, path }) => `${method} ${path.replace(/PAY.*/, 'id')}`);
  const counted = Object.fromEntries(
    Object.entries(Object.groupBy(requested, (one) => one)).map(([one, all]) => [one, all?.length]),
  );
  expect(counted).toEqual({
    'GET /v2/locations': 1,
    'POST /v2/orders/search': 1,
    'GET /v2/payments': 3,
    'GET /v2/refunds/id': 8,
    'POST /v2/customers/bulk-retrieve': 1,
  });
});

test('a payment that the list does not contain yet is requested separately', async () => {
  await start({ listLagMs: 365 * 86_400_000 });
  const page = value(await orders.list(testSession(world), { sort: 'created_at' }, { limit: 2 })).orders;
  expect(page.map(({ paymentStatus }) => paymentStatus)).toEqual(['paid', 'paid']);
});

test('a single order has its current payments, although the list lags behind; a page may lag too', async () => {
  await start({ listLagMs: 3_600_000 });
  world.store.refunds.makeInStore('PAY10x0', 50);
  const order = await get('ORDER0010');
  expect(order?.totals.refunded.amountMinor).toBe(50);
  const page = value(await orders.list(testSession(world), { sort: 'created_at' }, { limit: 20 })).orders;
  expect(page.find(({ externalId }) => externalId === 'ORDER0010')?.totals.refunded.amountMinor).toBe(0);
});

describe('what Square omits, or returns in another format', () => {
  type Row = Record<string, unknown>;
  interface Body {
    orders?: Row[];
    order?: Row;
    payments?: Row[];
    payment?: Row;
    refund?: Row;
  }
  const listing = async (change: (body: Body) => unknown, limit = 100) => {
    const session = withChangedResponses(
      testSession(world),
      () => true,
      (body: Body) => {
        change(body);
        return body;
      },
    );
    const found: RemoteOrder[] = [];
    const notes = new Set<string>();
    let token: string | undefined;
    do {
      const listed = value(await orders.list(session, { sort: '-created_at' }, { limit, token }));
      found.push(...listed.orders);
      listed.notes?.forEach((note) => notes.add(note));
      token = listed.next;
    } while (token !== undefined);
    return { found, notes: [...notes] };
  };
  const refunded = async () =>
    (await everything({ sort: '-created_at' }, 100)).filter(({ refunds }) => refunds.length > 0);
  const spoil = (fits: (row: Row) => boolean, change: Row) => (body: Body) => {
    for (const row of [body.orders, body.order, body.payments, body.payment, body.refund].flat()) {
      if (row && fits(row)) Object.assign(row, change);
    }
  };

  test.each<[string, (one: RemoteOrder) => [(row: Row) => boolean, Row]]>([
    ['it has no time', (one) => [({ id }) => id === one.externalId, { created_at: null }]],
    [
      'its payment has an invalid amount',
      (one) => [({ id }) => id === one.payments[0]?.id, { total_money: { amount: '1', currency: 'USD' } }],
    ],
    [
      'its payment is in another currency',
      (one) => [({ id }) => id === one.payments[0]?.id, { total_money: { amount: 9_999, currency: 'XTS' } }],
    ],
    [
      'its refund has no amount',
      (one) => [({ id }) => id === one.refunds[0]?.externalId, { amount_money: { currency: 'USD' } }],
    ],
    [
      'its refund has no time',
      (one) => [({ id }) => id === one.refunds[0]?.externalId, { created_at: null }],
    ],
  ])('one unreadable order does not fail its page: %s', async (_name, how) => {
    await start();
    const all = await everything({ sort: '-created_at' }, 100);
    const [one] = await refunded();
    if (!one) throw new Error('nothing was refunded');
    for (const limit of [3, 100]) {
      const listed = await listing(spoil(...how(one)), limit);
      expect(ids(listed.found)).toEqual(ids(all).filter((id) => id !== one.externalId));
      expect(listed.notes).toEqual(['orders.unreadable']);
    }
  });

  test.each([null, undefined, 'SETTLING'])(
    'a refund of the status %p has not succeeded, and is not refundable',
    async (status) => {
      await start();
      const before = await refunded();
      const { found } = await listing((body) => body.refund && Object.assign(body.refund, { status }));
      for (const order of before) {
        const after = found.find(({ externalId }) => externalId === order.externalId);
        expect(after?.refunds.map((refund) => refund.status)).toEqual(order.refunds.map(() => 'pending'));
        expect(after?.totals.refundable.amountMinor).toBeLessThanOrEqual(order.totals.refundable.amountMinor);
      }
    },
  );

  test('a refund that is named and not returned may have any amount', async () => {
    await start();
    const [one] = await refunded();
    const session = withChangedResponses(
      testSession(world),
      ({ path }) => path.startsWith('/v2/refunds/'),
      () => ({ errors: [{ category: 'INVALID_REQUEST_ERROR', code: 'NOT_FOUND' }] }),
      404,
    );
    const after = value(await orders.get(session, one?.externalId ?? ''));
    expect(after?.payments.find(({ id }) => id === one?.refunds[0]?.paymentId)).toMatchObject({
      refundable: { amountMinor: 0 },
    });
  });

  test.each([null, 'SETTLED'])(
    'a payment of the status %p is not captured, and its refunded amount counts',
    async (status) => {
      await start();
      const before = await refunded();
      const { found } = await listing(({ payments = [], payment }) =>
        [...payments, ...(payment ? [payment] : [])].forEach((one) => Object.assign(one, { status })),
      );
      let seen = 0;
      for (const order of before.filter(({ totals }) => totals.refunded.amountMinor > 0)) {
        seen++;
        expect(found.find(({ externalId }) => externalId === order.externalId)).toMatchObject({
          paymentStatus: order.paymentStatus,
          totals: { captured: { amountMinor: 0 }, refundable: { amountMinor: 0 } },
        });
      }
      expect(seen).toBeGreaterThan(0);
    },
  );
});

import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { RemoteOrder } from '@switchboard/domain/orders';
import type { OrderQuery } from '@switchboard/domain/ports';
import { withChangedResponses } from '@switchboard/platform-kit/testing/with-changed-responses';
import { testSession } from '@switchboard/platform-kit/testing/session';
import { orders } from './orders.js';
import { startWorld } from './testing/world.js';

let world: Awaited<ReturnType<typeof startWorld>>;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.close());

const session = () => testSession(world);

async function page(query: OrderQuery, limit: number, token?: string) {
  const listed = await orders.list(session(), query, { limit, token });
  if (!listed.ok) throw new Error(listed.failure.message);
  return listed.value;
}

async function everything(query: OrderQuery, limit: number, between: () => void = () => undefined) {
  const found: RemoteOrder[] = [];
  let token: string | undefined;
  do {
    const { orders: some, next } = await page(query, limit, token);
    found.push(...some);
    token = next;
    between();
  } while (token !== undefined);
  return found;
}

const byStatus = async (status: string): Promise<RemoteOrder> => {
  const found = (await everything({ sort: 'created_at' }, 100)).find(({ rawStatus }) => rawStatus === status);
  if (!found) throw new Error(`there is no order that is ${status}`);
  return found;
};

describe('a list', () => {
  test.each(['-created_at', 'created_at'] as const)(
    'by %s has every order once while others are added and removed, with several in one second',
    async (sort) => {
      const at = new Date('2026-11-22T00:00:00Z');
      const before = (await everything({ sort, createdBefore: at }, 100)).map(({ externalId }) => externalId);
      const seconds = (await everything({ sort, createdBefore: at }, 100)).map(({ createdAt }) =>
        createdAt.getTime(),
      );
      expect(new Set(seconds).size).toBeLessThan(seconds.length);
      for (const limit of [1, 3, 7]) {
        const found = await everything({ sort }, limit, () => {
          if (world.store.orders().length < 70) world.store.arrive();
        });
        const ids = found.map(({ externalId }) => externalId);
        expect(new Set(ids).size).toBe(ids.length);
        expect(ids.filter((id) => before.includes(id))).toEqual(before);
      }
    },
  );

  test('applies bounds to the second, the first inclusive and the second exclusive, in every time zone of the store', async () => {
    const all = await everything({ sort: 'created_at' }, 100);
    const [from, until] = [all[5], all[9]];
    if (!from || !until) throw new Error('there are too few orders');
    const found = await everything(
      { sort: 'created_at', createdAfter: from.createdAt, createdBefore: until.createdAt },
      100,
    );
    expect(found.map(({ externalId }) => externalId)).toEqual(
      all
        .filter(({ createdAt }) => createdAt >= from.createdAt && createdAt < until.createdAt)
        .map(({ externalId }) => externalId),
    );
    const later = new Date(from.createdAt.getTime() + 1);
    const [next] = await everything({ sort: 'created_at', createdAfter: later }, 100);
    expect(next?.createdAt.getTime()).toBeGreaterThan(from.createdAt.getTime());
  });

  test('filters by status only for unambiguous statuses, and never with brackets', async () => {
    const requested = async (query: OrderQuery) => {
      await page(query, 1);
      const request = world.exchanges().findLast((one) => one.request.path.endsWith('/orders'))?.request;
      expect([...(request?.query.keys() ?? [])].filter((name) => name.includes('['))).toEqual([]);
      return request?.query.get('status');
    };
    expect(await requested({ sort: '-created_at', statuses: ['completed', 'cancelled'] })).toBe(
      'completed,refunded,cancelled',
    );
    expect(await requested({ sort: '-created_at', statuses: ['open', 'completed'] })).toBeNull();
  });

  test('reads refunds of all its orders at once, and order by order for older stores', async () => {
    const refunded = async () =>
      (await everything({ sort: 'created_at', createdBefore: new Date('2026-11-22T00:00:00Z') }, 100)).filter(
        ({ refunds }) => refunds.length > 0,
      );
    const before = world.exchanges().length;
    const found = await refunded();
    expect(found.length).toBeGreaterThan(3);
    expect(world.exchanges()).toHaveLength(before + 3);
    world.store.isOlder(true);
    expect(await refunded()).toEqual(found);
    world.store.isOlder(false);
  });
});

describe('what a list omits', () => {
  let own: Awaited<ReturnType<typeof startWorld>>;
  beforeAll(async () => {
    own = await startWorld();
  });
  afterAll(() => own.close());
  const list = async (limit: number) => {
    const ids: string[] = [];
    let token: string | undefined;
    do {
      const listed = await orders.list(testSession(own), { sort: 'created_at' }, { limit, token });
      if (!listed.ok) throw new Error(listed.failure.code);
      ids.push(...listed.value.orders.map(({ externalId }) => externalId));
      token = listed.value.next;
    } while (token !== undefined);
    return ids;
  };

  test('because the store cannot show it does not end it: the following orders are listed too', async () => {
    const all = await list(100);
    const hidden = [all[2], all[3], all[20]];
    for (const id of hidden) own.store.hide(Number(id));
    for (const limit of [1, 2, 7, 30])
      expect(await list(limit)).toEqual(all.filter((id) => !hidden.includes(id)));
  });

  test('of the refunds that the orders name is read order by order', async () => {
    const [order] = own.store.orders().filter(({ refunds }) => refunds.length > 0);
    own.store.unlist(order?.refunds[0]?.id ?? 0);
    const found = await orders.get(testSession(own), String(order?.id));
    expect(found).toMatchObject({
      ok: true,
      value: { refunds: [{ externalId: String(order?.refunds[0]?.id) }] },
    });
  });

  test('of refunds in every list makes the order unreadable, and never less refunded', async () => {
    const [order] = own.store.orders().filter(({ refunds }) => refunds.length > 0);
    const path = `/wp-json/wc/v3/orders/${order?.id}/refunds`;
    const session = testSession(own);
    const none = { status: 200, ok: true, headers: {}, body: new Uint8Array(), json: [] };
    const found = await orders.get(
      {
        ...session,
        request: (request) =>
          request.path === path ? Promise.resolve({ ok: true, value: none }) : session.request(request),
      },
      String(order?.id),
    );
    expect(found).toMatchObject({ ok: false, failure: { code: 'platform.invalid_response' } });
  });
});

describe('an order', () => {
  test('that was never paid has nothing to refund, and one whose gateway cannot is only recorded as refunded', async () => {
    expect(await byStatus('pending')).toMatchObject({
      status: 'open',
      paymentStatus: 'pending',
      totals: { captured: { amountMinor: 0 }, refundable: { amountMinor: 0 } },
    });
    expect((await byStatus('failed')).paymentStatus).toBe('failed');
    expect(await byStatus('cancelled')).toMatchObject({ status: 'cancelled', paymentStatus: 'voided' });
    const all = await everything({ sort: 'created_at' }, 100);
    const online = (gateway: string) =>
      new Set(
        all
          .flatMap(({ payments }) => payments.filter((one) => one.gateway === gateway))
          .map((one) => one.refundableOnline),
      );
    expect(online('stripe')).toEqual(new Set([true]));
    expect(online('bacs')).toEqual(new Set([false]));
  });

  test('with a custom status is open, and the status is reported', async () => {
    expect(await byStatus('awaiting-pickup')).toMatchObject({ status: 'open', paymentStatus: 'paid' });
    expect(await byStatus('completed')).toMatchObject({
      status: 'completed',
      fulfillmentStatus: 'fulfilled',
    });
  });

  test('of a currency without decimals or with three is exact, though its taxes are stored unrounded', async () => {
    const all = await everything({ sort: 'created_at' }, 100);
    for (const [currency, unit] of [
      ['JPY', 1],
      ['BHD', 1_000],
      ['EUR', 100],
    ] as const) {
      const found = all.find((order) => order.currency === currency);
      const money = world.store.moneyOf(Number(found?.externalId));
      expect(found?.totals.total.amountMinor).toBe(((money?.total ?? 0) * unit) / 10_000);
    }
  });

  test('has the refunds made in the shop itself, by line, and their remainder', async () => {
    const all = await everything({ sort: 'created_at' }, 100);
    const found = all.find(({ refunds }) => refunds.some(({ reason }) => reason === 'Broken'));
    expect(found).toMatchObject({
      paymentStatus: 'partially_refunded',
      refunds: [{ reference: null, reason: 'Broken', moneyMoved: true, status: 'succeeded' }],
    });
    expect(found?.lines.map(({ refundableQuantity }) => refundableQuantity)).toEqual([3, 0]);
    const { captured, refunded, refundable } = found?.totals ?? {};
    expect((refunded?.amountMinor ?? 0) + (refundable?.amountMinor ?? 0)).toBe(captured?.amountMinor);
    expect(await byStatus('refunded')).toMatchObject({
      status: 'completed',
      paymentStatus: 'refunded',
      totals: { refundable: { amountMinor: 0 } },
    });
  });

  test('of a guest has no customer, and its billing address', async () => {
    const guest = (await everything({ sort: 'created_at' }, 100)).find(
      ({ customer }) => customer.id === null,
    );
    expect(guest?.emails).toEqual([guest?.customer.email]);
    expect(guest?.customer).toMatchObject({
      name: expect.stringContaining('Ada'),
      email: expect.stringContaining('@'),
    });
  });
});

describe('what a shop omits, or returns in another format', () => {
  type Row = Record<string, unknown>;
  const listing = async (change: (row: Row, path: string) => unknown, limit = 100) => {
    let path = '';
    const changed = withChangedResponses(
      session(),
      (request) => {
        path = request.path;
        return true;
      },
      (body: Row | Row[]) => {
        [body].flat().forEach((row) => change(row, path));
        return body;
      },
    );
    const found: RemoteOrder[] = [];
    const notes = new Set<string>();
    let token: string | undefined;
    do {
      const listed = await orders.list(changed, { sort: 'created_at' }, { limit, token });
      if (!listed.ok) throw new Error(listed.failure.code);
      found.push(...listed.value.orders);
      listed.value.notes?.forEach((note) => notes.add(note));
      token = listed.value.next;
    } while (token !== undefined);
    return { found, notes: [...notes] };
  };
  const ids = (some: readonly RemoteOrder[]) => some.map(({ externalId }) => externalId);
  const refundedOrders = async () =>
    (await everything({ sort: 'created_at' }, 100)).filter(({ refunds }) => refunds.length > 0);

  test.each<[string, (one: RemoteOrder) => (row: Row, path: string) => unknown]>([
    ['an amount is null', (one) => (row) => String(row['id']) === one.externalId && (row['total'] = null)],
    [
      'an amount is too large',
      (one) => (row) => String(row['id']) === one.externalId && (row['total'] = '99999999999999999.99'),
    ],
    [
      'its refund has no time',
      (one) => (row) => String(row['id']) === one.refunds[0]?.externalId && (row['date_created_gmt'] = null),
    ],
    [
      'a refund that it names is in no list',
      (one) => (row) => String(row['id']) === one.externalId && (row['refunds'] = [{ id: 987_654_321 }]),
    ],
  ])('one unreadable order does not fail its page: %s', async (_name, how) => {
    const all = await everything({ sort: 'created_at' }, 100);
    const [one] = await refundedOrders();
    if (!one) throw new Error('nothing was refunded');
    for (const limit of [3, 100]) {
      const listed = await listing(how(one), limit);
      expect(ids(listed.found)).toEqual(ids(all).filter((id) => id !== one.externalId));
      expect(listed.notes).toEqual(['orders.unreadable']);
    }
  });

  test.each([null, undefined])(
    'a refund whose refunded_payment is %p moved no money, and counts as refunded',
    async (stated) => {
      const before = await refundedOrders();
      const after = await listing((row) => 'refunded_payment' in row && (row['refunded_payment'] = stated));
      for (const order of before) {
        const changed = after.found.find(({ externalId }) => externalId === order.externalId);
        expect(changed?.totals).toEqual(order.totals);
        expect(changed?.refunds.map(({ moneyMoved }) => moneyMoved)).toEqual(order.refunds.map(() => false));
      }
    },
  );

  test('a refunded item without a quantity leaves nothing of its line', async () => {
    const ofLines = (await refundedOrders()).filter(({ lines }) =>
      lines.some(({ quantity, refundableQuantity }) => refundableQuantity < quantity),
    );
    const after = await listing((row, path) => {
      if (path.includes('refunds')) (row['line_items'] as Row[]).forEach((item) => delete item['quantity']);
    });
    for (const order of ofLines) {
      const changed = after.found.find(({ externalId }) => externalId === order.externalId);
      for (const [at, line] of order.lines.entries()) {
        expect(changed?.lines[at]?.refundableQuantity).toBeLessThanOrEqual(line.refundableQuantity);
      }
    }
  });

  test('an order marked as refunded without a time of payment is not pending', async () => {
    const { found } = await listing((row) => {
      if (row['status'] === 'refunded') Object.assign(row, { date_paid_gmt: null, refunds: [] });
    });
    const called = found.filter(({ rawStatus }) => rawStatus === 'refunded');
    expect(called.length).toBeGreaterThan(0);
    for (const order of called) {
      expect(order).toMatchObject({ paymentStatus: 'refunded', totals: { refundable: { amountMinor: 0 } } });
    }
  });
});

describe('shipments', () => {
  test('are those that a tracking extension keeps in the order’s metadata', async () => {
    const { externalId, shipments } = await byStatus('completed');
    expect(shipments).toEqual([
      {
        id: `track${externalId}`,
        status: 'shipped',
        carrier: 'postnl',
        trackingNumber: `3S${externalId}`,
        trackingUrl: `https://postnl.example/track/3S${externalId}`,
        lineItems: [],
        createdAt: expect.any(Date),
      },
    ]);
  });

  test('are unknown where no extension keeps any', async () => {
    expect((await byStatus('pending')).shipments).toBeNull();
  });

  test.each([
    [
      [{ tracking_number: '1', products_list: [{ product: 9, item_id: '31', qty: '2' }] }],
      [{ lineItems: [{ id: '31', quantity: 2 }], createdAt: null }],
    ],
    [
      [{ tracking_number: '1', custom_tracking_link: 'javascript:alert(1)', date_shipped: 'soon' }],
      [{ trackingUrl: null, createdAt: null }],
    ],
    [{ tracking_number: '1' }, null],
  ])('that are stored as %j are read as %j', async (stored, expected) => {
    const changed = withChangedResponses(
      session(),
      ({ path }) => path.endsWith('/orders'),
      (rows: { meta_data: unknown[] }[]) =>
        rows.map((row) => ({
          ...row,
          meta_data: [{ id: 1, key: '_wc_shipment_tracking_items', value: stored }],
        })),
    );
    const listed = await orders.list(changed, { sort: 'created_at' }, { limit: 1 });
    const [order] = listed.ok ? listed.value.orders : [];
    if (expected === null) expect(order?.shipments).toBeNull();
    else expect(order?.shipments).toMatchObject(expected);
  });
});

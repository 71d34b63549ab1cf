import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { RemoteOrder } from '@switchboard/domain/orders';
import type { OrderQuery, OrderSort } from '@switchboard/domain/ports';
import { withChangedResponses } from '@switchboard/platform-kit/testing/with-changed-responses';
import { testSession } from '@switchboard/platform-kit/testing/session';
import { orders } from './orders.js';
import { startWorld } from './testing/world.js';

let world: Awaited<ReturnType<typeof startWorld>>;
beforeEach(async () => {
  world = await startWorld();
});
afterEach(() => world.close());

async function page(query: OrderQuery, limit: number, token?: string) {
  const listed = await orders.list(testSession(world), query, { limit, token });
  if (!listed.ok) throw new Error(listed.failure.code);
  return listed.value;
}

/** All pages, with changes made between them. */
async function everything(query: OrderQuery, limit: number, between: (pages: number) => void = () => {}) {
  const found: RemoteOrder[] = [];
  let token: string | undefined;
  for (let pages = 1; pages < 200; pages++) {
    const { orders: some, next } = await page(query, limit, token);
    found.push(...some);
    if (next === undefined) return found;
    token = next;
    between(pages);
  }
  throw new Error('the pages never end');
}

const idsOf = (found: readonly RemoteOrder[]) => found.map(({ externalId }) => externalId);
const all = () => everything({ sort: 'created_at' }, 100);
async function the(id: number): Promise<RemoteOrder> {
  const found = await orders.get(testSession(world), String(id));
  if (!found.ok || !found.value) throw new Error(`no order ${id}`);
  return found.value;
}

test('captured, refunded and refundable amounts match the store for every order', async () => {
  for (const order of await all()) {
    const truth = world.store.truth(Number(order.externalId));
    const { captured, refunded, refundable } = order.totals;
    // An order marked as refunded manually has no refund record in the store.
    const byHand = order.rawStatus === 'Refunded/captured' ? truth.captured : truth.refunded;
    expect([order.externalId, captured.amountMinor, refunded.amountMinor]).toEqual([
      order.externalId,
      truth.captured,
      byHand,
    ]);
    expect(refundable.amountMinor).toBe(truth.captured - byHand);
    const sum = order.payments.reduce((total, payment) => total + payment.refundable.amountMinor, 0);
    expect(sum).toBe(refundable.amountMinor);
  }
});

test('finding 27: a refund without payment details has not succeeded, and its amount is not refundable', async () => {
  const [refund] = world.store.orders().find(({ id }) => id === 115)?.refunds ?? [];
  (refund?.payments as unknown[] | undefined)?.splice(0);
  const order = await the(115);
  const { captured, refunded, refundable } = order.totals;
  expect(order.refunds).toMatchObject([{ status: 'pending', amount: { amountMinor: 500 } }]);
  expect(refunded.amountMinor).toBe(0);
  expect(refundable.amountMinor).toBe(captured.amountMinor - 500);
  expect(order.paymentStatus).toBe('partially_refunded');
});

describe('finding 27: one unreadable order does not fail its page', () => {
  interface Row {
    id?: number;
    total_inc_tax?: unknown;
    date_created?: string;
    payment_status?: string | null;
    payment_provider_id?: string | null;
    status_id?: number;
  }
  const isOrders = ({ path }: { readonly path: string }) => path === '/v2/orders';
  const isRefunds = ({ path }: { readonly path: string }) => path.endsWith('/payment_actions/refunds');
  const listing = async (
    fits: typeof isOrders,
    change: (body: Row[] & { data: { order_id?: number; total_amount?: unknown }[] }) => void,
    limit = 50,
  ) => {
    const session = withChangedResponses(
      testSession(world),
      fits,
      (body: Parameters<typeof change>[0] | null) => {
        if (body) change(body);
        return body;
      },
    );
    const found: RemoteOrder[] = [];
    const notes = new Set<string>();
    let token: string | undefined;
    for (let pages = 0; pages < 200; pages++) {
      const listed = await orders.list(session, { sort: 'created_at' }, { limit, token });
      if (!listed.ok) return listed.failure.code;
      found.push(...listed.value.orders);
      listed.value.notes?.forEach((note) => notes.add(note));
      token = listed.value.next;
      if (token === undefined) return { found, notes: [...notes] };
    }
    throw new Error('the pages never end');
  };

  test.each<[string, (row: Row) => unknown]>([
    ['an amount is null', (row) => (row.total_inc_tax = null)],
    ['an amount is too large', (row) => (row.total_inc_tax = '99999999999999999.99')],
    ['its time is no time', (row) => (row.date_created = 'once')],
  ])('%s', async (_name, spoil) => {
    const complete = idsOf(await all());
    for (const limit of [1, 7, 50]) {
      const listed = await listing(
        isOrders,
        (rows) => rows.filter(({ id }) => id === 115).forEach(spoil),
        limit,
      );
      if (typeof listed === 'string') throw new Error(listed);
      expect(idsOf(listed.found)).toEqual(complete.filter((id) => id !== '115'));
      expect(listed.notes).toEqual(['orders.unreadable']);
    }
  });

  test('a refund of it is null', async () => {
    const complete = idsOf(await all());
    const listed = await listing(isRefunds, ({ data }) =>
      data.filter(({ order_id: id }) => id === 115).forEach((refund) => (refund.total_amount = null)),
    );
    if (typeof listed === 'string') throw new Error(listed);
    expect(idsOf(listed.found)).toEqual(complete.filter((id) => id !== '115'));
    expect(listed.notes).toEqual(['orders.unreadable']);
  });

  test('a refund without a readable order could belong to any', async () => {
    expect(await listing(isRefunds, ({ data }) => data.forEach((refund) => delete refund.order_id))).toBe(
      'platform.invalid_response',
    );
  });

  test('no note is added if all orders are readable', async () => {
    expect((await page({ sort: 'created_at' }, 50)).notes).toEqual([]);
  });

  test.each<[string, Row, Partial<RemoteOrder>]>([
    ['a provider without a payment status', { payment_status: null }, { paymentStatus: 'pending' }],
    ['an unknown payment status', { payment_status: 'settling' }, { paymentStatus: 'pending' }],
    [
      'an unknown payment status of an order that was refunded in part',
      { payment_status: 'settling', status_id: 14 },
      { paymentStatus: 'partially_refunded' },
    ],
    ['an unknown status', { status_id: 99 }, { status: 'open', paymentStatus: 'paid' }],
  ])('%s adds nothing refundable', async (_name, change, expected) => {
    const before = await the(103);
    const listed = await listing(isOrders, (rows) =>
      rows
        .filter(({ id }) => id === 103)
        .forEach((row) => Object.assign(row, { payment_provider_id: 'x', ...change })),
    );
    if (typeof listed === 'string') throw new Error(listed);
    const order = listed.found.find(({ externalId }) => externalId === '103');
    expect(order).toMatchObject(expected);
    expect(order?.totals.refundable.amountMinor).toBeLessThanOrEqual(before.totals.refundable.amountMinor);
    if (expected.paymentStatus !== 'paid') expect(order?.totals.refundable.amountMinor).toBe(0);
  });
});

test('every status is mapped', async () => {
  const seen = (await all()).map((order) => [
    order.rawStatus,
    order.status,
    order.paymentStatus,
    order.fulfillmentStatus,
  ]);
  const distinct = [...new Map(seen.map((one) => [one[0], one.join(' ')])).entries()];
  expect(Object.fromEntries(distinct)).toEqual({
    'Awaiting Fulfillment/captured': 'Awaiting Fulfillment/captured open paid unfulfilled',
    'Awaiting Fulfillment/paid': 'Awaiting Fulfillment/paid open paid unfulfilled',
    'Awaiting Payment/': 'Awaiting Payment/ open pending unfulfilled',
    'Awaiting Payment/authorized': 'Awaiting Payment/authorized open authorized unfulfilled',
    'Awaiting Payment/capture pending': 'Awaiting Payment/capture pending open authorized unfulfilled',
    'Awaiting Pickup/': 'Awaiting Pickup/ open paid unfulfilled',
    'Awaiting Shipment/captured': 'Awaiting Shipment/captured open paid unfulfilled',
    'Cancelled/void': 'Cancelled/void cancelled voided unfulfilled',
    'Cancelled/void pending': 'Cancelled/void pending cancelled authorized unfulfilled',
    'Completed/captured': 'Completed/captured completed paid fulfilled',
    'Declined/declined': 'Declined/declined cancelled failed unfulfilled',
    'Disputed/captured': 'Disputed/captured open paid unfulfilled',
    'Incomplete/pending': 'Incomplete/pending open pending unfulfilled',
    'Manual Verification Required/held for review':
      'Manual Verification Required/held for review open pending unfulfilled',
    'Partially Refunded/': 'Partially Refunded/ open partially_refunded unfulfilled',
    'Partially Refunded/partially refunded':
      'Partially Refunded/partially refunded open partially_refunded unfulfilled',
    'Partially Shipped/captured': 'Partially Shipped/captured open paid partial',
    'Pending/pending': 'Pending/pending open pending unfulfilled',
    'Refunded/captured': 'Refunded/captured completed refunded unfulfilled',
    'Refunded/refunded': 'Refunded/refunded completed refunded unfulfilled',
    'Shipped/captured': 'Shipped/captured completed paid fulfilled',
  });
});

describe('payments', () => {
  test('a payment without a provider can only be recorded as refunded', async () => {
    expect((await the(109)).payments).toMatchObject([
      { id: 'provider', gateway: 'Cash on Delivery', refundableOnline: false },
    ]);
    expect((await the(103)).payments).toMatchObject([{ gateway: 'Credit Card', refundableOnline: true }]);
  });

  test('store credit and gift certificates are payments next to the card', async () => {
    const [credit, certificate] = [await the(116), await the(117)];
    expect(credit.payments.map(({ id }) => id)).toEqual(['provider', 'storecredit']);
    expect(credit.payments[1]?.captured.amountMinor).toBe(1000);
    expect(certificate.payments.map(({ id }) => id)).toEqual(['provider', 'giftcertificate']);
    expect(credit.totals.captured).toEqual(credit.totals.total);
  });

  test('a declined refund leaves everything refundable, and is listed', async () => {
    const order = await the(124);
    expect(order.refunds).toMatchObject([{ status: 'failed' }]);
    expect(order.totals.refundable).toEqual(order.totals.captured);
  });

  test('card money that was refunded as credit cannot be refunded again', async () => {
    const order = await the(125);
    expect(order.payments).toMatchObject([{ id: 'provider', refunded: { amountMinor: 400 } }]);
    expect(order.refunds).toMatchObject([{ paymentId: 'storecredit', status: 'succeeded', reason: 'Late' }]);
  });
});

test('money is exact in currencies without decimals and with three', async () => {
  expect((await the(112)).totals.total).toEqual({ amountMinor: 2620, currency: 'JPY' });
  expect((await the(100)).totals.total).toEqual({ amountMinor: 2500, currency: 'KWD' });
});

test('a page takes two requests, and one more if there are refunds', async () => {
  await page({ sort: 'created_at' }, 5);
  expect(world.requestedPaths()).toEqual(['GET /v2/orders', 'GET /v3/orders/payment_actions/refunds']);
  await page({ sort: 'created_at' }, 100);
  expect(world.requestedPaths()).toHaveLength(5);
});

test('an invalid number finds nothing, without a request', async () => {
  expect((await page({ sort: '-created_at', number: 'A-17' }, 5)).orders).toEqual([]);
  expect(world.requestedPaths()).toEqual([]);
  expect(idsOf((await page({ sort: '-created_at', number: '#117' }, 5)).orders)).toEqual(['117']);
});

describe.each([true, false])('bounds are included: %s', (boundsIncluded) => {
  beforeEach(async () => {
    await world.close();
    world = await startWorld({ boundsIncluded });
  });

  describe.each<OrderSort>(['-created_at', 'created_at'])('sorted by %s', (sort) => {
    test('orders that arrive or are archived meanwhile cause no duplicates or gaps', async () => {
      const before = idsOf(await all());
      const archived: string[] = [];
      const found = await everything({ sort }, 4, (pages) => {
        world.store.add(new Date(`2026-11-22T10:00:0${pages % 10}.000Z`));
        const provided = sort === 'created_at' ? before[pages] : before.at(-1 - pages);
        if (provided === undefined || pages > 3) return;
        archived.push(provided);
        world.store.archive(Number(provided));
      });
      const ids = idsOf(found);
      expect(new Set(ids).size).toBe(ids.length);
      expect(before.filter((id) => !ids.includes(id) && !archived.includes(id))).toEqual([]);
    });

    test('many orders of the same second are listed once each', async () => {
      const at = new Date('2026-10-05T12:00:00.000Z');
      const same = Array.from({ length: 23 }, () => String(world.store.add(at)));
      world.store.add(new Date('2026-10-05T12:00:01.000Z'));
      const ids = idsOf(await everything({ sort }, 5));
      expect(new Set(ids).size).toBe(ids.length);
      expect(ids).toHaveLength(world.store.orders().length);
      expect(ids).toEqual(expect.arrayContaining(same));
    });
  });

  test('a time equal to a bound is within the first and not the second', async () => {
    const createdAt = new Date('2026-10-05T08:00:00.000Z');
    const after = await everything({ sort: 'created_at', createdAfter: createdAt }, 50);
    const until = await everything({ sort: 'created_at', createdBefore: createdAt }, 50);
    expect(after[0]?.createdAt).toEqual(createdAt);
    expect(idsOf(until)).toEqual(['100', '101', '102', '103']);
  });
});

test('an order in yen with fractions has no more refundable than captured (finding 33)', async () => {
  const plain = (await all()).find(
    ({ payments, refunds, paymentStatus }) =>
      paymentStatus === 'paid' &&
      refunds.length === 0 &&
      payments.length === 1 &&
      payments[0]?.id === 'provider',
  );
  const changed = withChangedResponses(
    testSession(world),
    ({ path }) => path.includes('/v2/orders/'),
    (body: object) =>
      'total_inc_tax' in body ? { ...body, default_currency_code: 'JPY', total_inc_tax: '1000.6000' } : body,
  );
  const found = await orders.get(changed, plain?.externalId ?? '');
  const whole = { amountMinor: 1000, currency: 'JPY' };
  expect(found.ok && found.value).toMatchObject({
    paymentStatus: 'paid',
    totals: { captured: whole, refundable: whole },
    payments: [{ captured: whole, refundable: whole }],
  });
});

test('shipments are requested for one order, and known without a request where nothing was shipped', async () => {
  for (const order of await all()) {
    const stored = world.store.orders().find(({ id }) => String(id) === order.externalId);
    const units = stored?.itemsShipped ?? 0;
    expect([order.externalId, order.shipments]).toEqual([order.externalId, units === 0 ? [] : null]);
    expect(await orders.listShipments?.(testSession(world), order.externalId)).toEqual({
      ok: true,
      value: units === 0 ? [] : [shipmentOf(order, units)],
    });
  }
});

const shipmentOf = ({ externalId, lines }: RemoteOrder, units: number) => {
  let left = units;
  const lineItems = lines.flatMap(({ id, quantity }) => {
    const shipped = Math.min(quantity, left);
    left -= shipped;
    return shipped > 0 ? [{ id, quantity: shipped }] : [];
  });
  return {
    id: expect.any(String),
    status: 'shipped',
    carrier: 'UPS',
    trackingNumber: `1Z${externalId}`,
    trackingUrl: `https://www.ups.com/track?tracknum=1Z${externalId}`,
    lineItems,
    createdAt: expect.any(Date),
  };
};

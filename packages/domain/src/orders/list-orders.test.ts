import { expect, test } from '@jest/globals';
import { memoryStore, type MemoryStore } from '../../testing/stores/memory-store.js';
import { remoteOrder } from '../../testing/stores/order-builder.js';
import { createStoreFixture, type StoreFixture } from '../../testing/stores/store-fixture.js';
import { money } from '../money.js';
import type { Call } from '../call.js';
import { listOrders, type ListOrdersCommand, type OrderList } from './list-orders.js';

const first = new Date('2026-02-01T00:00:00Z').getTime();
const at = (minutes: number) => new Date(first + minutes * 60_000);
const orders = (prefix: string, minutes: readonly number[]) =>
  minutes.map((minute, index) => remoteOrder({ externalId: `${prefix}${index}`, createdAt: at(minute) }));

const ask: ListOrdersCommand = { sort: '-created_at', limit: 20 };

async function list(
  s: StoreFixture,
  command: Partial<ListOrdersCommand> = {},
  call: Call = s.call(s.key()),
): Promise<OrderList> {
  const result = await listOrders(s.ports, call, { ...ask, ...command });
  if (!result.ok) throw new Error(result.failure.code);
  return result.value;
}

const codeOf = async (s: StoreFixture, command: Partial<ListOrdersCommand>, call: Call = s.call(s.key())) => {
  const result = await listOrders(s.ports, call, { ...ask, ...command });
  return result.ok ? 'ok' : result.failure.code;
};

/** Reads all pages. */
async function readAll(
  s: StoreFixture,
  command: Partial<ListOrdersCommand>,
  between: (page: number) => void = () => undefined,
) {
  const call = s.call(s.key());
  const items: string[] = [];
  let page: OrderList | null = null;
  let pages = 0;
  do {
    page = await list(s, { ...command, cursor: page?.nextCursor ?? undefined }, call);
    items.push(...page.items.map(({ order }) => order.externalId));
    if (++pages > 500) throw new Error('the list does not end');
    between(pages);
  } while (page.nextCursor !== null);
  return { items, pages, last: page };
}

function open(...stores: ((s: StoreFixture) => MemoryStore)[]) {
  const s = createStoreFixture();
  const made = stores.map((make) => make(s));
  return { s, stores: made, connections: made.map((store) => s.connect(store)) };
}

test('several stores form one list in the requested order, and each is marked complete', async () => {
  const { s, connections } = open(
    ({ clock }) => memoryStore({ clock, id: 'a', orders: orders('a', [1, 3, 5]) }),
    ({ clock }) => memoryStore({ clock, id: 'b', orders: orders('b', [2, 4]) }),
  );
  const page = await list(s);
  expect(page.items.map(({ order }) => order.externalId)).toEqual(['a2', 'b1', 'a1', 'b0', 'a0']);
  expect(page.nextCursor).toBeNull();
  expect(page.sources).toEqual(
    connections.map(({ id, platform }) => ({
      connectionId: id,
      platform,
      status: 'ok',
      complete: true,
      searchedBackTo: null,
      notes: [],
      error: null,
    })),
  );
});

test('a store whose adapter throws is reported as failed, and the others are listed', async () => {
  const { s } = open(
    ({ clock }) => memoryStore({ clock, id: 'a', orders: orders('a', [1, 3]), onList: () => 'throws' }),
    ({ clock }) => memoryStore({ clock, id: 'b', orders: orders('b', [2, 4]) }),
  );
  const page = await list(s);
  expect(page.items.map(({ order }) => order.externalId)).toEqual(['b1', 'b0']);
  expect(page.sources).toMatchObject([
    { status: 'error', complete: false, error: { code: 'platform.invalid_response', whoCanFix: 'operator' } },
    { status: 'ok', complete: true },
  ]);
});

test('ten stores take as long as the slowest of them', async () => {
  const { s } = open(
    ...Array.from(
      { length: 10 },
      (_, n) => (of: StoreFixture) =>
        memoryStore({ clock: of.clock, id: `s${n}`, latencyMs: 10 + n * 10, orders: orders(`s${n}_`, [n]) }),
    ),
  );
  const before = s.clock.now().getTime();
  expect((await list(s)).items).toHaveLength(10);
  expect(s.clock.now().getTime() - before).toBe(100);
});

test.each(['-created_at', 'created_at', '-updated_at', 'updated_at'] as const)(
  'an order that leaves the list hides no other one where a store uses page numbers: by %s',
  async (sort) => {
    const { s, stores } = open(({ clock }) =>
      memoryStore({
        clock,
        tokens: 'offset',
        countsPages: true,
        orders: orders('a', [0, 1, 2, 3, 4, 4, 6, 7]),
      }),
    );
    const store = stores[0] as MemoryStore;
    const all = (await readAll(s, { sort, limit: 2, paymentStatus: ['paid'] })).items;
    const { items } = await readAll(s, { sort, limit: 2, paymentStatus: ['paid'] }, (page) => {
      const given = store.orders.get(all[page - 1] ?? '');
      if (given) store.put({ ...given, paymentStatus: 'refunded', updatedAt: at(100 + page) });
    });
    expect(items).toEqual(all);
  },
);

test('hundreds of orders with the same time do not enlarge a cursor', async () => {
  const { s } = open(({ clock }) =>
    memoryStore({ clock, orders: orders('order_01JV8ZX6Q9M2N4P7R5T', Array<number>(700).fill(1)) }),
  );
  const call = s.call(s.key());
  const seen = new Set<string>();
  for (let cursor: string | null | undefined; cursor !== null;) {
    const page: OrderList = await list(s, { limit: 100, cursor }, call);
    for (const { order } of page.items) seen.add(order.externalId);
    cursor = page.nextCursor;
    expect(cursor?.length ?? 0).toBeLessThan(6000);
  }
  expect(seen.size).toBe(700);
});

test('an order that was found but must wait for another store is not reported as listed', async () => {
  const others = (prefix: string, from: number) =>
    orders(
      prefix,
      Array.from({ length: 60 }, (_, n) => from - n),
    ).map((order) => ({ ...order, currency: 'JPY' }));
  const { s } = open(
    ({ clock }) =>
      memoryStore({
        clock,
        id: 'a',
        filters: [],
        pageMax: 2,
        orders: [...orders('found', [90]), ...others('a', 89)],
      }),
    ({ clock }) => memoryStore({ clock, id: 'b', filters: [], pageMax: 2, orders: others('b', 199) }),
  );
  const page = await list(s, { currency: 'EUR' });
  expect(page.items).toEqual([]);
  expect(page.sources).toMatchObject([
    { status: 'partial', searchedBackTo: at(90) },
    { status: 'partial', searchedBackTo: at(180) },
  ]);
});

test('a note that a store sends once applies to later pages too', async () => {
  const { s } = open(({ clock }) =>
    memoryStore({
      clock,
      orders: orders('a', [0, 1, 2, 3]),
      history: { from: at(1), noteShownOn: 'the first page' },
    }),
  );
  const call = s.call(s.key());
  const { nextCursor } = await list(s, { limit: 1 }, call);
  const page = await list(s, { limit: 1, cursor: nextCursor ?? '' }, call);
  expect(page.sources).toMatchObject([{ complete: false, notes: [{ code: 'orders.history_limited' }] }]);
});

test('a store that ignores a filter is searched within a budget, over short pages, until all is found', async () => {
  const many = orders(
    'x',
    Array.from({ length: 3000 }, (_, n) => n),
  ).map((order, n) => (n % 1500 === 0 ? { ...order, emails: ['Rare@Example.com'] } : order));
  const { s, stores } = open(({ clock }) => memoryStore({ clock, filters: [], orders: many }));
  const page = await list(s, { email: 'rare@example.com', limit: 2 });
  expect(page.items).toHaveLength(0);
  expect(page.nextCursor).not.toBeNull();
  expect(page.sources[0]).toMatchObject({ status: 'partial', complete: false, searchedBackTo: at(2000) });
  expect(stores[0]?.calls.list).toBe(10);
  const { items, pages } = await readAll(s, { email: 'rare@example.com', limit: 2 });
  expect(items).toEqual(['x1500', 'x0']);
  expect(pages).toBeLessThan(6);
});

test('an order that moves to the next page during a search is listed once', async () => {
  const half = orders(
    'x',
    Array.from({ length: 300 }, (_, n) => n),
  ).map((order, n) =>
    n % 2 === 0 ? order : { ...order, emails: [], customer: { id: null, name: null, email: null } },
  );
  const { s, stores } = open(({ clock }) =>
    memoryStore({ clock, tokens: 'offset', filters: [], latencyMs: 10, orders: half }),
  );
  const page = list(s, { email: 'ana.ruiz@example.com', limit: 100 });
  await s.clock.sleep(15);
  stores[0]?.put(remoteOrder({ externalId: 'new', createdAt: at(5000) }));
  stores[0]?.put(remoteOrder({ externalId: 'newer', createdAt: at(5001) }));
  const ids = (await page).items.map(({ order }) => order.externalId);
  expect(stores[0]?.calls.list).toBeGreaterThan(1);
  expect(new Set(ids).size).toBe(ids.length);
});

test('orders that do not match are never listed, even if the store returns them', async () => {
  const mixed = [
    remoteOrder({ externalId: 'fits', createdAt: at(1) }),
    remoteOrder({ externalId: 'other-status', createdAt: at(2), status: 'cancelled' }),
    remoteOrder({ externalId: 'other-currency', createdAt: at(3) }, 'JPY'),
  ];
  const { s } = open(({ clock }) => memoryStore({ clock, filters: [], orders: mixed }));
  const page = await list(s, { status: ['open'], currency: 'EUR', minTotal: '49.90', maxTotal: '49.90' });
  expect(page.items.map(({ order }) => order.externalId)).toEqual(['fits']);
});

test('a failed store leaves the traversal with its reason, and stays excluded from later pages', async () => {
  const { s, stores } = open(
    ({ clock }) => memoryStore({ clock, id: 'good', orders: orders('a', [1, 2, 3]) }),
    ({ clock }) => memoryStore({ clock, id: 'bad', orders: orders('b', [1, 2, 3]) }),
  );
  const bad = stores[1] as MemoryStore;
  bad.switches.listFails = true;
  const call = s.call(s.key());
  const page = await list(s, { limit: 2 }, call);
  expect(page.items.map(({ order }) => order.externalId)).toEqual(['a2', 'a1']);
  expect(page.sources[1]).toMatchObject({
    status: 'error',
    complete: false,
    error: { code: 'platform.unavailable' },
  });
  bad.switches.listFails = false;
  const next = await list(s, { limit: 2, cursor: page.nextCursor ?? '' }, call);
  expect(next.items.map(({ order }) => order.externalId)).toEqual(['a0']);
  expect(next.sources[1]).toMatchObject({ status: 'error', error: { code: 'platform.unavailable' } });
  expect(bad.calls.list).toBe(1);
});

test('a store that is too slow times out after ten seconds, and the others are listed', async () => {
  const { s } = open(
    ({ clock }) => memoryStore({ clock, id: 'fast', orders: orders('a', [1]) }),
    ({ clock }) => memoryStore({ clock, id: 'slow', latencyMs: 60_000, orders: orders('b', [2]) }),
  );
  const before = s.clock.now().getTime();
  const page = await list(s);
  expect(s.clock.now().getTime() - before).toBe(10_000);
  expect(page.items.map(({ order }) => order.externalId)).toEqual(['a0']);
  expect(page.sources.map(({ status }) => status)).toEqual(['ok', 'timeout']);
});

test('when every store fails the list fails with each store’s reason', async () => {
  const { s, stores, connections } = open(({ clock }) => memoryStore({ clock, orders: orders('a', [1]) }));
  const store = stores[0] as MemoryStore;
  store.switches.listFails = true;
  const result = await listOrders(s.ports, s.call(s.key()), ask);
  expect(result).toMatchObject({
    ok: false,
    failure: {
      code: 'orders.all_sources_failed',
      details: { sources: [{ connectionId: connections[0]?.id, code: 'platform.unavailable' }] },
    },
  });
});

test('a store that must be reconnected is reported next to the others', async () => {
  const { s, connections } = open(
    ({ clock }) => memoryStore({ clock, id: 'a', orders: orders('a', [1]) }),
    ({ clock }) => memoryStore({ clock, id: 'b' }),
  );
  s.closed.add(connections[1]?.id ?? '');
  expect((await list(s)).sources[1]).toMatchObject({
    status: 'error',
    error: { code: 'connection.needs_reauth' },
  });
});

test('a store with an incomplete history is not marked complete, also on later pages', async () => {
  const { s, stores } = open(
    ({ clock }) => memoryStore({ clock, id: 'long', orders: orders('a', [1, 2, 3]) }),
    ({ clock }) => memoryStore({ clock, id: 'short', orders: orders('b', [9]) }),
  );
  (stores[1] as MemoryStore).switches.notes = ['orders.history_limited'];
  const { last } = await readAll(s, { limit: 2 });
  expect(last.sources).toContainEqual(
    expect.objectContaining({
      platform: 'short',
      complete: false,
      notes: [{ code: 'orders.history_limited' }],
    }),
  );
});

test('without a store the list is empty and not a failure', async () => {
  expect(await list(createStoreFixture())).toEqual({ items: [], nextCursor: null, sources: [] });
});

test('a total without a currency is rejected, and so is one with too many decimals', async () => {
  const s = createStoreFixture();
  expect(await codeOf(s, { minTotal: '10.00' })).toBe('orders.currency_required');
  expect(await codeOf(s, { maxTotal: '10.00' })).toBe('orders.currency_required');
  expect(await codeOf(s, { minTotal: '10.50', currency: 'JPY' })).toBe('request.invalid');
  expect(await codeOf(s, { minTotal: '10.500', currency: 'KWD' })).toBe('ok');
});

test('an unreachable connection is not found, and its store is not queried', async () => {
  const { s, stores, connections } = open(({ clock }) => memoryStore({ clock, orders: orders('a', [1]) }));
  const otherCall = s.call(s.key({ profileIds: [s.build.profile(s.workspace).id] }));
  expect(await codeOf(s, { connectionId: connections[0]?.id }, otherCall)).toBe('connection.not_found');
  expect(await codeOf(s, { profileId: s.profile.id }, otherCall)).toBe('profile.not_found');
  expect(await codeOf(s, { platform: ['nonsense'] }, otherCall)).toBe('platform.not_found');
  expect((await list(s, {}, otherCall)).items).toEqual([]);
  expect(stores[0]?.calls.list).toBe(0);
  expect(
    await codeOf(s, {
      connectionId: connections[0]?.id,
      profileId: s.profile.id,
      platform: ['memory_store'],
    }),
  ).toBe('ok');
});

test('a cursor is valid only with its own filter', async () => {
  const { s } = open(({ clock }) => memoryStore({ clock, orders: orders('a', [1, 2, 3]) }));
  const call = s.call(s.key());
  const { nextCursor } = await list(s, { limit: 1 }, call);
  expect(await codeOf(s, { cursor: nextCursor ?? '', createdAfter: at(0) }, call)).toBe(
    'request.invalid_cursor',
  );
  expect(await codeOf(s, { cursor: nextCursor ?? '', limit: 2 }, call)).toBe('ok');
});

test('a store that was disconnected in between drops out, and a newly connected one is not included', async () => {
  const { s, connections } = open(
    ({ clock }) => memoryStore({ clock, id: 'a', orders: orders('a', [1, 3]) }),
    ({ clock }) => memoryStore({ clock, id: 'b', orders: orders('b', [2, 4]) }),
  );
  const call = s.call(s.key());
  const { nextCursor } = await list(s, { limit: 1 }, call);
  await s.disconnect(connections[1] as (typeof connections)[number]);
  s.connect(memoryStore({ clock: s.clock, id: 'c', orders: orders('c', [0, 9]) }));
  const page = await list(s, { cursor: nextCursor ?? '' }, call);
  expect(page.items.map(({ order }) => order.externalId)).toEqual(['a1', 'a0']);
});

test('a key without access to personal data sees none, and can still search by e-mail', async () => {
  const { s } = open(({ clock }) =>
    memoryStore({
      clock,
      orders: [
        remoteOrder({ externalId: 'hers', totals: { ...remoteOrder().totals, tax: money(0, 'EUR') } }),
      ],
    }),
  );
  const page = await list(s, { email: 'ana.ruiz@EXAMPLE.com' }, s.call(s.key({ hidePersonalData: true })));
  expect(page.items).toHaveLength(1);
  expect(JSON.stringify(page.items)).not.toMatch(/ana|ruiz|mayor/i);
  expect(JSON.stringify((await list(s)).items)).toMatch(/Ana Ruiz/);
});

test('a cursor over forty stores fits into a query string', async () => {
  const { s } = open(
    ...Array.from(
      { length: 40 },
      (_, n) => (of: StoreFixture) =>
        memoryStore({ clock: of.clock, id: `store${n}`, orders: orders(`so_9f2k${n}_`, [n, n + 100]) }),
    ),
  );
  const { nextCursor } = await list(s, { limit: 20 });
  const [, position] = JSON.parse(nextCursor ?? '') as [unknown, string];
  expect(position.length).toBeLessThan(2500);
});

test('a store that rate-limits in the middle keeps its results, and the list continues', async () => {
  let asked = 0;
  const { s } = open(({ clock }) =>
    memoryStore({
      clock,
      id: 'a',
      orders: orders('a', [1, 2, 3, 4, 5, 6, 7]),
      pageMax: 2,
      onList: () => (++asked === 3 ? 'throttles' : null),
    }),
  );
  const call = s.call(s.key());
  const page = await list(s, {}, call);
  expect(page.items.map(({ order }) => order.externalId)).toEqual(['a6', 'a5', 'a4', 'a3']);
  expect(page.sources[0]).toMatchObject({ status: 'partial', complete: false, searchedBackTo: at(4) });
  const rest = await list(s, { cursor: page.nextCursor ?? undefined }, call);
  expect(rest.items.map(({ order }) => order.externalId)).toEqual(['a2', 'a1', 'a0']);
  expect(rest.nextCursor).toBeNull();
});

test('a store that rate-limits the first request has failed', async () => {
  const { s } = open(({ clock }) => memoryStore({ clock, id: 'a', onList: () => 'throttles' }));
  expect(await codeOf(s, {})).toBe('orders.all_sources_failed');
});

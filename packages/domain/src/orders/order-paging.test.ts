import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { memoryStore, type MemoryStore, everyFilter } from '../../testing/stores/memory-store.js';
import { remoteOrder } from '../../testing/stores/order-builder.js';
import { repetitions } from '../../testing/repetitions.js';
import { createStoreFixture, type StoreFixture } from '../../testing/stores/store-fixture.js';
import type { OrderQuery } from '../ports/orders.js';
import { listOrders, type OrderList, readOrderQuery, type ListOrdersCommand } from './list-orders.js';
import { comesBefore, matchesQuery, sortTimeMs } from './order-filter.js';
import type { OrderSource } from './order-source.js';
import type { RemoteOrder } from './order.js';

/** The query of one list, its stores, and the events that happen there while it is read. */
type PagingPlan = ReturnType<typeof pagingPlan> extends fc.Arbitrary<infer Plan> ? Plan : never;
type StorePlan = PagingPlan['stores'][number];

const FIRST_MS = new Date('2026-02-01T00:00:00Z').getTime();
const atSecond = (second: number): Date => new Date(FIRST_MS + second * 1000);

/** Seconds over which orders are created: so few that many share one, or many more than there are orders. */
const SPREAD = [1, 20, 3600, 1_000_000] as const;
const rareOption = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: null, freq: 4 });

const anyOrder = (spread: number) =>
  fc.record({
    second: fc.nat(spread),
    /** The delay of a change after creation. */
    changedAfter: fc.nat(spread),
    rare: fc.constantFrom(true, false, false, false, false, false),
    paid: fc.boolean(),
    total: fc.constantFrom(100, 4990, 10_000),
  });

const anyStore = fc.constantFrom(...SPREAD).chain((spread) =>
  fc.record({
    orders: fc.array(anyOrder(spread), { maxLength: 40, size: 'max' }),
    pageMax: fc.constantFrom(2, 7, 100),
    tokens: fc.constantFrom('keyset', 'offset', 'counted'),
    ignores: fc.oneof(fc.subarray([...everyFilter]), fc.constantFrom([], [...everyFilter])),
    latencyMs: fc.constantFrom(1, 20, 3000),
    /** The response at which it fails, or hangs. */
    fails: rareOption(fc.nat(8)),
    hangs: fc.option(fc.nat(8), { nil: null, freq: 1 }),
    history: rareOption(
      fc.record({
        fromSecond: fc.nat(spread),
        noteShownOn: fc.constantFrom(
          'every page' as const,
          'the first page' as const,
          'the last page' as const,
        ),
      }),
    ),
  }),
);

/** An event at the n-th query of a store after the previous event. */
const anyEvent = fc.record({
  after: fc.nat(3),
  kind: fc.constantFrom('comes in', 'comes in late', 'is refunded', 'is refunded'),
  store: fc.nat(),
  order: fc.nat(),
});

const anyFilter = (spread: number): fc.Arbitrary<Partial<ListOrdersCommand>> =>
  fc.oneof(
    { weight: 3, arbitrary: fc.constant({}) },
    fc.record({ createdAfter: fc.nat(spread).map(atSecond) }),
    fc.record({ createdBefore: fc.nat(spread).map(atSecond) }),
    fc.record({ updatedAfter: fc.nat(spread).map(atSecond) }),
    fc.record({ updatedBefore: fc.nat(spread * 2).map(atSecond) }),
    { weight: 2, arbitrary: fc.constant({ email: 'RARE@example.com' }) },
    { weight: 3, arbitrary: fc.constant({ paymentStatus: ['paid' as const] }) },
    fc.constant({ currency: 'EUR', minTotal: '49.90' }),
    fc.constant({ currency: 'EUR', maxTotal: '49.90', email: 'rare@example.com' }),
  );

const pagingPlan = () =>
  fc.constantFrom(...SPREAD).chain((spread) =>
    fc.record({
      sort: fc.constantFrom(
        '-created_at',
        'created_at',
        '-created_at',
        'created_at',
        '-updated_at',
        'updated_at',
      ),
      limits: fc.array(fc.constantFrom(1, 2, 7, 20, 100), { minLength: 1, maxLength: 2 }),
      filter: anyFilter(spread),
      stores: fc.array(anyStore, { minLength: 1, maxLength: 4 }),
      events: fc.array(anyEvent, { maxLength: 12 }),
    }),
  );

function createOrders({ orders }: StorePlan, name: string): readonly RemoteOrder[] {
  const made = remoteOrder();
  return orders.map(({ second, changedAfter, rare, paid, total }, index) => ({
    ...made,
    externalId: `${name}.${index}`,
    createdAt: atSecond(second),
    updatedAt: atSecond(second + changedAfter),
    emails: rare ? ['Rare@Example.com'] : ['common@example.com'],
    paymentStatus: paid ? 'paid' : 'pending',
    totals: { ...made.totals, total: { ...made.totals.total, amountMinor: total } },
  }));
}

const listFilters = ({ ignores, tokens }: StorePlan): readonly (keyof OrderQuery)[] =>
  // Stores with page numbers have the time filters, as all real ones do.
  everyFilter.filter(
    (name) => !ignores.includes(name) || (tokens === 'counted' && /ed(After|Before)$/.test(name)),
  );

/**
 * For more runs: `SWITCHBOARD_PAGING_RUNS=20000`; for other plans, or to repeat a run:
 * `SWITCHBOARD_PAGING_SEED` as printed.
 */
const RUNS = Number(process.env['SWITCHBOARD_PAGING_RUNS'] ?? repetitions({ few: 150, many: 5000 }));
const SEED = Number(process.env['SWITCHBOARD_PAGING_SEED'] ?? 20_261_122);

interface StoreState {
  readonly plan: StorePlan;
  readonly store: MemoryStore;
  readonly connectionId: string;
  /** The orders at the beginning, whether the store lists them or not. */
  readonly originals: ReadonlyMap<string, RemoteOrder>;
  /** Those of them that have changed since, or no longer match. */
  readonly changed: Set<string>;
  readonly left: Set<string>;
  /** How often the store was queried, and whether it failed, since the last page was requested. */
  asked: number;
  failed: boolean;
  /**
   * Whether it uses page numbers, and an order that left or moved within its list may have shifted another
   * one past the reader.
   */
  slipped: boolean;
}

interface World {
  readonly s: StoreFixture;
  readonly query: OrderQuery;
  readonly storeStates: readonly StoreState[];
}

/** The stores of a plan. Events happen when a store is queried, so also within one page of the list. */
function open(plan: PagingPlan): World {
  const s = createStoreFixture();
  const query = readOrderQuery({ ...plan.filter, sort: plan.sort, limit: 1 });
  if (!query.ok) throw new Error(query.failure.code);
  const events = plan.events.map((event) => ({ ...event }));
  const storeStates: StoreState[] = [];
  let second = 10_000;
  const happens = () => {
    const [event] = events;
    const storeState = event && storeStates[event.store % storeStates.length];
    if (!event || !storeState || event.after-- > 0) return;
    events.shift();
    const now = atSecond(second++);
    if (event.kind === 'is refunded') {
      const order = [...storeState.store.orders.values()].at(
        event.order % Math.max(1, storeState.store.orders.size),
      );
      if (!order) return;
      const after: RemoteOrder = { ...order, updatedAt: now, paymentStatus: 'partially_refunded' };
      // The reader shared its time with the order until now, so this is determined before the order moves.
      const slips = maySlip(storeState, plan);
      storeState.store.put(after);
      storeState.changed.add(order.externalId);
      if (!matchesQuery(after, query.value)) storeState.left.add(order.externalId);
      if (!matchesQuery(after, query.value) || plan.sort.endsWith('updated_at')) storeState.slipped ||= slips;
    } else {
      // Some appear with a time that has already been listed.
      const createdAt = event.kind === 'comes in' ? now : atSecond(event.order % 40);
      storeState.store.put(remoteOrder({ externalId: `new.${second}`, createdAt, updatedAt: now }));
    }
  };
  plan.stores.forEach((its, index) => {
    const orders = createOrders(its, `s${index}`);
    let asked = 0;
    const store = memoryStore({
      clock: s.clock,
      id: `s${index}`,
      orders,
      filters: listFilters(its),
      latencyMs: its.latencyMs,
      pageMax: its.pageMax,
      countsPages: its.tokens === 'counted',
      tokens: its.tokens === 'keyset' ? 'keyset' : 'offset',
      ...(its.history && { history: { ...its.history, from: atSecond(its.history.fromSecond) } }),
      onList: () => {
        happens();
        const trouble = asked === its.fails ? 'fails' : asked === its.hangs ? 'hangs' : null;
        asked += 1;
        storeState.asked += 1;
        if (trouble) storeState.failed = true;
        return trouble;
      },
    });
    const storeState: StoreState = {
      plan: its,
      store,
      connectionId: s.connect(store).id,
      asked: 0,
      failed: false,
      slipped: false,
      originals: new Map(orders.map((order) => [order.externalId, order])),
      changed: new Set(),
      left: new Set(),
    };
    storeStates.push(storeState);
  });
  return { s, query: query.value, storeStates };
}

const isHidden = ({ plan }: StoreState, order: RemoteOrder): boolean =>
  plan.history !== null && order.createdAt < atSecond(plan.history.fromSecond);

/**
 * The orders of a store that the list must contain: those that matched all the time and, where the sort field
 * can change, did not change.
 */
const owed = (storeState: StoreState, query: OrderQuery): readonly RemoteOrder[] =>
  [...storeState.originals.values()].filter(
    (order) =>
      matchesQuery(order, query) &&
      !storeState.left.has(order.externalId) &&
      !(query.sort.endsWith('updated_at') && storeState.changed.has(order.externalId)),
  );

/**
 * Where a store uses page numbers and its adapter does not declare it, an order may be missed. Where it
 * declares it, the list continues by time, which leaves events between two requests for one page of the list,
 * and times shared by more orders than a page of the store holds.
 */
function maySlip(
  { plan: { tokens, pageMax }, asked, store }: StoreState,
  { sort, limits }: PagingPlan,
): boolean {
  if (tokens !== 'counted') return tokens === 'offset';
  const alike = Map.groupBy(store.orders.values(), (order) => sortTimeMs(order, sort)).values();
  return asked > 0 || Math.max(...[...alike].map(({ length }) => length)) > Math.min(pageMax, ...limits);
}

async function readAll({ s, query, storeStates }: World, plan: PagingPlan): Promise<void> {
  const call = s.call(s.key());
  const listed: { readonly id: string; readonly timeMs: number; readonly updatedMs: number }[] = [];
  const gone = new Set<string>();
  let cursor: string | null = null;
  let pages = 0;
  for (;;) {
    if (++pages > 3000) throw new Error('the list does not end');
    for (const storeState of storeStates) Object.assign(storeState, { asked: 0, failed: false });
    const limit = plan.limits[pages % plan.limits.length] ?? 1;
    const result = await listOrders(s.ports, call, {
      ...plan.filter,
      sort: plan.sort,
      limit,
      ...(cursor !== null && { cursor }),
    });
    if (!result.ok) {
      // No store responded: the same page may be requested again.
      expect(result.failure.code).toBe('orders.all_sources_failed');
      continue;
    }
    const page: OrderList = result.value;
    expect(page.items.length).toBeLessThanOrEqual(limit);
    for (const { order } of page.items) {
      if (!matchesQuery(order, query)) throw new Error(`${order.externalId} does not match`);
      const timeMs = sortTimeMs(order, query.sort);
      listed.push({ id: order.externalId, timeMs, updatedMs: order.updatedAt.getTime() });
    }
    cursor = page.nextCursor;
    expect(cursor?.length ?? 0).toBeLessThan(6000);
    expect(page.sources).toHaveLength(storeStates.length);
    const ids = new Set(listed.map(({ id }) => id));
    for (const storeState of storeStates) {
      if (storeState.failed) gone.add(storeState.connectionId);
      const source = page.sources.find(({ connectionId }) => connectionId === storeState.connectionId);
      if (!source) throw new Error('a store is not listed among the sources');
      checkSource(source, storeState, { query, ids, gone, end: cursor === null ? null : listed.at(-1) });
    }
    if (cursor === null) break;
  }

  const counts = Map.groupBy(listed, ({ id }) => id);
  const originals = new Map<string, RemoteOrder>();
  for (const storeState of storeStates) {
    for (const order of owed(storeState, query)) {
      const { externalId } = order;
      const count = counts.get(externalId)?.length ?? 0;
      if (count > 1) throw new Error(`${externalId} is listed ${count} times`);
      const excused = isHidden(storeState, order) || gone.has(storeState.connectionId) || storeState.slipped;
      if (count === 0 && !excused) throw new Error(`${externalId} is not listed`);
      originals.set(externalId, order);
    }
  }
  for (const [id, times] of counts) {
    const versions = new Set(times.map(({ updatedMs }) => updatedMs)).size;
    const allowed = query.sort.endsWith('updated_at') ? versions : 1;
    if (times.length > allowed) throw new Error(`${id} is listed ${times.length} times`);
  }
  const inOrder = listed.filter(({ id }) => originals.has(id));
  inOrder.forEach(({ id, timeMs }, at) => {
    const before = inOrder[at - 1];
    if (before && comesBefore(timeMs, before.timeMs, query.sort)) throw new Error(`${id} is out of order`);
  });
}

function checkSource(
  { status, complete, searchedBackTo, error }: OrderSource,
  storeState: StoreState,
  at: {
    readonly query: OrderQuery;
    readonly ids: ReadonlySet<string>;
    readonly gone: ReadonlySet<string>;
    /** Null when the list has ended; undefined before anything was listed. */
    readonly end: { readonly timeMs: number } | null | undefined;
  },
): void {
  const { query, ids, gone, end } = at;
  const failed = gone.has(storeState.connectionId);
  expect([failed, error !== null, status === 'timeout' || status === 'error']).toEqual([
    failed,
    failed,
    failed,
  ]);
  if (failed) return expect([complete, searchedBackTo]).toEqual([false, null]);
  if (storeState.slipped) return;
  const missing = owed(storeState, query).filter(({ externalId }) => !ids.has(externalId));
  const formatMissing = (order: RemoteOrder) => `${order.externalId} is missing`;
  if (complete) {
    const before = missing.filter(
      (order) => end === null || (end && comesBefore(sortTimeMs(order, query.sort), end.timeMs, query.sort)),
    );
    expect(before.map(formatMissing)).toEqual([]);
  }
  if (searchedBackTo) {
    const before = missing.filter(
      (order) =>
        !isHidden(storeState, order) &&
        comesBefore(sortTimeMs(order, query.sort), searchedBackTo.getTime(), query.sort),
    );
    expect(before.map(formatMissing)).toEqual([]);
  }
}

test(
  'every order that exists throughout and matches is listed exactly once, in order, under all store behaviors, with correct source reports',
  async () => {
    await fc.assert(
      fc.asyncProperty(pagingPlan(), async (plan) => readAll(open(plan), plan)),
      { numRuns: RUNS, seed: SEED },
    );
  },
  60_000 + RUNS * 50,
);

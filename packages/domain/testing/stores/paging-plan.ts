import fc from 'fast-check';
import type { RemoteOrder } from '../../src/orders/order.js';
import type { OrderQuery } from '../../src/ports/index.js';
import type { ListOrdersCommand } from '../../src/orders/list-orders.js';
import { everyFilter } from './memory-store.js';
import { remoteOrder } from './order-builder.js';

/** The query of one list, its stores, and the events that happen there meanwhile. */
export type PagingPlan = ReturnType<typeof pagingPlan> extends fc.Arbitrary<infer Plan> ? Plan : never;
export type StorePlan = PagingPlan['stores'][number];

const FIRST_MS = new Date('2026-02-01T00:00:00Z').getTime();
export const atSecond = (second: number): Date => new Date(FIRST_MS + second * 1000);

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

export const pagingPlan = () =>
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

export function createOrders({ orders }: StorePlan, name: string): readonly RemoteOrder[] {
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

export const listFilters = ({ ignores, tokens }: StorePlan): readonly (keyof OrderQuery)[] =>
  // Stores with page numbers have the time filters, as all real ones do.
  everyFilter.filter(
    (name) => !ignores.includes(name) || (tokens === 'counted' && /ed(After|Before)$/.test(name)),
  );

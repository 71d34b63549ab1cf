import { describe, expect, test } from '@jest/globals';
import type { RemoteOrder } from '@switchboard/domain/orders';
import type { OrderQuery, OrderSort, Orders } from '@switchboard/domain/ports';
import type { ContractContext } from './contract-context.js';

const sorts: readonly OrderSort[] = ['-created_at', 'created_at', '-updated_at', 'updated_at'];
const PAGES_MAX = 500;

/** The query of a filter, given a matching order, and the orders that match. */
type FilterSample = (like: RemoteOrder) => {
  query: Partial<OrderQuery>;
  fits: (order: RemoteOrder) => boolean;
};

const anyOf =
  (filter: keyof OrderQuery, field: 'status' | 'paymentStatus' | 'fulfillmentStatus'): FilterSample =>
  (like) => ({ query: { [filter]: [like[field]] }, fits: (order) => order[field] === like[field] });
const equal =
  (field: 'number' | 'currency'): FilterSample =>
  (like) => ({ query: { [field]: like[field] }, fits: (order) => order[field] === like[field] });
const since =
  (filter: keyof OrderQuery, field: 'createdAt' | 'updatedAt'): FilterSample =>
  (like) => ({ query: { [filter]: like[field] }, fits: (order) => order[field] >= like[field] });
const before =
  (filter: keyof OrderQuery, field: 'createdAt' | 'updatedAt'): FilterSample =>
  (like) => ({ query: { [filter]: like[field] }, fits: (order) => order[field] < like[field] });

const filters: Readonly<Record<Exclude<keyof OrderQuery, 'sort'>, FilterSample>> = {
  statuses: anyOf('statuses', 'status'),
  paymentStatuses: anyOf('paymentStatuses', 'paymentStatus'),
  fulfillmentStatuses: anyOf('fulfillmentStatuses', 'fulfillmentStatus'),
  createdAfter: since('createdAfter', 'createdAt'),
  createdBefore: before('createdBefore', 'createdAt'),
  updatedAfter: since('updatedAfter', 'updatedAt'),
  updatedBefore: before('updatedBefore', 'updatedAt'),
  number: equal('number'),
  email: (like) => ({
    query: { email: like.emails[0] },
    fits: (order) => order.emails.includes(like.emails[0] ?? ''),
  }),
  minTotalMinor: ({ totals: { total } }) => ({
    query: { minTotalMinor: total.amountMinor, currency: total.currency },
    fits: (order) => order.currency === total.currency && order.totals.total.amountMinor >= total.amountMinor,
  }),
  maxTotalMinor: ({ totals: { total } }) => ({
    query: { maxTotalMinor: total.amountMinor, currency: total.currency },
    fits: (order) => order.currency === total.currency && order.totals.total.amountMinor <= total.amountMinor,
  }),
  currency: equal('currency'),
};

export function ordersContract({ open, value, world }: ContractContext, orders: Orders): void {
  const everything = async (query: OrderQuery, limit = 100) => {
    const found: RemoteOrder[] = [];
    let token: string | undefined;
    for (let page = 0; page < PAGES_MAX; page++) {
      const { orders: some, next } = value(await orders.list(open(), query, { limit, token }));
      expect(some.length).toBeLessThanOrEqual(limit);
      found.push(...some);
      if (next === undefined) return found;
      token = next;
    }
    throw new Error('the pages never end');
  };
  const ids = (some: readonly RemoteOrder[]) => some.map((order) => order.externalId);

  test('pages contain every order once', async () => {
    const all = ids(await everything({ sort: '-created_at' }));
    expect(all.length).toBeGreaterThan(20);
    expect(ids(await everything({ sort: '-created_at' }, 7))).toEqual(all);
    expect(new Set(all).size).toBe(all.length);
  });

  test('amounts are whole numbers of the order’s own currency', async () => {
    for (const order of await everything({ sort: '-created_at' })) {
      for (const amount of [
        ...Object.values(order.totals),
        ...order.refunds.map((refund) => refund.amount),
      ]) {
        expect(amount.currency).toBe(order.currency);
        expect(Number.isSafeInteger(amount.amountMinor)).toBe(true);
      }
    }
  });

  test('the lines and shipping lines of an order add up to its total, beside fees and credit', async () => {
    const differing = (await everything({ sort: '-created_at' })).map(
      ({ number, lines, shippingLines, totals }) => {
        const minor = [...lines, ...shippingLines].reduce((sum, { total }) => sum + total.amountMinor, 0);
        return [number, totals.total.amountMinor - minor] as const;
      },
    );
    expect(Object.fromEntries(differing.filter(([, minor]) => minor !== 0))).toEqual(
      world().adjustments ?? {},
    );
  });

  test('orders state whether prices include tax, unless their store does not', async () => {
    const stated = (await everything({ sort: '-created_at' })).map(
      ({ pricesIncludeTax }) => pricesIncludeTax,
    );
    // An order without tax states nothing.
    expect(stated.some((one) => one !== null)).toBe(world().omitsTaxInclusion !== true);
  });

  test('an order read alone equals the order of the list', async () => {
    const [first] = value(await orders.list(open(), { sort: 'created_at' }, { limit: 1 })).orders;
    expect(first).toBeDefined();
    expect(value(await orders.get(open(), first?.externalId ?? ''))).toEqual(first);
  });

  test('the shipments of an order have IDs of their own, and lines of that order', async () => {
    const listed = await everything({ sort: 'created_at' });
    for (const order of listed.slice(0, 20)) {
      const { externalId } = order;
      const requested =
        order.shipments === null && orders.listShipments
          ? value(await orders.listShipments(open(), externalId))
          : order.shipments;
      const shipments = requested ?? [];
      expect(new Set(shipments.map(({ id }) => id)).size).toBe(shipments.length);
      const lines = new Map(order.lines.map(({ id, quantity }) => [id, quantity]));
      for (const { id, quantity } of shipments.flatMap(({ lineItems }) => lineItems)) {
        expect([externalId, id, quantity >= 1 && quantity <= (lines.get(id) ?? 0)]).toEqual([
          externalId,
          id,
          true,
        ]);
      }
    }
  });

  test('an order that does not exist is null', async () => {
    expect(value(await orders.get(open(), 'no such order/?#'))).toBeNull();
  });

  if (orders.filters.includes('sort')) {
    test.each(sorts)('orders are sorted by %s', async (sort) => {
      const field = sort.endsWith('created_at') ? 'createdAt' : 'updatedAt';
      const times = (await everything({ sort })).map((order) => order[field].getTime());
      expect(times).toEqual(
        [...times].sort((one, other) => (sort.startsWith('-') ? other - one : one - other)),
      );
    });
  }

  if (orders.countsPages) {
    const bounds = ['createdAfter', 'createdBefore', 'updatedAfter', 'updatedBefore'] as const;
    test.each(bounds.filter((name) => orders.filters.includes(name)))(
      'a page can begin at any %s, to the millisecond',
      async (name) => {
        const all = await everything({ sort: '-created_at' });
        const field = name.startsWith('created') ? 'createdAt' : 'updatedAt';
        const like = all[Math.floor(all.length / 2)];
        for (const ms of [-1, 0, 1]) {
          const at = new Date((like?.[field].getTime() ?? 0) + ms);
          const expected = all.filter((order) =>
            name.endsWith('After') ? order[field] >= at : order[field] < at,
          );
          expect(ids(await everything({ sort: '-created_at', [name]: at }))).toEqual(ids(expected));
        }
      },
    );
  }

  const declared = orders.filters.filter((name) => name !== 'sort');
  if (declared.length === 0) return;
  describe('the store itself filters by', () => {
    test.each(declared)('%s', async (name) => {
      const all = await everything({ sort: '-created_at' });
      const like = all[Math.floor(all.length / 2)];
      if (!like) throw new Error('there are no orders');
      const { query, fits } = filters[name](like);
      const expected = ids(all.filter(fits));
      expect(expected.length).toBeGreaterThan(0);
      expect(expected.length).toBeLessThan(all.length);
      expect(ids(await everything({ sort: '-created_at', ...query }))).toEqual(expected);
    });
  });
}

import type { Order } from './seeded-orders.js';

const SORTS: Readonly<Record<string, (order: Order) => number>> = {
  id: ({ id }) => id,
  customer_id: ({ customerId }) => customerId,
  status_id: ({ statusId }) => statusId,
  date_created: ({ created }) => seconds(created),
  date_modified: ({ modified }) => seconds(modified),
};

const LIMIT_MAX = 250;

interface ListRules {
  /** Whether a time equal to a bound is included; the documentation does not specify it. */
  readonly boundsIncluded: boolean;
}

/** The orders of a page; `null` when a parameter is invalid. v2 ignores unknown parameters. */
export function listOrders(
  orders: readonly Order[],
  query: URLSearchParams,
  rules: ListRules,
): readonly Order[] | null {
  const [field = 'id', way = 'asc'] = (query.get('sort') ?? 'id:asc').split(':');
  const page = wholeOf(query.get('page') ?? '1');
  const limit = wholeOf(query.get('limit') ?? '50');
  const placed = SORTS[field];
  if (!placed || !['asc', 'desc'].includes(way)) return null;
  if (page === null || limit === null || limit > LIMIT_MAX) return null;
  const found = orders
    .filter((order) => matchesQuery(order, query, rules))
    .sort((one, other) => placed(one) - placed(other) || one.id - other.id);
  if (way === 'desc') found.reverse();
  return found.slice((page - 1) * limit, page * limit);
}

const wholeOf = (text: string): number | null => (/^[1-9]\d{0,5}$/.test(text) ? Number(text) : null);

/** BigCommerce times have no fractional seconds. */
const seconds = (time: Date): number => Math.floor(time.getTime() / 1_000);

function matchesQuery(order: Order, query: URLSearchParams, { boundsIncluded }: ListRules): boolean {
  const number = (name: string) => (query.has(name) ? Number(query.get(name)) : null);
  const time = (name: string) => (query.has(name) ? seconds(new Date(query.get(name) ?? '')) : null);
  const within = (value: number, least: number | null, most: number | null) =>
    (least === null || value > least || (boundsIncluded && value === least)) &&
    (most === null || value < most || (boundsIncluded && value === most));
  const same = (name: string, value: string) =>
    !query.has(name) || query.get(name)?.toLowerCase() === value.toLowerCase();
  return (
    within(order.id, number('min_id'), number('max_id')) &&
    within(seconds(order.created), time('min_date_created'), time('max_date_created')) &&
    within(seconds(order.modified), time('min_date_modified'), time('max_date_modified')) &&
    same('status_id', String(order.statusId)) &&
    same('customer_id', String(order.customerId)) &&
    same('email', order.email)
  );
}

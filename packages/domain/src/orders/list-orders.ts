import { reachOf, type Call, reaches } from '../call.js';
import type { Connection } from '../connections/connection.js';
import { type ConnectionId, parseId } from '../ids.js';
import type { Ports } from '../ports/index.js';
import type { OrderQuery } from '../ports/orders.js';
import type { RemoteOrderKey } from '../ports/refunds.js';
import { orderKeyOf, applyOrderAccount } from '../refunds/order-account.js';
import type { Money } from '../money.js';
import { ok, type Result } from '../result.js';
import { notFound, refuse, type Problem } from '../failure.js';
import type { PageCommand } from '../paging.js';
import type { FulfillmentStatus, OrderStatus, OrderTotals, PaymentStatus, RemoteOrder } from './order.js';
import { queryStore, hasAllFilters, type OrderSource, type QueryStorePorts } from './order-source.js';
import { beginTraversal, resumeTraversal } from './order-traversal.js';
import { mergeStoreResults } from './merge-store-results.js';
import { SEARCH_PAGE_SIZE } from './search-store.js';
import { parseAmount } from '../money.js';
import { findUnknownPlatform } from '../platforms/find-unknown-platform.js';

export interface ListOrdersCommand
  extends
    PageCommand,
    Omit<
      OrderQuery,
      'statuses' | 'paymentStatuses' | 'fulfillmentStatuses' | 'minTotalMinor' | 'maxTotalMinor'
    > {
  readonly profileId?: string | undefined;
  readonly connectionId?: string | undefined;
  readonly platform?: readonly string[] | undefined;
  readonly status?: readonly OrderStatus[] | undefined;
  readonly paymentStatus?: readonly PaymentStatus[] | undefined;
  readonly fulfillmentStatus?: readonly FulfillmentStatus[] | undefined;
  readonly minTotal?: string | undefined;
  readonly maxTotal?: string | undefined;
}

/** An order of a connected store, with the id that this service assigns. */
export interface Order {
  readonly id: string;
  readonly connectionId: ConnectionId;
  readonly platform: string;
  /** `adjustments`: fees, tips, gift wrapping, rounding and, negative, store credit, as far as they are in no line. */
  readonly order: RemoteOrder & {
    readonly totals: OrderTotals & { readonly subtotal: Money; readonly adjustments: Money };
  };
}

export interface OrderList {
  readonly items: readonly Order[];
  readonly nextCursor: string | null;
  readonly sources: readonly OrderSource[];
}

type ListOrdersFailure =
  | 'profile.not_found'
  | 'connection.not_found'
  | 'platform.not_found'
  | 'request.invalid'
  | 'request.invalid_cursor'
  | 'orders.currency_required'
  | 'orders.all_sources_failed';

/**
 * Orders of all stores in one list, queried live and concurrently: it takes about as long as the slowest
 * store.
 */
export async function listOrders(
  ports: QueryStorePorts & Pick<Ports, 'connections' | 'cursors' | 'manifests' | 'profiles' | 'refunds'>,
  call: Call,
  command: ListOrdersCommand,
): Promise<Result<OrderList, ListOrdersFailure>> {
  const query = readOrderQuery(command);
  if (!query.ok) return query;
  const stores = await findOrderSources(ports, call, command);
  if (!stores.ok) return stores;

  const { limit, cursor, ...filter } = command;
  const scope = {
    workspaceId: call.workspaceId,
    list: 'orders',
    filter: JSON.stringify([filter, reachOf(call)]),
  };
  const lacksFilter = ({ platform }: Connection) =>
    !hasAllFilters(ports.platforms.find(platform)?.orders?.filters ?? [], query.value);
  const traversal =
    cursor === undefined
      ? ok(beginTraversal(stores.value, stores.value.some(lacksFilter) ? SEARCH_PAGE_SIZE : limit))
      : resumeTraversal(ports.cursors.read(scope, cursor), stores.value);
  if (!traversal.ok) return traversal;

  const { live, pageSize } = traversal.value;
  const results = await Promise.all(
    live.map(({ connection, from }) =>
      queryStore(ports, call, connection, { query: query.value, from, maxOrders: limit, pageSize }),
    ),
  );
  const page = mergeStoreResults(call, traversal.value, results, { sort: command.sort, limit });
  if (!page.ok) return page;
  const { items, sources, next } = page.value;
  return ok({
    items: await applyLedgerAccounts(ports, call, stores.value, items),
    sources,
    nextCursor: next === null ? null : ports.cursors.write(scope, next),
  });
}

/** The orders of a page minus the refunds recorded in the ledger. */
async function applyLedgerAccounts(
  ports: Pick<Ports, 'refunds'>,
  { workspaceId }: Call,
  stores: readonly Connection[],
  items: readonly Order[],
): Promise<readonly Order[]> {
  const byId = new Map(stores.map((store) => [store.id, store]));
  const keyed = items.map((item) => {
    const store = byId.get(item.connectionId);
    return { item, key: store && orderKeyOf(store, item.order) };
  });
  const keys = keyed.flatMap(({ key }) => key ?? []);
  const accounts = await ports.refunds.listAccounts(workspaceId, keys);
  if (accounts.length === 0) return items;
  const nameOf = (key: RemoteOrderKey) =>
    JSON.stringify([key.platform, key.accountServer, key.remoteAccountId, key.orderExternalId]);
  const byName = new Map(accounts.map((account) => [nameOf(account.order), account]));
  return keyed.map(({ item, key }) => ({
    ...item,
    order: applyOrderAccount(item.order, key && byName.get(nameOf(key))),
  }));
}

/**
 * The stores that a list covers, oldest connection first. A connection or profile that the caller names and
 * cannot reach is not found.
 */
async function findOrderSources(
  ports: Pick<Ports, 'connections' | 'manifests' | 'platforms' | 'profiles'>,
  call: Call,
  {
    profileId,
    connectionId,
    platform: platforms,
  }: Pick<ListOrdersCommand, 'profileId' | 'connectionId' | 'platform'>,
): Promise<
  Result<readonly Connection[], 'profile.not_found' | 'connection.not_found' | 'platform.not_found'>
> {
  const unknownPlatform = findUnknownPlatform(ports.manifests, platforms ?? []);
  if (unknownPlatform) return unknownPlatform;

  const profile = profileId === undefined ? undefined : parseId('prf', profileId);
  if (profile === null) return notFound('profile');
  if (profile && !(reaches(call, profile) && (await ports.profiles.find(call.workspaceId, profile)))) {
    return notFound('profile');
  }

  const id = connectionId === undefined ? undefined : parseId('con', connectionId);
  if (id === null) return notFound('connection');
  if (id) {
    const connection = await ports.connections.find(call.workspaceId, id);
    if (!connection || !reaches(call, connection.profileId)) return notFound('connection');
  }

  const connections = await ports.connections.listAll(call.workspaceId, {
    reach: reachOf(call),
    kind: 'commerce',
    profileId: profile,
    platforms,
    ids: id && [id],
  });
  return ok(connections.filter(({ platform }) => ports.platforms.find(platform)?.orders !== undefined));
}

/** Builds the query for every store from the caller's input. An amount requires its currency. */
export function readOrderQuery(
  command: ListOrdersCommand,
): Result<OrderQuery, 'orders.currency_required' | 'request.invalid'> {
  const { currency, minTotal, maxTotal } = command;
  if (currency === undefined && (minTotal !== undefined || maxTotal !== undefined)) {
    return refuse('orders.currency_required', 'min_total and max_total require `currency`.', {
      problems: [{ path: 'currency', code: 'field.required', message: 'is required with a total' }],
    });
  }
  const minTotalMinor = readTotal(minTotal, currency);
  const maxTotalMinor = readTotal(maxTotal, currency);
  const problems = [
    ...(minTotalMinor === null ? [notAnAmount('min_total')] : []),
    ...(maxTotalMinor === null ? [notAnAmount('max_total')] : []),
  ];
  if (minTotalMinor === null || maxTotalMinor === null) {
    return refuse('request.invalid', 'An amount is not valid in this currency.', { problems });
  }
  return ok({
    sort: command.sort,
    statuses: command.status,
    paymentStatuses: command.paymentStatus,
    fulfillmentStatuses: command.fulfillmentStatus,
    createdAfter: command.createdAfter,
    createdBefore: command.createdBefore,
    updatedAfter: command.updatedAfter,
    updatedBefore: command.updatedBefore,
    number: command.number,
    email: command.email,
    minTotalMinor,
    maxTotalMinor,
    currency,
  });
}

const readTotal = (text: string | undefined, currency: string | undefined): number | null | undefined =>
  text === undefined || currency === undefined ? undefined : parseAmount(text, currency);

const notAnAmount = (path: string): Problem => ({
  path,
  code: 'invalid_amount',
  message: 'A decimal number such as "12.34", with no more decimals than the currency has.',
});

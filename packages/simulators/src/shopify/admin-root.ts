import type { Order } from './seed-orders.js';
import { getDirectiveValues, GraphQLError, type GraphQLResolveInfo } from 'graphql';
import { globalId, hasScope, requireScope, numberOf, type ShopifyAccess } from './access.js';
import { connectionOf, type PageArguments } from './connection.js';
import type { Refund } from './order.js';
import { presentFulfillment, presentOrder, presentRefund } from './present-order.js';
import type { RefundInput } from './create-refund.js';
import type { ShopWebhooks } from './webhooks.js';
import { parseOrderSearch, type SearchWarning } from './order-search.js';

export interface AdminBackend {
  readonly now: () => Date;
  readonly shop: { readonly id: number; readonly name: string; readonly domain: string };
  readonly orders: readonly Order[];
  readonly shopCurrency: string;
  readonly locationId: number;
  readonly paginationCap: number;
  readonly webhooks: Pick<ShopWebhooks, 'create' | 'list' | 'remove'>;
  onRead(order: Order): void;
  refund(input: RefundInput, key: string): Refund | { readonly refused: string };
}

/**
 * The error of a mutation whose effect has happened: its own user errors next to the refund, or a withheld
 * field.
 */
export type PostEffectFault = 'user_error_after' | 'denied_after';

interface OrdersArguments extends PageArguments {
  readonly query?: string | null;
  readonly sortKey: string;
  readonly reverse: boolean;
}

interface WebhookArguments {
  readonly topic: string;
  readonly webhookSubscription: { readonly uri: string };
}

/** How far back an app without the all-orders scope sees orders. */
const WINDOW_MS = 60 * 24 * 3_600_000;

/** The simulated query and mutation roots. */
export function adminRoot(
  behind: AdminBackend,
  access: ShopifyAccess,
  { warn, how }: { readonly warn: (warning: SearchWarning) => void; readonly how: string | null },
) {
  const looking = { access, shopCurrency: behind.shopCurrency, locationId: behind.locationId };
  const isVisible = ({ createdAt }: Order) =>
    hasScope(access, 'read_all_orders') || createdAt.getTime() >= behind.now().getTime() - WINDOW_MS;
  return {
    shop: () => ({
      id: globalId('Shop', behind.shop.id),
      name: behind.shop.name,
      myshopifyDomain: behind.shop.domain,
      currencyCode: behind.shopCurrency,
    }),
    currentAppInstallation: () => ({ accessScopes: access.scopes.map((handle) => ({ handle })) }),
    orders({ query, sortKey, reverse, ...page }: OrdersArguments) {
      requireScope(access, 'read_orders', 'orders');
      const search = parseOrderSearch(query ?? '');
      search.warnings.forEach(warn);
      const by = (order: Order) => (sortKey === 'UPDATED_AT' ? order.updatedAt : order.createdAt).getTime();
      const way = reverse ? -1 : 1;
      const sorted = behind.orders
        .filter((order) => isVisible(order) && search.fits(order))
        .sort((one, other) => (by(one) - by(other) || one.id - other.id) * way);
      const present = (order: Order) => presentOrder(order, looking);
      return connectionOf(sorted, page, { by, reverse, cap: behind.paginationCap, present });
    },
    order({ id }: { readonly id: string }) {
      requireScope(access, 'read_orders', 'order');
      const number = numberOf('Order', id);
      const order = behind.orders.find((one) => one.id === number && isVisible(one));
      if (order) behind.onRead(order);
      return order ? presentOrder(order, looking) : null;
    },
    fulfillment({ id }: { readonly id: string }) {
      requireScope(access, 'read_orders', 'fulfillment');
      const number = numberOf('Fulfillment', id);
      const found = behind.orders
        .filter(isVisible)
        .flatMap(({ fulfillments }) => fulfillments)
        .find((one) => one.id === number);
      return found ? presentFulfillment(found) : null;
    },
    webhookSubscriptions: () => ({
      nodes: behind.webhooks.list().map(({ id, topic, url }) => ({ id, topic, uri: url })),
    }),
    webhookSubscriptionCreate({ topic, webhookSubscription }: WebhookArguments) {
      requireScope(access, 'read_orders', 'webhookSubscriptionCreate');
      const created = behind.webhooks.create({ topic, uri: webhookSubscription.uri });
      return 'refused' in created
        ? userError(['webhookSubscription', 'uri'], created.refused)
        : { webhookSubscription: created, userErrors: [] };
    },
    webhookSubscriptionDelete({ id }: { readonly id: string }) {
      return behind.webhooks.remove(id)
        ? { deletedWebhookSubscriptionId: id, userErrors: [] }
        : userError(['id'], 'Webhook subscription does not exist');
    },
    refundCreate({ input }: { readonly input: RefundInput }, _context: unknown, info: GraphQLResolveInfo) {
      requireScope(access, 'write_orders', 'refundCreate');
      const created = behind.refund(input, keyOf(info));
      if ('refused' in created) return userError(null, created.refused);
      const order = behind.orders.find(({ refunds }) => refunds.includes(created));
      if (!order) return null;
      const refund = presentRefund(created, order, looking);
      const keptBack = () =>
        requireScope({ scopes: [], protectedData: false }, 'read_orders', 'transactions');
      return {
        refund: how === 'denied_after' ? { ...refund, transactions: keptBack } : refund,
        order: presentOrder(order, looking),
        userErrors: how === 'user_error_after' ? [{ field: null, message: 'Something went wrong.' }] : [],
      };
    },
  };
}

/** A mutation's refusal, in which everything else is null. */
const userError = (field: readonly string[] | null, message: string) => ({
  userErrors: [{ field, message }],
});

/** Since 2026-04 refunds require a key, although the schema does not declare it. */
function keyOf({ schema, fieldNodes, variableValues }: GraphQLResolveInfo): string {
  const directive = schema.getDirective('idempotent');
  const [field] = fieldNodes;
  const provided =
    directive && field ? getDirectiveValues(directive, field, variableValues)?.['key'] : undefined;
  if (typeof provided === 'string' && provided.trim() !== '') return provided;
  throw new GraphQLError('The @idempotent directive is required for this mutation but was not provided.', {
    extensions: { code: 'BAD_REQUEST' },
  });
}

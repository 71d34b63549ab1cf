import { fieldsWith, okResponse, type WireResponse, type WireRequest } from '../wire/exchange.js';
import { isSignedWith, oauth1Of } from '../wire/oauth1.js';
import type { Route, RoutedRequest, Routes } from '../wire/routes.js';
import { defineSimulator, starter } from '../wire/simulator.js';
import { ImpossibleMemoError } from './collect-totals.js';
import { compareNaturally } from './compare-naturally.js';
import { ORDER_SEEDS, type SeedName } from './order-seeds.js';
import { presentInvoice, presentMemo, presentOrder, shipmentsOf, COLUMNS } from './present.js';
import { readId, readRefundInput, InvalidInputError } from './read-input.js';
import { createMemo, type ProviderRefund, type SalesMemo } from './refunds.js';
import { search } from './search.js';
import { seedOrder, type SalesInvoice, type SalesOrder } from './seeded-orders.js';

export interface AdobeStoreOptions {
  readonly now?: () => Date;
  /** Access tokens, with the store resources that their owner allowed. */
  readonly tokens?: Readonly<Record<string, readonly string[]>>;
  /** Integrations, which sign requests with their four keys. */
  readonly integrations?: readonly Integration[];
  /**
   * The order setting "Display Shipping Amount": including tax. It changes the meaning of a shipping amount.
   */
  readonly shippingShownInclTax?: boolean;
}

interface Integration {
  readonly consumerKey: string;
  readonly consumerSecret: string;
  readonly token: string;
  readonly tokenSecret: string;
  readonly resources: readonly string[];
}

/** All resources that an integration needs for orders and refunds. */
export const ALL_RESOURCES = [
  'Magento_Backend::store',
  'Magento_Sales::actions_view',
  'Magento_Sales::sales_invoice',
  'Magento_Sales::sales_creditmemo',
  'Magento_Sales::creditmemo',
  'Magento_Sales::shipment',
];

interface AdobeOwner {
  readonly resources: readonly string[];
}
type AdobeRoute = Route<AdobeState, AdobeOwner>;
type AdobeRequest = RoutedRequest<AdobeOwner>;

/** An unauthorized token and an unknown one get the same response. */
const needs =
  (resource: string, route: AdobeRoute): AdobeRoute =>
  (state, request) => {
    if (!request.owner.resources.includes(resource)) return unauthorized(resource);
    try {
      return route(state, request);
    } catch (error) {
      if (error instanceof InvalidInputError)
        return { status: 400, json: { message: error.message, parameters: error.parameters } };
      if (error instanceof ImpossibleMemoError) return { status: 400, json: { message: error.message } };
      throw error;
    }
  };

const byId = <Of extends { readonly entity_id: number }>(some: readonly Of[], { params }: AdobeRequest) => {
  const id = readId(params['id'] ?? '');
  return some.find(({ entity_id }) => entity_id === id);
};
function presented<Of>(found: Of | undefined, present: (row: Of) => unknown): WireResponse {
  return found ? okResponse(present(found)) : notFound;
}

function refund(
  state: AdobeState,
  { body }: AdobeRequest,
  order: SalesOrder | undefined,
  invoice: SalesInvoice | null,
): WireResponse {
  if (!order) return notFound;
  return okResponse(createMemo(state, order, invoice, readRefundInput(body)).entity_id);
}

const [CONFIGS, ORDERS, INVOICES, MEMOS, REFUNDS, SHIPMENTS] = ALL_RESOURCES as [
  ...[string, string, string],
  ...[string, string, string],
];
const routes: Routes<AdobeState, AdobeOwner> = {
  'GET /rest/V1/store/storeConfigs': needs(CONFIGS, ({ baseUrl }) => okResponse([storeConfig(baseUrl)])),
  'GET /rest/V1/orders': needs(ORDERS, ({ orders }, { query }) =>
    search(orders, COLUMNS.order, query, presentOrder),
  ),
  'GET /rest/V1/orders/:id': needs(ORDERS, ({ orders }, request) =>
    presented(byId(orders, request), presentOrder),
  ),
  'GET /rest/V1/invoices': needs(INVOICES, ({ invoices }, { query }) =>
    search(invoices, COLUMNS.invoice, query, presentInvoice),
  ),
  'GET /rest/V1/creditmemos': needs(MEMOS, ({ memos }, { query }) =>
    search(memos, COLUMNS.memo, query, presentMemo),
  ),
  'GET /rest/V1/shipments': needs(SHIPMENTS, ({ orders }, { query }) =>
    search(orders.flatMap(shipmentsOf), COLUMNS.shipment, query, (shipment) => shipment),
  ),
  'GET /rest/V1/creditmemo/:id': needs(MEMOS, ({ memos }, request) =>
    presented(byId(memos, request), presentMemo),
  ),
  'POST /rest/V1/order/:id/refund': needs(REFUNDS, (state, request) =>
    refund(state, request, byId(state.orders, request), null),
  ),
  'POST /rest/V1/invoice/:id/refund': needs(INVOICES, (state, request) => {
    const invoice = byId(state.invoices, request) ?? null;
    const order = state.orders.find(({ entity_id }) => entity_id === invoice?.order_id);
    return refund(state, request, order, invoice);
  }),
};

const inSeconds = (at: Date) => at.toISOString().slice(0, 19).replace('T', ' ');

function openState({ now = () => new Date(), shippingShownInclTax = false }: AdobeStoreOptions) {
  let ids = 1000;
  const state = {
    orders: [] as SalesOrder[],
    invoices: [] as SalesInvoice[],
    memos: [] as SalesMemo[],
    sent: [] as ProviderRefund[],
    returned: new Map<string, number>(),
    notifications: [] as string[],
    baseUrl: 'https://shop.example',
    /** The next refund's failure: the provider declines, or the store fails right after it has paid. */
    trouble: null as 'declines' | 'fails_after' | null,
    now: () => inSeconds(now()),
    nextId: () => ++ids,
    shippingShownInclTax,
  };
  Object.values(ORDER_SEEDS).forEach((seed, index) => {
    // Two at a time, so that orders within one second are distinguished by ID.
    const at = new Date(Date.parse('2026-10-01T08:00:00Z') + Math.floor(index / 2) * 7_200_000);
    addOrder(state, seedOrder(seed, index + 1, inSeconds(at), state.nextId));
  });
  return state;
}
export type AdobeState = ReturnType<typeof openState>;

function addOrder(
  { orders, invoices }: Pick<AdobeState, 'orders' | 'invoices'>,
  created: ReturnType<typeof seedOrder>,
): SalesOrder {
  orders.push(created.order);
  invoices.push(...created.invoices);
  return created.order;
}

/** The caller, with no resources if its token is unknown. A response: its signature is invalid. */
function ownerOf(request: WireRequest, { tokens, integrations }: AdobeStoreOptions, baseUrl: string) {
  const signed = oauth1Of(request);
  if (!signed) {
    const token = /^Bearer (.+)$/.exec(String(request.headers['authorization']))?.[1] ?? '';
    return { resources: tokens?.[token] ?? [] };
  }
  const known = integrations?.find(
    ({ consumerKey, token }) =>
      consumerKey === signed.get('oauth_consumer_key') && token === signed.get('oauth_token'),
  );
  const secrets = known && { consumer: known.consumerSecret, token: known.tokenSecret };
  return secrets && isSignedWith(request, baseUrl, secrets, compareNaturally)
    ? known
    : { status: 401, json: { message: 'The signature is invalid. Verify and try again.' } };
}

/**
 * An Adobe Commerce or Magento Open Source store according to its API description and source, without a
 * socket.
 */
export function adobeStore(options: AdobeStoreOptions = {}) {
  const state = openState(options);
  const { orders, invoices, memos } = state;
  const orderNamed = (name: SeedName): SalesOrder =>
    orders[Object.keys(ORDER_SEEDS).indexOf(name)] as SalesOrder;
  const invoicesOf = ({ entity_id: id }: SalesOrder) => invoices.filter(({ order_id }) => order_id === id);

  function refundInAdmin(name: SeedName, body: object, isOnline: boolean): SalesMemo {
    const order = orderNamed(name);
    const invoice = isOnline ? (invoicesOf(order)[0] ?? null) : null;
    return createMemo(state, order, invoice, readRefundInput({ ...body, isOnline }));
  }
  const amountOnly = (name: SeedName, amount: number) => ({
    items: orderNamed(name).items.map((item) => ({ order_item_id: item.item_id, qty: 0 })),
    arguments: { shipping_amount: 0, adjustment_positive: amount },
  });
  refundInAdmin('partlyRefunded', amountOnly('partlyRefunded', 7.5), true);
  refundInAdmin('refunded', { comment: { comment: 'Arrived broken', is_visible_on_front: 0 } }, true);
  refundInAdmin('bookedRefund', amountOnly('bookedRefund', 10), false);
  const madeBefore = memos.length;

  const simulator = defineSimulator<AdobeState, AdobeOwner>({
    state,
    routes,
    ownerOf: (request) => ownerOf(request, options, state.baseUrl),
    // The path may name a store view.
    rewrite: (request) => ({ ...request, path: request.path.replace(/^\/rest\/\w+\/V1\//, '/rest/V1/') }),
    unauthorized: unauthorized(''),
    notFound: { status: 404, json: { message: 'Request does not match any route.' } },
  });

  return {
    respond: simulator.respond,
    /** The response for a caller with these resources; an anonymous caller has none. */
    respondAs: (request: WireRequest, resources: readonly string[] | null): WireResponse =>
      simulator.respondAs(request, { resources: resources ?? [] }),
    setOrigin: (url: string) => void (state.baseUrl = url),
    orderNamed,
    invoicesOf,
    find: (id: string) => orders.find(({ entity_id }) => String(entity_id) === id),
    /** An order that arrives now. */
    order: (name: SeedName): SalesOrder =>
      addOrder(state, seedOrder(ORDER_SEEDS[name], state.nextId(), state.now(), state.nextId)),
    refundInAdmin,
    refunds: {
      /** The number of refunds made over the API. */
      createdCount: () => memos.length - madeBefore,
      of: ({ entity_id: id }: SalesOrder) => memos.filter(({ order_id }) => order_id === id),
    },
    gateway: {
      /** The amount actually refunded, regardless of the store's records. */
      sent: (): readonly ProviderRefund[] => state.sent,
      declineNextRefund: () => void (state.trouble = 'declines'),
      failNextRefundAfterPayment: () => void (state.trouble = 'fails_after'),
    },
    returnedToStock: (sku: string) => state.returned.get(sku) ?? 0,
    notifications: () => state.notifications,
  };
}

export type AdobeStore = ReturnType<typeof adobeStore>;
export const startAdobeCommerce = starter(adobeStore);

const notFound: WireResponse = {
  status: 404,
  json: { message: "The entity that was requested doesn't exist. Verify the entity and try again." },
};

const unauthorized = (resources: string): WireResponse => ({
  status: 401,
  json: { message: "The consumer isn't authorized to access %resources.", parameters: { resources } },
});

const storeConfig = (baseUrl: string) => ({
  id: 1,
  code: 'default',
  locale: 'en_US',
  website_id: 1,
  ...fieldsWith('EUR', 'base_currency_code default_display_currency_code'),
  timezone: 'Europe/Madrid',
  weight_unit: 'kgs',
  ...fieldsWith(`${baseUrl}/`, 'base_url base_link_url base_static_url base_media_url'),
  ...fieldsWith(`${baseUrl}/`, 'secure_base_url secure_base_link_url'),
  ...fieldsWith(`${baseUrl}/`, 'secure_base_static_url secure_base_media_url'),
});

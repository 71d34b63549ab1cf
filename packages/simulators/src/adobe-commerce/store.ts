import { okResponse, type WireResponse, type WireRequest } from '../wire/exchange.js';
import { isSignedWith, oauth1Of } from '../wire/oauth1.js';
import { ImpossibleMemoError } from './collect-totals.js';
import { compareNaturally } from './compare-naturally.js';
import { ORDER_SEEDS, type SeedName } from './order-seeds.js';
import { presentInvoice, presentMemo, presentOrder, COLUMNS } from './present.js';
import { readId, readRefundInput, InvalidInputError } from './read-input.js';
import { createMemo, type ProviderRefund } from './refunds.js';
import type { SalesInvoice, SalesMemo, SalesOrder } from './sales.js';
import { search } from './search.js';
import { seedOrder } from './seeded-orders.js';

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

export interface Integration {
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
];

/**
 * An Adobe Commerce or Magento Open Source store according to its API description and source, without a
 * socket.
 */
export function adobeStore(options: AdobeStoreOptions = {}) {
  const now = options.now ?? (() => new Date());
  const time = () => now().toISOString().slice(0, 19).replace('T', ' ');
  let ids = 1000;
  const nextId = () => ++ids;
  const orders: SalesOrder[] = [];
  const invoices: SalesInvoice[] = [];
  const memos: SalesMemo[] = [];
  const sent: ProviderRefund[] = [];
  const [returned, notifications] = [new Map<string, number>(), [] as string[]];
  let trouble: 'declines' | 'fails_after' | null = null;
  let baseUrl = 'https://shop.example';
  const context = {
    now: time,
    nextId,
    memos,
    invoices,
    sent,
    returned,
    notifications: notifications,
    shippingShownInclTax: () => options.shippingShownInclTax ?? false,
    takePaymentFault() {
      const accepted = trouble;
      trouble = null;
      return accepted;
    },
  };

  Object.values(ORDER_SEEDS).forEach((seed, index) => {
    // Two at a time, so that orders within one second are distinguished by ID.
    const seconds = Math.floor(index / 2) * 7_200;
    const at = new Date(Date.parse('2026-10-01T08:00:00Z') + seconds * 1_000).toISOString();
    const created = seedOrder(seed, index + 1, at.slice(0, 19).replace('T', ' '), nextId);
    orders.push(created.order);
    invoices.push(...created.invoices);
  });
  const orderNamed = (name: SeedName): SalesOrder =>
    orders[Object.keys(ORDER_SEEDS).indexOf(name)] as SalesOrder;
  const invoicesOf = ({ entity_id: id }: SalesOrder) => invoices.filter(({ order_id }) => order_id === id);

  /** Makes a refund in the admin. */
  function refundInAdmin(name: SeedName, body: object, isOnline: boolean): SalesMemo {
    const order = orderNamed(name);
    const invoice = isOnline ? (invoicesOf(order)[0] ?? null) : null;
    return createMemo(context, order, invoice, readRefundInput({ ...body, isOnline }));
  }
  const amountOnly = (name: SeedName, amount: number) => ({
    items: orderNamed(name).items.map((item) => ({ order_item_id: item.item_id, qty: 0 })),
    arguments: { shipping_amount: 0, adjustment_positive: amount },
  });
  refundInAdmin('partlyRefunded', amountOnly('partlyRefunded', 7.5), true);
  refundInAdmin('refunded', { comment: { comment: 'Arrived broken', is_visible_on_front: 0 } }, true);
  refundInAdmin('bookedRefund', amountOnly('bookedRefund', 10), false);
  const madeBefore = memos.length;

  function refund(request: WireRequest, order: SalesOrder | undefined, invoice: SalesInvoice | null) {
    if (!order) return notFound;
    return okResponse(createMemo(context, order, invoice, readRefundInput(request.body)).entity_id);
  }

  const byId = <Of extends { readonly entity_id: number }>(some: readonly Of[], text: string) => {
    const id = readId(text);
    return some.find(({ entity_id }) => entity_id === id);
  };
  const one = <Of extends { readonly entity_id: number }>(
    some: readonly Of[],
    text: string,
    present: (row: Of) => unknown,
  ): WireResponse => {
    const found = byId(some, text);
    return found ? okResponse(present(found)) : notFound;
  };

  const routes: readonly {
    readonly of: RegExp;
    readonly resource: string;
    readonly serve: (request: WireRequest, id: string) => WireResponse;
  }[] = [
    {
      of: /^GET \/store\/storeConfigs$/,
      resource: 'Magento_Backend::store',
      serve: () => okResponse([storeConfig(baseUrl)]),
    },
    {
      of: /^GET \/orders$/,
      resource: 'Magento_Sales::actions_view',
      serve: ({ query }) => search(orders, COLUMNS.order, query, presentOrder),
    },
    {
      of: /^GET \/orders\/([^/]+)$/,
      resource: 'Magento_Sales::actions_view',
      serve: (_, id) => one(orders, id, presentOrder),
    },
    {
      of: /^GET \/invoices$/,
      resource: 'Magento_Sales::sales_invoice',
      serve: ({ query }) => search(invoices, COLUMNS.invoice, query, presentInvoice),
    },
    {
      of: /^GET \/creditmemos$/,
      resource: 'Magento_Sales::sales_creditmemo',
      serve: ({ query }) => search(memos, COLUMNS.memo, query, presentMemo),
    },
    {
      of: /^GET \/creditmemo\/([^/]+)$/,
      resource: 'Magento_Sales::sales_creditmemo',
      serve: (_, id) => one(memos, id, presentMemo),
    },
    {
      of: /^POST \/order\/([^/]+)\/refund$/,
      resource: 'Magento_Sales::creditmemo',
      serve: (request, id) => refund(request, byId(orders, id), null),
    },
    {
      of: /^POST \/invoice\/([^/]+)\/refund$/,
      resource: 'Magento_Sales::sales_invoice',
      serve(request, id) {
        const invoice = byId(invoices, id) ?? null;
        const order = orders.find(({ entity_id }) => entity_id === invoice?.order_id);
        return refund(request, order, invoice);
      },
    },
  ];

  /** The response for a caller with these resources; an anonymous caller has none. */
  function respondAs(request: WireRequest, resources: readonly string[]): WireResponse {
    const [, path] = /^\/rest(?:\/\w+)?\/V1(\/.*)$/.exec(request.path) ?? [];
    const requested = `${request.method} ${path ?? ''}`;
    for (const { of, resource, serve } of routes) {
      const [matched, id = ''] = of.exec(requested) ?? [];
      if (matched === undefined) continue;
      // An unauthorized token and an unknown one get the same response.
      if (!resources.includes(resource)) return unauthorized(resource);
      try {
        return serve(request, decodeURIComponent(id));
      } catch (error) {
        if (error instanceof InvalidInputError)
          return { status: 400, json: { message: error.message, parameters: error.parameters } };
        if (error instanceof ImpossibleMemoError) return { status: 400, json: { message: error.message } };
        throw error;
      }
    }
    return { status: 404, json: { message: 'Request does not match any route.' } };
  }

  return {
    respondAs,
    respond(request: WireRequest): WireResponse {
      const signed = oauth1Of(request);
      if (signed) {
        const known = options.integrations?.find(
          ({ consumerKey, token }) =>
            consumerKey === signed.get('oauth_consumer_key') && token === signed.get('oauth_token'),
        );
        const secrets = known && { consumer: known.consumerSecret, token: known.tokenSecret };
        return secrets && isSignedWith(request, baseUrl, secrets, compareNaturally)
          ? respondAs(request, known.resources)
          : { status: 401, json: { message: 'The signature is invalid. Verify and try again.' } };
      }
      const token = /^Bearer (.+)$/.exec(String(request.headers['authorization']))?.[1] ?? '';
      return respondAs(request, options.tokens?.[token] ?? []);
    },
    setOrigin: (url: string) => void (baseUrl = url),
    orderNamed,
    invoicesOf,
    find: (id: string) => orders.find(({ entity_id }) => String(entity_id) === id),
    /** An order that arrives now. */
    order(name: SeedName): SalesOrder {
      const created = seedOrder(ORDER_SEEDS[name], nextId(), time(), nextId);
      orders.push(created.order);
      invoices.push(...created.invoices);
      return created.order;
    },
    refundInAdmin,
    refunds: {
      /** The number of refunds made over the API. */
      createdCount: () => memos.length - madeBefore,
      of: ({ entity_id: id }: SalesOrder) => memos.filter(({ order_id }) => order_id === id),
    },
    gateway: {
      /** The amount actually refunded, regardless of the store's records. */
      sent: () => sent,
      declineNextRefund: () => void (trouble = 'declines'),
      failNextRefundAfterPayment: () => void (trouble = 'fails_after'),
    },
    returnedToStock: (sku: string) => returned.get(sku) ?? 0,
    notifications: () => notifications,
  };
}

export type AdobeStore = ReturnType<typeof adobeStore>;

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
  website_id: 1,
  locale: 'en_US',
  base_currency_code: 'EUR',
  default_display_currency_code: 'EUR',
  timezone: 'Europe/Madrid',
  weight_unit: 'kgs',
  base_url: `${baseUrl}/`,
  base_link_url: `${baseUrl}/`,
  base_static_url: `${baseUrl}/static/`,
  base_media_url: `${baseUrl}/media/`,
  secure_base_url: `${baseUrl}/`,
  secure_base_link_url: `${baseUrl}/`,
  secure_base_static_url: `${baseUrl}/static/`,
  secure_base_media_url: `${baseUrl}/media/`,
});

import { okResponse, fieldsOf, textsOf, type WireResponse, type WireRequest } from '../wire/exchange.js';
import { squareError } from './errors.js';
import { listPayments } from './list-payments.js';
import { refundStore } from './refund-store.js';
import { createOrderSearch } from './search-orders.js';
import { MERCHANT, seededData, seededRefunds, type SeedOptions } from './seeded-data.js';

/** The permissions of a token, by Square's names. */
export const SQUARE_PERMISSIONS = [
  'MERCHANT_PROFILE_READ',
  'ORDERS_READ',
  'PAYMENTS_READ',
  'PAYMENTS_WRITE',
  'CUSTOMERS_READ',
] as const;

export interface SquareOptions extends SeedOptions {
  readonly now?: () => Date;
  /** The valid tokens with their permissions. */
  readonly tokens?: Readonly<Record<string, readonly string[]>>;
  /**
   * The number of reads for which a card refund is pending before it completes; null: until a test settles
   * it.
   */
  readonly settlesAfterReads?: number | null;
  /** How long the eventually consistent list of payments does not show a new payment or a change. */
  readonly listLagMs?: number;
  /** Whether a used key is rejected for any difference, and not only for another payment or amount. */
  readonly strictKeys?: boolean;
}

export const SQUARE_TOKEN = 'EAAAlOngLiveTheSimulatedSquare';

/** One Square merchant according to its published description, without a socket. */
export function squareStore(options: SquareOptions = {}) {
  const now = options.now ?? (() => new Date());
  const tokens = options.tokens ?? { [SQUARE_TOKEN]: SQUARE_PERMISSIONS };
  const books = seededData(options);
  const refunds = refundStore(books, now, options);
  for (const { paymentId, amount } of seededRefunds(books)) refunds.makeInStore(paymentId, amount);
  const orders = createOrderSearch(books, now);

  const notFound = (what: string, id: string) =>
    squareError(404, 'NOT_FOUND', `${what} not found for id ${id}`);
  const readCustomer = (id: string) => {
    const customer = books.customers.get(id);
    return customer ? { customer } : notFound('Customer', id).json;
  };

  function customersOf(body: unknown): WireResponse {
    const ids = textsOf(fieldsOf(body)['customer_ids']);
    if (ids.length === 0) return squareError(400, 'ARRAY_EMPTY', 'Field must not be empty.', 'customer_ids');
    if (ids.length > 100)
      return squareError(400, 'ARRAY_LENGTH_TOO_LONG', 'Field is too long.', 'customer_ids');
    return okResponse({ responses: Object.fromEntries(ids.map((id) => [id, readCustomer(id)])) });
  }

  /** The permission and response of each endpoint. */
  function endpointOf({
    method,
    path,
    query,
    body,
  }: WireRequest): readonly [string, () => WireResponse] | null {
    const [, , things = '', rest = ''] = path.split('/').map(decodeURIComponent);
    const id = rest;
    switch (`${method} ${things}${rest === '' ? '' : '/'}`) {
      case 'GET merchants/':
        return [
          'MERCHANT_PROFILE_READ',
          () =>
            id === 'me' || id === MERCHANT.id ? okResponse({ merchant: MERCHANT }) : notFound('Merchant', id),
        ];
      case 'GET locations':
        return ['MERCHANT_PROFILE_READ', () => okResponse({ locations: books.locations })];
      case 'POST orders/':
        return id === 'search' ? ['ORDERS_READ', () => orders.search(body)] : null;
      case 'GET orders/': {
        const order = books.orders.find((one) => one.id === id);
        return ['ORDERS_READ', () => (order ? okResponse({ order }) : notFound('Order', id))];
      }
      case 'GET payments':
        return [
          'PAYMENTS_READ',
          () => listPayments(books, query, { now: now(), lagMs: options.listLagMs ?? 0 }),
        ];
      case 'GET payments/': {
        const payment = books.payments.get(id);
        return ['PAYMENTS_READ', () => (payment ? okResponse({ payment }) : notFound('Payment', id))];
      }
      case 'POST refunds':
        return ['PAYMENTS_WRITE', () => refunds.create(body)];
      case 'GET refunds/':
        return ['PAYMENTS_READ', () => refunds.read(id)];
      case 'POST customers/':
        return id === 'bulk-retrieve' ? ['CUSTOMERS_READ', () => customersOf(body)] : null;
      default:
        return null;
    }
  }

  /** The response for a caller with these permissions. */
  function respondAs(request: WireRequest, permissions: readonly string[]): WireResponse {
    const version = request.headers['square-version'];
    if (version !== undefined && !/^\d{4}-\d\d-\d\d$/.test(String(version))) {
      return squareError(400, 'INVALID_SQUARE_VERSION_FORMAT', 'The version is a date.');
    }
    const endpoint = endpointOf(request);
    if (!endpoint) return squareError(404, 'NOT_FOUND', 'Resource not found.');
    const [permission, serve] = endpoint;
    if (!permissions.includes(permission)) {
      return squareError(
        403,
        'INSUFFICIENT_SCOPES',
        `The merchant has not given the application ${permission}.`,
      );
    }
    return structuredCopy(serve());
  }

  return {
    refunds,
    books,
    respondAs,
    respond(request: WireRequest): WireResponse {
      const token = /^Bearer (.+)$/.exec(String(request.headers['authorization']))?.[1] ?? '';
      const permissions = Object.hasOwn(tokens, token) ? tokens[token] : undefined;
      if (!permissions) return squareError(401, 'UNAUTHORIZED', 'This request could not be authorized.');
      return respondAs(request, permissions);
    },
  };
}

export type SquareStore = ReturnType<typeof squareStore>;

/** Responses are snapshots, unaffected by later changes. */
const structuredCopy = ({ json, ...rest }: WireResponse): WireResponse => ({
  ...rest,
  json: structuredClone(json),
});

import {
  ok,
  type OrderShipment,
  type RemoteOrder,
  type OrderQuery,
  type Orders,
  type Session,
} from '@switchboard/platform-kit';
import { parseResponse } from '@switchboard/platform-kit/parse-response';
import type { AdapterResult } from '@switchboard/platform-kit/platform-client';
import { z } from 'zod';
import { requestGraphql } from './client.js';
import { unreadableNotes } from '@switchboard/platform-kit/readable-rows';
import { globalId } from './ids.js';
import { readOrder, readShipment } from './read-order.js';
import { buildSearch, upTo } from './search.js';
import { webhooks } from './webhooks.js';
import { queries, order, placedOrder, type ShippedLines, type WireError, type WireOrder } from './wire.js';
import { PAGE_SIZES, SHIPMENT_SIZES } from './documents.js';

/** Shopify's maximum is 250, within the cost limit. */
const PAGE_MAX = 50;
/** The reach of cursors is limited (https://shopify.dev/docs/api/usage/limits#pagination-limits). */
const READ_MAX = 25_000;
const ALL_ORDERS = 'read_all_orders';

/** `readMax` is the maximum number of orders in one series of cursors. */
export const createOrders = (readMax: number): Orders => ({
  filters: [
    'sort',
    'statuses',
    'paymentStatuses',
    'createdAfter',
    'createdBefore',
    'updatedAfter',
    'updatedBefore',
    'number',
    'email',
  ],

  async list(session, query, { limit, token }) {
    const from = decodeCursor(token);
    const listed = await listPage(session, query, from, Math.min(limit, from.size ?? PAGE_MAX, PAGE_MAX));
    if (!listed.ok) return listed;
    const { answer, size } = listed.value;
    const { nodes, pageInfo } = answer.orders;
    const places = nodes.flatMap((node) => parseResponse(placedOrder, node).data ?? []);
    const again = new Set(from.from?.ids);
    const orders: RemoteOrder[] = [];
    let isAnyMissing = places.length < nodes.length;
    for (const node of nodes) {
      const part = parseResponse(order, node).data;
      if (again.has(part?.id ?? parseResponse(placedOrder, node).data?.id ?? '')) continue;
      const whole = part && (await completeOrder(session, part));
      if (whole?.ok) orders.push(readOrder(whole.value, session.baseUrl));
      else if (whole && whole.failure.code !== 'platform.invalid_response') return whole;
      else isAnyMissing = true;
    }
    const next = pageInfo.hasNextPage
      ? nextOf(query, {
          ...from,
          after: pageInfo.endCursor ?? undefined,
          size,
          read: from.read + nodes.length,
        })
      : undefined;
    const scopes = answer.currentAppInstallation.accessScopes.map(({ handle }) => handle);
    return ok({
      orders,
      ...(next && { next: encodeCursor(next) }),
      notes: [
        ...(scopes.includes(ALL_ORDERS) ? [] : (['orders.history_limited'] as const)),
        ...unreadableNotes(isAnyMissing),
      ],
    });

    function nextOf({ sort }: OrderQuery, position: OrderCursor): OrderCursor {
      if (position.read + PAGE_MAX <= readMax) return position;
      const last = places.at(-1);
      if (!last) return position;
      const timeOf = (node: typeof last) => (sort.endsWith('created_at') ? node.createdAt : node.updatedAt);
      const at = timeOf(last);
      const ids = places.filter((node) => timeOf(node).getTime() === at.getTime()).map(({ id }) => id);
      return { read: 0, size: position.size, from: { at, ids } };
    }
  },

  async get(session, externalId) {
    const found = await requestGraphql(
      session,
      queries.order,
      { id: globalId('Order', externalId) },
      { onError: nullIfInvalidId },
    );
    if (!found.ok) return found;
    if (!found.value.order) return ok(null);
    const whole = await completeOrder(session, found.value.order);
    return whole.ok ? ok(readOrder(whole.value, session.baseUrl)) : whole;
  },

  async listShipments(session, externalId) {
    const id = globalId('Order', externalId);
    const begun = await requestGraphql(session, queries.shipments, { id });
    if (!begun.ok) return begun;
    const first = begun.value.order?.fulfillments ?? [];
    const many =
      first.length < SHIPMENT_SIZES.shipments
        ? begun
        : await requestGraphql(session, queries.manyShipments, { id });
    if (!many.ok) return many;
    const shipments: OrderShipment[] = [];
    for (const shipment of many.value.order?.fulfillments ?? []) {
      const own = first.find((one) => one.id === shipment.id)?.fulfillmentLineItems;
      const lines = await completeLines(session, shipment.id, own);
      if (!lines.ok) return lines;
      shipments.push(readShipment(shipment, lines.value));
    }
    return ok(shipments);
  },

  webhooks,
});

export const orders = createOrders(READ_MAX);

/** The ID is the only variable: the error means that it does not exist. */
const nullIfInvalidId = ({ extensions }: WireError) =>
  extensions?.code === 'INVALID_VARIABLE' ? ok({ order: null }) : undefined;

type OrderPage = { readonly answer: z.infer<(typeof queries.orders)['answer']>; readonly size: number };

/**
 * A page of at most `size` orders, or of as many as Shopify's cost limit permits. If the remaining points
 * allow fewer, the page is shorter, and the next one may have the previous size.
 */
async function listPage(
  session: Session,
  query: OrderQuery,
  { after, from }: Pick<OrderCursor, 'after' | 'from'>,
  size: number,
  lasting = size,
): AdapterResult<OrderPage> {
  const variables = {
    first: size,
    after,
    query: buildSearch(query, from ? [upTo(query, from.at)] : []),
    sortKey: query.sort.endsWith('created_at') ? 'CREATED_AT' : 'UPDATED_AT',
    reverse: query.sort.startsWith('-'),
  };
  const listed = await requestGraphql(session, queries.orders, variables, {
    onError({ extensions }, cost) {
      const code = extensions?.code;
      const fits =
        code === 'MAX_COST_EXCEEDED'
          ? affordableSize(size, extensions?.maxCost ?? 1, extensions?.cost ?? 2)
          : affordableSize(size, cost?.throttleStatus.currentlyAvailable ?? 0, cost?.requestedQueryCost ?? 1);
      if (fits < 1 || (code !== 'MAX_COST_EXCEEDED' && code !== 'THROTTLED')) return undefined;
      return ok({ fits, lasting: code === 'THROTTLED' ? lasting : fits });
    },
  });
  if (!listed.ok) return listed;
  return 'fits' in listed.value
    ? listPage(session, query, { after, from }, listed.value.fits, listed.value.lasting)
    : ok({ answer: listed.value, size: lasting });
}

/** How many of `size` orders of that cost the given points allow: always fewer. */
const affordableSize = (size: number, points: number, cost: number): number =>
  Math.min(Math.floor((size * points) / Math.max(1, cost)), size - 1);

/** The order with its missing parts: few orders have so many that another request is needed. */
async function completeOrder(session: Session, order: WireOrder): AdapterResult<WireOrder> {
  let whole = order;
  const id = globalId('Order', order.id);
  for (let at = whole.lineItems; at.pageInfo.hasNextPage;) {
    const more = await requestGraphql(session, queries.lines, { id, after: at.pageInfo.endCursor });
    if (!more.ok) return more;
    if (!more.value.order) break;
    at = more.value.order.lineItems;
    whole = { ...whole, lineItems: { ...at, nodes: [...whole.lineItems.nodes, ...at.nodes] } };
  }
  if (whole.shippingLines.pageInfo.hasNextPage) {
    const all = await requestGraphql(session, queries.shippingLines, { id });
    if (!all.ok) return all;
    whole = { ...whole, ...all.value.order };
  }
  // These lists have no pages: a list of the requested length may be incomplete.
  if (whole.transactions.length >= PAGE_SIZES.transactions || whole.refunds.length >= PAGE_SIZES.refunds) {
    const all = await requestGraphql(session, queries.moneyMoved, { id });
    if (!all.ok) return all;
    whole = { ...whole, ...all.value.order };
  }
  return ok(whole);
}

/** The lines of a shipment, of which none or some have been read. */
async function completeLines(
  session: Session,
  shipmentId: string,
  begun: ShippedLines | undefined,
): AdapterResult<ShippedLines['nodes']> {
  const lines = [...(begun?.nodes ?? [])];
  for (let at = begun; at === undefined || at.pageInfo.hasNextPage;) {
    const variables = { id: globalId('Fulfillment', shipmentId), after: at?.pageInfo.endCursor };
    const more = await requestGraphql(session, queries.shippedLines, variables);
    if (!more.ok) return more;
    if (!more.value.fulfillment) break;
    at = more.value.fulfillment.fulfillmentLineItems;
    lines.push(...at.nodes);
  }
  return ok(lines);
}

const orderCursor = z.object({
  /**
   * Shopify's cursor, which names an order, so that nothing is lost or duplicated when another arrives in
   * front.
   */
  after: z.string().optional(),
  /** The maximum page size after Shopify found a larger one too expensive. */
  size: z.int().optional(),
  /** How many orders were read with consecutive cursors. */
  read: z.int(),
  /**
   * The start of a new series of cursors: the time of the last order before it, and the already listed orders
   * of that time.
   */
  from: z
    .object({ at: z.iso.datetime().transform((text) => new Date(text)), ids: z.array(z.string()) })
    .optional(),
});
type OrderCursor = z.infer<typeof orderCursor>;

const encodeCursor = (at: OrderCursor): string => JSON.stringify(at);

/** Always written by `writePosition`: cursors are authenticated. */
const decodeCursor = (token: string | undefined): OrderCursor =>
  token === undefined ? { read: 0 } : orderCursor.parse(JSON.parse(token));

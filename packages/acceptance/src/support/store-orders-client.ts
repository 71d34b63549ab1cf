import { openBrowser, type PageVisit } from './browser.js';
import { submitConnectForm } from './connect-sandbox.js';
import { asObjects, asText, type JsonObject } from './json.js';
import type { RestResponse, RestClient } from './rest-client.js';

export interface StoreOrdersClient {
  readonly connection: string;
  /** All pages of the store's orders that match. */
  listAllOrders(query: Readonly<Record<string, string | number>>): Promise<readonly JsonObject[]>;
  findByNumber(number: string): Promise<JsonObject>;
  /** Watches the store's orders, or reads them again, from a time. */
  watch(since: string): Promise<void>;
  /** All changes of orders after a position, and the position of the last one. */
  listChanges(
    after?: string,
  ): Promise<{ readonly changes: readonly JsonObject[]; readonly after: string | undefined }>;
  refund(
    order: JsonObject,
    body: JsonObject,
    headers?: Readonly<Record<string, string>>,
  ): Promise<RestResponse>;
}

/**
 * Submits the hosted form of a store that is connected with a key; returns the resulting page and the
 * session.
 */
export async function connectByKey(
  client: RestClient,
  platform: string,
  connectMethod: string,
  typed: Readonly<Record<string, string>>,
): Promise<{ readonly page: PageVisit; readonly session: JsonObject }> {
  const session = await client.expect(201, 'POST', '/connect/url', { body: { platform } });
  const page = await submitConnectForm(openBrowser(), asText(session['url']), connectMethod, typed);
  return {
    page,
    session: await client.expect(200, 'GET', `/connect/sessions/${asText(session['id'])}`),
  };
}

/** A customer's operations on the orders of one connected store. */
export function storeOrdersClient(client: RestClient, connection: string): StoreOrdersClient {
  const everyOrder: StoreOrdersClient['listAllOrders'] = async (query) => {
    const found: JsonObject[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const page: JsonObject = await client.expect(200, 'GET', '/ecommerce/orders', {
        query: { connection_id: connection, ...query, ...(cursor !== '' && { cursor }) },
      });
      found.push(...asObjects(page['data']));
      cursor = page['next_cursor'] as string | null;
    }
    return found;
  };
  return {
    connection,
    listAllOrders: everyOrder,
    async findByNumber(number) {
      const [order] = await everyOrder({ number });
      if (!order) throw new Error(`the store has no order ${number}`);
      return order;
    },
    async watch(since) {
      const body = { watch_orders: true, watch_orders_since: since };
      await client.expect(200, 'PATCH', `/connections/${connection}`, { body });
    },
    async listChanges(start) {
      const changes: JsonObject[] = [];
      for (let after = start; ;) {
        const page = await client.expect(200, 'GET', '/ecommerce/orders/changes', {
          query: { limit: 100, ...(after !== undefined && { after }) },
        });
        changes.push(...asObjects(page['data']));
        after = asText(page['after']);
        if (page['has_more'] !== true) return { changes, after };
      }
    },
    refund: (order, body, headers) =>
      client.post(`/ecommerce/orders/${asText(order['id'])}/refund`, body, headers),
  };
}

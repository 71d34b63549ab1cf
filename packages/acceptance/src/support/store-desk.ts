import { openBrowser, type Visit } from './browser.js';
import { beginAt } from './connect-sandbox.js';
import { objects, text, type JsonObject } from './json.js';
import type { RestAnswer, RestClient } from './rest-client.js';

export interface StoreDesk {
  readonly connection: string;
  /** All pages of the store's orders that fit. */
  everyOrder(query: Readonly<Record<string, string | number>>): Promise<readonly JsonObject[]>;
  numbered(number: string): Promise<JsonObject>;
  refund(
    order: JsonObject,
    body: JsonObject,
    headers?: Readonly<Record<string, string>>,
  ): Promise<RestAnswer>;
}

/** Types into the hosted form of a store that is connected with a key; answers the page that follows and the session. */
export async function connectByKey(
  client: RestClient,
  platform: string,
  way: string,
  typed: Readonly<Record<string, string>>,
): Promise<{ readonly page: Visit; readonly session: JsonObject }> {
  const session = await client.expect(201, 'POST', '/connect/url', { body: { platform } });
  const page = await beginAt(openBrowser(), text(session['url']), way, typed);
  return {
    page,
    session: await client.expect(200, 'GET', `/connect/sessions/${text(session['id'])}`),
  };
}

/** What a customer's service does with the orders of one connected store. */
export function storeDesk(client: RestClient, connection: string): StoreDesk {
  const everyOrder: StoreDesk['everyOrder'] = async (query) => {
    const found: JsonObject[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const page: JsonObject = await client.expect(200, 'GET', '/ecommerce/orders', {
        query: { connection_id: connection, ...query, ...(cursor !== '' && { cursor }) },
      });
      found.push(...objects(page['data']));
      cursor = page['next_cursor'] as string | null;
    }
    return found;
  };
  return {
    connection,
    everyOrder,
    async numbered(number) {
      const [order] = await everyOrder({ number });
      if (!order) throw new Error(`the store has no order ${number}`);
      return order;
    },
    refund: (order, body, headers) =>
      client.post(`/ecommerce/orders/${text(order['id'])}/refund`, body, headers),
  };
}

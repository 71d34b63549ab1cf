import { connectSandbox } from './connect-sandbox.js';
import { asObject, asObjects, asText, type JsonObject } from './json.js';
import type { RestClient } from './rest-client.js';

export interface SandboxOrder {
  readonly id: string;
  /** The store's own ID of the order. */
  readonly externalId: string;
  readonly capturedMinor: number;
}

/** Connects an account of a sandbox platform through the hosted flow; returns the connection ID. */
export async function connectAccount(
  client: RestClient,
  platform: string,
  account: string,
  profileId?: string,
): Promise<string> {
  const body = { platform, ...(profileId !== undefined && { profile_id: profileId }) };
  const session = await client.expect(201, 'POST', '/connect/url', { body });
  await connectSandbox(asText(session['url']), { account });
  const finishedSession = await client.expect(200, 'GET', `/connect/sessions/${asText(session['id'])}`);
  const [id] = finishedSession['connection_ids'] as string[];
  if (id === undefined)
    throw new Error(`${account} of ${platform} was not connected: ${JSON.stringify(finishedSession)}`);
  return id;
}

export const parseMinor = (money: unknown): number =>
  Number((asObject(money)['amount'] as string).replace('.', ''));
export const formatEuro = (amountMinor: number): string => (amountMinor / 100).toFixed(2);

/** Orders in euros, captured in full by one payment that the store can refund online, largest first. */
export async function refundableOrders(
  client: RestClient,
  connectionId: string,
): Promise<readonly SandboxOrder[]> {
  const orders: JsonObject[] = [];
  for (let cursor: string | null = ''; cursor !== null;) {
    const query = { connection_id: connectionId, payment_status: 'paid', currency: 'EUR', limit: 100 };
    const page: JsonObject = await client.expect(200, 'GET', '/ecommerce/orders', {
      query: { ...query, ...(cursor !== '' && { cursor }) },
    });
    orders.push(...asObjects(page['data']));
    cursor = page['next_cursor'] as string | null;
  }
  return orders
    .filter(({ payments, totals }) => {
      const [payment, ...others] = asObjects(payments);
      if (!payment || others.length > 0) return false;
      return (
        payment['refundable_online'] === true &&
        parseMinor(payment['refundable']) === parseMinor(asObject(totals)['total'])
      );
    })
    .map((order) => ({
      id: asText(order['id']),
      externalId: asText(order['external_id']),
      capturedMinor: parseMinor(asObject(order['totals'])['refundable']),
    }))
    .filter(({ capturedMinor }) => capturedMinor > 0)
    .sort((a, b) => b.capturedMinor - a.capturedMinor);
}

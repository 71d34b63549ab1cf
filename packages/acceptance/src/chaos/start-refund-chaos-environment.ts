import { parseAmount } from '@switchboard/domain';
import type { Sandbox } from '@switchboard/sandbox';
import { connectAccount } from '../support/sandbox-store.js';
import { asObject, asObjects, asText, type JsonObject } from '../support/json.js';
import type { RestClient } from '../support/rest-client.js';
import { openChaosDatabase, type ChaosDatabase } from './database.js';
import type { Fleet } from './fleet.js';
import { createKeyTree, type DailyCeilings, type KeyTree } from './key-tree.js';
import type { RefundableOrder } from './refunds-plan.js';
import { startFleetInstallation } from './start-fleet-installation.js';

export const STORE = 'alder-oak';
/** About four in ten of the sandbox's orders are captured, online, and not refunded. */
const ORDERS_FOR_ONE = 3.5;
/** How many orders the sandbox needs so that this many can be refunded. */
export const countOrdersOfEachShop = (refundable: number) => Math.ceil(refundable * ORDERS_FOR_ONE) + 40;

/** REST processes on one database, each with a worker, and an external store. */
export interface RefundChaosEnvironment {
  readonly sandbox: Sandbox;
  readonly database: ChaosDatabase;
  readonly fleet: Fleet;
  /** One client per process of the fleet, all with the same key; the default is the key without ceilings. */
  clients(token?: string): readonly RestClient[];
  readonly tree: KeyTree;
  /** A process that is never killed, for inspection. */
  readonly observer: RestClient;
  readonly orders: readonly RefundableOrder[];
  close(): Promise<void>;
}

export async function startRefundChaosEnvironment(
  stateDir: string,
  { orders, processes, onOutput }: { orders: number; processes: number; onOutput: (text: string) => void },
): Promise<RefundChaosEnvironment> {
  const database = await openChaosDatabase(stateDir, 'chaos_refunds');
  try {
    const installation = await startFleetInstallation({
      name: 'chaos_refunds',
      databaseUrl: database.url,
      ordersOfEachShop: countOrdersOfEachShop(orders),
      processes,
      onOutput,
    });
    const close = async () => {
      await installation.close();
      await database.close();
    };
    try {
      const { sandbox, fleet, observer, clients, clientOf } = installation;
      // Some real stores read the remaining amount and write it a moment later without checking again.
      sandbox.control.changeSettings({ lax_over_refund: true, lax_window_ms: 30 });
      const connection = await connectAccount(observer, 'sandbox_store', STORE);
      const chosenOrders = (await listRefundableOrders(observer, connection)).slice(0, orders);
      return {
        sandbox,
        database,
        fleet,
        observer,
        close,
        clients,
        tree: await createKeyTree(
          observer,
          clientOf,
          ['orders:read', 'refunds:write'],
          createCeilings(chosenOrders),
        ),
        orders: chosenOrders,
      };
    } catch (error) {
      await installation.close();
      throw error;
    }
  } catch (error) {
    await database.close();
    throw error;
  }
}

/**
 * A fifth of the captured amount, so that the ceiling is reached long before all requested refunds are made.
 */
function createCeilings(orders: readonly RefundableOrder[]): DailyCeilings {
  const captured = new Map<string, number>();
  for (const { currency, capturedMinor } of orders)
    captured.set(currency, (captured.get(currency) ?? 0) + capturedMinor);
  return new Map([...captured].map(([currency, minor]) => [currency, Math.floor(minor / 5)]));
}

export async function listRefundableOrders(
  client: RestClient,
  connection: string,
): Promise<readonly RefundableOrder[]> {
  const found: JsonObject[] = [];
  for (let cursor: string | null = ''; cursor !== null;) {
    const query = { connection_id: connection, payment_status: 'paid', limit: 100 };
    const page: JsonObject = await client.expect(200, 'GET', '/ecommerce/orders', {
      query: { ...query, ...(cursor !== '' && { cursor }) },
    });
    found.push(...asObjects(page['data']));
    cursor = page['next_cursor'] as string | null;
  }
  return found.flatMap((order): RefundableOrder[] => {
    const [payment, ...others] = asObjects(order['payments']);
    const currency = asText(order['currency']);
    const [captured, refundableMinor] = [payment?.['captured'], payment?.['refundable']].map((money) =>
      money === undefined ? 0 : parseMinor(money),
    );
    if (others.length > 0 || payment?.['refundable_online'] !== true) return [];
    if (!captured || captured !== refundableMinor) return [];
    return [
      {
        id: asText(order['id']),
        externalId: asText(order['external_id']),
        currency,
        capturedMinor: captured,
        lines: asObjects(order['line_items']).map((line) => ({
          id: asText(line['id']),
          quantity: Number(line['refundable_quantity']),
        })),
        shipped: asObjects(order['shipping_lines']).length > 0,
      },
    ];
  });
}

/** A response amount in minor units of its currency. */
export function parseMinor(money: unknown): number {
  const { amount, currency } = asObject(money);
  return parseAmount(asText(amount), asText(currency)) ?? Number.NaN;
}

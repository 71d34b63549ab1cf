import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseAmount } from '@switchboard/domain';
import { startSandbox, type Sandbox } from '@switchboard/sandbox';
import { connectAccount } from '../support/sandbox-store.js';
import { freePort } from '../support/free-port.js';
import { asObject, asObjects, asText, type JsonObject } from '../support/json.js';
import { programs } from '../support/programs.js';
import { restClient, type RestClient } from '../support/rest-client.js';
import { startSwitchboard } from '../support/start-switchboard.js';
import { openChaosDatabase, type ChaosDatabase } from './database.js';
import { startFleet, type Fleet } from './fleet.js';
import { createKeyTree, type DailyCeilings, type KeyTree } from './key-tree.js';
import type { RefundableOrder } from './refunds-plan.js';

const STORE = 'alder-oak';
/** About four in ten of the sandbox's orders are captured, online, and not refunded. */
const ORDERS_FOR_ONE = 3.5;

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
  const closing: (() => Promise<unknown>)[] = [];
  const close = async () => {
    for (const end of closing.splice(0).reverse()) await end();
  };
  try {
    const database = await openChaosDatabase(stateDir, 'chaos_refunds');
    closing.push(() => database.close());
    const sandbox = await startSandbox({ ordersOfEachShop: Math.ceil(orders * ORDERS_FOR_ONE) + 40 });
    closing.push(() => sandbox.close());
    // Some real stores read the remaining amount and write it a moment later without checking again.
    sandbox.control.changeSettings({ lax_over_refund: true, lax_window_ms: 30 });
    const more = {
      LOG_LEVEL: 'warn',
      SWITCHBOARD_SANDBOX_STORE_BASE_URL: sandbox.url,
      SWITCHBOARD_ALLOW_PRIVATE_HOSTS: new URL(sandbox.url).host,
    };
    const switchboard = await startSwitchboard({
      name: 'chaos_refunds',
      databaseUrl: database.url,
      env: { ...more, SWITCHBOARD_ROLES: 'http' },
    });
    closing.push(() => switchboard.stop());
    const observer = restClient(switchboard.url, switchboard.keys.full);
    const connection = await connectAccount(observer, 'sandbox_store', STORE);

    const processAddresses: {
      readonly port: number;
      readonly sandboxPort: number;
      readonly dataDir: string;
    }[] = [];
    for (let index = 0; index < processes; index += 1) {
      const dataDir = await mkdtemp(path.join(tmpdir(), 'switchboard-chaos-'));
      closing.push(() => rm(dataDir, { recursive: true, force: true }));
      processAddresses.push({ port: await freePort(), sandboxPort: await freePort(), dataDir });
    }
    const fleet = startFleet(processes, { ...switchboard.env, SWITCHBOARD_ROLES: 'http,worker' }, onOutput, {
      file: programs.rest,
      args: [],
      ready: /REST is ready at \S+/,
      envOf: (index) => ({
        PORT: String(processAddresses[index]?.port),
        // Each process starts its own sandbox, which stays empty.
        SWITCHBOARD_SANDBOX_PORT: String(processAddresses[index]?.sandboxPort),
        SWITCHBOARD_DATA_DIR: processAddresses[index]?.dataDir ?? '',
      }),
    });
    closing.push(() => fleet.stop());
    await fleet.waitUntilRunning();
    const chosenOrders = (await listRefundableOrders(observer, connection)).slice(0, orders);
    return {
      sandbox,
      database,
      fleet,
      observer,
      close,
      clients: (token = switchboard.keys.full) =>
        processAddresses.map(({ port }) => restClient(`http://127.0.0.1:${port}`, token)),
      tree: await createKeyTree(
        observer,
        (token) => restClient(switchboard.url, token),
        ['orders:read', 'refunds:write'],
        createCeilings(chosenOrders),
      ),
      orders: chosenOrders,
    };
  } catch (error) {
    await close();
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

async function listRefundableOrders(
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

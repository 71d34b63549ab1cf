import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startSandbox, type Sandbox } from '@switchboard/sandbox';
import { freePort } from '@switchboard/persistence/testing';
import { programs } from '../support/programs.js';
import { restClient, type RestClient } from '../support/rest-client.js';
import { startSwitchboard } from '../support/start-switchboard.js';
import { startFleet, type Fleet } from './fleet.js';

/** REST processes on one database, each with a worker, and external platforms. */
export interface FleetInstallation {
  readonly sandbox: Sandbox;
  readonly fleet: Fleet;
  readonly databaseUrl: string;
  /** A process that is never killed, for inspection, with the key of the first start. */
  readonly observer: RestClient;
  /** The same process with another key. */
  clientOf(token: string): RestClient;
  /** One client per process of the fleet, all with the same key; the default is that of the first start. */
  clients(token?: string): readonly RestClient[];
  close(): Promise<void>;
}

interface FleetInstallationOptions {
  readonly name: string;
  /** A separate database instead of one on the test server. */
  readonly databaseUrl?: string | undefined;
  readonly ordersOfEachShop: number;
  readonly processes: number;
  readonly onOutput: (text: string) => void;
}

export async function startFleetInstallation({
  name,
  databaseUrl,
  ordersOfEachShop,
  processes,
  onOutput,
}: FleetInstallationOptions): Promise<FleetInstallation> {
  const closing: (() => Promise<unknown>)[] = [];
  const close = async () => {
    for (const end of closing.splice(0).reverse()) await end();
  };
  try {
    const sandbox = await startSandbox({ ordersOfEachShop });
    closing.push(() => sandbox.close());
    const switchboard = await startSwitchboard({
      name,
      databaseUrl,
      env: {
        LOG_LEVEL: 'warn',
        SWITCHBOARD_ROLES: 'http',
        SWITCHBOARD_SANDBOX_SOCIAL_BASE_URL: sandbox.url,
        SWITCHBOARD_SANDBOX_STORE_BASE_URL: sandbox.url,
        SWITCHBOARD_ALLOW_PRIVATE_HOSTS: new URL(sandbox.url).host,
      },
    });
    closing.push(() => switchboard.stop());

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
    return {
      sandbox,
      fleet,
      databaseUrl: switchboard.databaseUrl,
      observer: restClient(switchboard.url, switchboard.keys.full),
      clientOf: (token) => restClient(switchboard.url, token),
      clients: (token = switchboard.keys.full) =>
        processAddresses.map(({ port }) => restClient(`http://127.0.0.1:${port}`, token)),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

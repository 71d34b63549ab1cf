import path from 'node:path';
import {
  connectAccount,
  restClient,
  startSwitchboard,
  asText,
  type RestClient,
  type SwitchboardProcesses,
} from '@switchboard/acceptance';
import { root } from '@switchboard/bootstrap';
import { leaseServer, getServerStatus } from '@switchboard/persistence/embedded';
import pg from 'pg';

export const benchDir = path.join(root, '.switchboard/bench');

/** A complete installation on a PostgreSQL with durable commits, with 20 social accounts and 10 stores. */
export interface Installation {
  readonly switchboard: SwitchboardProcesses;
  readonly client: RestClient;
  readonly pool: pg.Pool;
  /** One of the profiles, and its social accounts. */
  readonly profile: string;
  readonly socials: readonly string[];
  readonly stores: readonly string[];
  close(): Promise<void>;
}

const SOCIAL_ACCOUNTS = ['maren-holt', 'lumen-coffee'];
const STORE_ACCOUNT = 'alder-oak';
const PROFILES = 10;

interface InstallationOptions {
  /** Distinguishes the databases of several installations on one PostgreSQL. */
  readonly label?: string;
  readonly env?: Readonly<Record<string, string>>;
}

export async function startInstallation({
  label = '',
  env = {},
}: InstallationOptions = {}): Promise<Installation> {
  const stateDir = path.join(benchDir, 'database');
  const closing: (() => Promise<unknown>)[] = [];
  const close = async () => {
    for (const end of closing.splice(0).reverse()) await end();
  };
  try {
    const lease = await leaseServer({ stateDir, idleMs: 200 });
    closing.push(async () => {
      await lease.release();
      await untilStopped(stateDir);
    });
    const name = `bench_${process.pid}${label}`;
    const databaseUrl = await makeDatabase(lease.url, name);
    closing.push(() => queryRows(lease.url, `DROP DATABASE "${name}" WITH (FORCE)`));
    const switchboard = await startSwitchboard({
      name,
      databaseUrl,
      mcp: true,
      env: { LOG_LEVEL: 'info', SWITCHBOARD_ALLOW_PRIVATE_HOSTS: '127.0.0.1', ...env },
    });
    closing.push(() => switchboard.stop());
    const pool = new pg.Pool({ connectionString: databaseUrl, max: 8 });
    closing.push(() => pool.end());
    const client = restClient(switchboard.url, switchboard.keys.full);
    return { switchboard, client, pool, ...(await connectAll(client)), close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Every profile has one store and its share of the social accounts. */
async function connectAll(client: RestClient) {
  const socials: string[] = [];
  const stores: string[] = [];
  let profile = '';
  for (let index = 0; index < PROFILES; index += 1) {
    const createdProfile = await client.expect(201, 'POST', '/profiles', {
      body: { name: `Bench ${index}` },
    });
    profile = asText(createdProfile['id']);
    stores.push(await connectAccount(client, 'sandbox_store', STORE_ACCOUNT, profile));
    socials.length = 0;
    for (const account of SOCIAL_ACCOUNTS) {
      socials.push(await connectAccount(client, 'sandbox_social', account, profile));
    }
  }
  return { profile, socials, stores };
}

/** First drops the database of an earlier run that was killed. */
async function makeDatabase(url: string, name: string): Promise<string> {
  const leftoverDatabases = await queryRows<{ datname: string }>(
    url,
    `SELECT datname FROM pg_database WHERE starts_with(datname, 'bench_')`,
  );
  const orphaned = leftoverDatabases.filter(
    ({ datname }) => !isAlive(Number.parseInt(datname.slice('bench_'.length), 10)),
  );
  for (const { datname } of orphaned) await queryRows(url, `DROP DATABASE "${datname}" WITH (FORCE)`);
  await queryRows(url, `CREATE DATABASE "${name}"`);
  return Object.assign(new URL(url), { pathname: `/${name}` }).href;
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** The server stops by itself after its last user; a concurrent measurement keeps it running. */
async function untilStopped(stateDir: string): Promise<void> {
  for (let look = 0; look < 50 && (await getServerStatus(stateDir)).running; look += 1) {
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

async function queryRows<Row extends object>(url: string, sql: string): Promise<readonly Row[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Row>(sql)).rows;
  } finally {
    await client.end();
  }
}

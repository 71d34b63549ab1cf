/** A real database for each test file that needs one, cloned from a migrated template in milliseconds. */
import { createHash } from 'node:crypto';
import path from 'node:path';
import { leaseServer, type ServerLease } from './embedded/index.js';
import { isAlive } from './embedded/processes.js';
import { databaseUrl, withClient, type Queryable } from './migrate/database.js';
import { migrate, readMigrations } from './migrate/index.js';

export { freePort } from './free-port.js';
export { insertEvents } from './prisma-events.js';

const root = path.resolve(import.meta.dirname, '../../..');
const prismaDir = path.join(root, 'prisma');
const SET_UP_LOCK = 727_002;

/**
 * For jest's global setup: one server for all test processes; a migrated template per state of the
 * migrations. `prepare` adds to a copy of it, which becomes the template of this run.
 */
export async function setUpTestServer(prepare?: (url: string) => Promise<void>): Promise<ServerLease> {
  const lease = await leaseServer({
    stateDir: path.join(root, '.switchboard/test'),
    idleMs: 10_000,
    disposable: true,
  });
  const migrations = await readMigrations(prismaDir);
  const hash = createHash('sha256').update(JSON.stringify(migrations)).digest('hex').slice(0, 12);
  const template = `template_${hash}`;
  await withClient(lease.url, async (client) => {
    await client.query('SELECT pg_advisory_lock($1)::text', [SET_UP_LOCK]);
    const { rows } = await client.query<{ datname: string }>('SELECT datname FROM pg_database');
    const names = rows.map(({ datname }) => datname);
    await dropDatabases(client, names.filter(isAbandoned));
    if (names.includes(template)) return;
    const building = `${template}_building`;
    await client.query(`DROP DATABASE IF EXISTS ${building} WITH (FORCE)`);
    await client.query(`CREATE DATABASE ${building}`);
    await migrate(databaseUrl(lease.url, building), prismaDir);
    await client.query(`ALTER DATABASE ${building} RENAME TO ${template}`);
  });
  const prepared = `test_${process.pid}_template`;
  if (prepare) {
    await withClient(lease.url, (client) => copyDatabase(client, template, prepared));
    await prepare(databaseUrl(lease.url, prepared));
  }
  process.env['SWITCHBOARD_TEST_URL'] = lease.url;
  process.env['SWITCHBOARD_TEST_TEMPLATE'] = prepare ? prepared : template;
  process.env['SWITCHBOARD_TEST_RUN'] = String(process.pid);
  return lease;
}

const copyDatabase = (client: Queryable, from: string, to: string) =>
  client.query(`CREATE DATABASE "${to}" TEMPLATE "${from}" STRATEGY FILE_COPY`);

/** Test databases are named test_<process of the run>_<worker>_<name>. */
function isAbandoned(database: string): boolean {
  const run = /^test_(\d+)_/.exec(database)?.[1];
  return run !== undefined && !isAlive(Number(run));
}

/** For jest's global teardown: drops the databases of this run. */
export async function tearDownTestServer(lease: ServerLease): Promise<void> {
  await withClient(lease.url, async (client) => {
    const { rows } = await client.query<{ datname: string }>(
      'SELECT datname FROM pg_database WHERE starts_with(datname, $1)',
      [`test_${process.pid}_`],
    );
    await dropDatabases(
      client,
      rows.map(({ datname }) => datname),
    );
  });
  await lease.release();
}

/** PostgreSQL waits five seconds for a session that it terminates, which is too short on a busy machine. */
const OBJECT_IN_USE = '55006';

/** A database that is still in use is dropped by the next run, or with the server. */
async function dropDatabases(client: Queryable, names: readonly string[]): Promise<void> {
  for (const name of names) {
    await client.query(`DROP DATABASE IF EXISTS "${name}" WITH (FORCE)`).catch((error: unknown) => {
      if ((error as { code?: unknown }).code !== OBJECT_IN_USE) throw error;
    });
  }
}

/**
 * The URL of a migrated, initially empty database. The same name in the same jest worker is the same
 * database, also across test files, so a file that needs exclusive access passes its own name: lower case
 * letters, digits and _.
 */
export const testDatabase = (name = 'main'): Promise<string> =>
  ensureTestDatabase(name, process.env['SWITCHBOARD_TEST_TEMPLATE']);

/** The same without any table, for another program's schema. */
export const emptyTestDatabase = (name: string): Promise<string> => ensureTestDatabase(name, 'template0');

async function ensureTestDatabase(name: string, template: string | undefined): Promise<string> {
  if (!/^[a-z0-9_]{1,30}$/.test(name)) throw new Error(`"${name}" cannot name a test database`);
  const { SWITCHBOARD_TEST_URL: url } = process.env;
  if (url === undefined || template === undefined) {
    throw new Error('testDatabase() needs `database` in the jest.config.mjs of this package');
  }
  const database = `test_${process.env['SWITCHBOARD_TEST_RUN']}_${process.env['JEST_WORKER_ID']}_${name}`;
  await withClient(url, async (client) => {
    const { rowCount } = await client.query('SELECT FROM pg_database WHERE datname = $1', [database]);
    if (rowCount) return;
    await copyDatabase(client, template, database);
  });
  return databaseUrl(url, database);
}

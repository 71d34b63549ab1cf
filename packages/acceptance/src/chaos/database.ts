import { leaseServer, getServerStatus } from '@switchboard/persistence/embedded';
import pg from 'pg';
import { eventually } from '../support/eventually.js';

/** A separate PostgreSQL server that keeps committed data and can be crashed. */
export interface ChaosDatabase {
  readonly url: string;
  rows<Row extends object>(sql: string, values?: readonly unknown[]): Promise<readonly Row[]>;
  /** Stops the server without a checkpoint and starts it again: `pg_ctl stop -m immediate`. */
  restart(): Promise<void>;
  close(): Promise<void>;
}

export async function openChaosDatabase(stateDir: string, name: string): Promise<ChaosDatabase> {
  const lease = await leaseServer({ stateDir, idleMs: 200 });
  const url = Object.assign(new URL(lease.url), { pathname: `/${name}` }).href;
  const query = async <Row extends object>(at: string, sql: string, values: readonly unknown[] = []) => {
    const client = new pg.Client({ connectionString: at });
    client.on('error', () => undefined);
    await client.connect();
    try {
      return (await client.query<Row>(sql, [...values])).rows;
    } finally {
      await client.end().catch(() => undefined);
    }
  };
  await query(lease.url, `DROP DATABASE IF EXISTS "${name}" WITH (FORCE)`);
  await query(lease.url, `CREATE DATABASE "${name}"`);
  const findServerPid = async () => {
    const status = await getServerStatus(stateDir);
    return status.running ? status.postgresPid : null;
  };
  return {
    url,
    // Reads are retried while the server restarts.
    rows: <Row extends object>(sql: string, values?: readonly unknown[]) =>
      eventually('the database accepts queries', () => query<Row>(url, sql, values).catch(() => null)),
    async restart() {
      const before = await eventually('a server runs', findServerPid);
      process.kill(before, 'SIGQUIT');
      await eventually('the server runs again', async () => {
        const now = await findServerPid();
        return now !== null && now !== before ? query(url, 'SELECT 1').catch(() => null) : null;
      });
    },
    async close() {
      await query(lease.url, `DROP DATABASE IF EXISTS "${name}" WITH (FORCE)`).catch(() => undefined);
      await lease.release();
      await eventually('the server has stopped', async () =>
        (await findServerPid()) === null ? true : null,
      );
    },
  };
}

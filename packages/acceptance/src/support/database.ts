import pg from 'pg';

type QueryRunner = <Row extends object>(sql: string) => Promise<readonly Row[]>;

/** A connection is kept for a moment: many reads follow each other, and a new session reads the catalogs again. */
const pools = new Map<string, pg.Pool>();

function poolOf(url: string): pg.Pool {
  const known = pools.get(url);
  if (known) return known;
  const pool = new pg.Pool({
    connectionString: url,
    max: 2,
    idleTimeoutMillis: 1000,
    allowExitOnIdle: true,
  });
  // The database of a test may be dropped, or its server killed, while the connection is idle.
  pool.on('error', () => undefined);
  pools.set(url, pool);
  return pool;
}

async function withDatabase<Answer>(
  url: string,
  use: (query: QueryRunner) => Promise<Answer>,
): Promise<Answer> {
  const client = await poolOf(url).connect();
  try {
    return await use(async <Row extends object>(sql: string) => (await client.query<Row>(sql)).rows);
  } finally {
    client.release();
  }
}

export const queryRows = <Row extends object>(url: string, sql: string): Promise<readonly Row[]> =>
  withDatabase(url, (query) => query<Row>(sql));

async function listTables(query: QueryRunner): Promise<readonly string[]> {
  const rows = await query<{ name: string }>(
    `SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables
     WHERE schemaname NOT IN ('pg_catalog', 'information_schema') ORDER BY 1`,
  );
  return rows.map(({ name }) => name);
}

/** Every row of every table in PostgreSQL's text format: bytes as hex, JSON as text. */
export const dumpDatabase = (url: string): Promise<ReadonlyMap<string, string>> =>
  withDatabase(url, async (query) => {
    const dump = new Map<string, string>();
    for (const table of await listTables(query)) {
      const rows = await query<{ line: string }>(`SELECT t::text AS line FROM ${table} t`);
      dump.set(table, rows.map(({ line }) => line).join('\n'));
    }
    return dump;
  });

const SELF_UPDATING_TABLES =
  /^pgboss|\.(audit_rows|audit_heads|snapshots|latest_metrics|metric_sums|invalidated_metric_days|hour_sum_sets|hour_sums|rate_limits|key_holders|waiting_slots)$/;

/** Rows that the service also updates in the background: a key's last use, a webhook's position, the known timeline. */
const ROW_TRACES: Readonly<Record<string, string>> = {
  'public.api_keys': `t.id || coalesce(t.revoked_at::text, '')`,
  'public.installation': `(to_jsonb(t) - 'timeline')::text`,
  'public.webhooks': `t.id || t.version::text`,
};

/**
 * Changes with every write: all rows with the IDs of the transactions that wrote them. Tables with background
 * writes are excluded.
 */
export const traceDatabase = (url: string): Promise<Readonly<Record<string, string>>> =>
  withDatabase(url, async (query) => {
    const traceOf = (table: string) => {
      const row = ROW_TRACES[table] ?? `t.ctid::text || t.xmin::text`;
      return `SELECT '${table}' AS name, string_agg(${row}, ',' ORDER BY ${row}) AS trace FROM ${table} t`;
    };
    const tables = (await listTables(query)).filter((table) => !SELF_UPDATING_TABLES.test(table));
    const traces = await query<{ name: string; trace: string | null }>(
      tables.map(traceOf).join(' UNION ALL '),
    );
    return Object.fromEntries(traces.map(({ name, trace }) => [name, trace ?? '']));
  });

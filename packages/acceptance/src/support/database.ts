import pg from 'pg';

async function query<Row extends object>(url: string, sql: string): Promise<readonly Row[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Row>(sql)).rows;
  } finally {
    await client.end();
  }
}

async function tablesOf(url: string): Promise<readonly string[]> {
  const rows = await query<{ name: string }>(
    url,
    `SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables
     WHERE schemaname NOT IN ('pg_catalog', 'information_schema') ORDER BY 1`,
  );
  return rows.map(({ name }) => name);
}

/** Every row of every table as PostgreSQL writes it: bytes as hex, JSON as text. */
export async function dumpOf(url: string): Promise<ReadonlyMap<string, string>> {
  const dump = new Map<string, string>();
  for (const table of await tablesOf(url)) {
    const rows = await query<{ line: string }>(url, `SELECT t::text AS line FROM ${table} t`);
    dump.set(table, rows.map(({ line }) => line).join('\n'));
  }
  return dump;
}

/** What changes with every write, however small: the rows of our tables with the transactions that wrote them. What keeps itself busy is left out. */
export async function traceOf(url: string): Promise<Readonly<Record<string, string>>> {
  const tables = (await tablesOf(url)).filter((name) => !/^pgboss/.test(name) && !/audit_rows$/.test(name));
  const trace: Record<string, string> = {};
  for (const table of tables) {
    // When a key was last used is written in batches, which is no effect of a call.
    const row = table.endsWith('.api_keys') ? 'publicid' : 'xmin';
    const rows = await query<{ trace: string | null }>(
      url,
      row === 'xmin'
        ? `SELECT string_agg(t.ctid::text || t.xmin::text, ',' ORDER BY t.ctid) AS trace FROM ${table} t`
        : `SELECT string_agg(t.id || coalesce(t.revoked_at::text, ''), ',' ORDER BY t.id) AS trace FROM ${table} t`,
    );
    trace[table] = rows[0]?.trace ?? '';
  }
  return trace;
}

export const rowsOf = query;

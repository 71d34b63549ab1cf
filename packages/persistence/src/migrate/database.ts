import pg from 'pg';

/** What this folder needs of a connection; `pg.Client` and `pg.Pool` both are one. */
export interface Queryable {
  query<Row extends object>(text: string, values?: unknown[]): Promise<{ rows: Row[] }>;
}

export async function withClient<T>(url: string, use: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined); // a lost connection fails the query that waits for it
  await client.connect();
  try {
    return await use(client);
  } finally {
    await client.end();
  }
}

export const databaseUrl = (url: string, database: string) =>
  Object.assign(new URL(url), { pathname: `/${database}` }).href;

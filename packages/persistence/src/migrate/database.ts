import pg from 'pg';

/** The connection that this folder requires; both `pg.Client` and `pg.Pool` satisfy it. */
export interface Queryable {
  query<Row extends object>(text: string, values?: unknown[]): Promise<{ rows: Row[] }>;
}

export async function withClient<T>(url: string, use: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined); // a lost connection fails the pending query
  await client.connect();
  try {
    return await use(client);
  } finally {
    await client.end();
  }
}

export const databaseUrl = (url: string, database: string) =>
  Object.assign(new URL(url), { pathname: `/${database}` }).href;

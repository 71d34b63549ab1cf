import pg from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import { ADVISORY_LOCK } from '../migrate/migrate.js';
import type { BackupPiece, DatabaseEntry, UnfinishedJob } from './backup-entries.js';

/**
 * Tables whose rows describe running processes: a restored installation begins without them. Tables that are not
 * logged are left out as well: they are empty after a crash, too.
 */
const PROCESS_TABLES = ['key_holders'];

export interface DumpOptions {
  /** Reads the unfinished jobs in the same snapshot, in pages. */
  readonly readJobs: (query: SnapshotQuery) => AsyncIterable<readonly UnfinishedJob[]>;
  /** The files that belong to the rows, as `file` entries and their bytes; null: only the database. */
  readonly readFiles: ((query: SnapshotQuery) => AsyncIterable<BackupPiece>) | null;
  readonly onProgress: (rows: number, total: number) => void;
  readonly signal: AbortSignal;
}

export type SnapshotQuery = <Row extends object>(text: string, values?: unknown[]) => Promise<Row[]>;

/**
 * Reads the whole database at one point in time, while it is in use: one transaction with one snapshot. Migrations
 * wait until it ends; nothing else does. `url` must lead to PostgreSQL itself, not through a transaction pooler.
 */
export async function* dumpDatabase(url: string, options: DumpOptions): AsyncGenerator<BackupPiece> {
  const { signal } = options;
  const client = new pg.Client({ connectionString: url, application_name: 'switchboard backup' });
  client.on('error', () => undefined); // a lost connection fails the pending query
  await client.connect();
  // Ends a running COPY as well, which would otherwise be read to its end.
  const disconnect = () => client.connection.stream.destroy();
  signal.addEventListener('abort', disconnect);
  let isComplete = false;
  try {
    signal.throwIfAborted();
    yield* readSnapshot(client, options);
    isComplete = true;
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  } finally {
    signal.removeEventListener('abort', disconnect);
    if (isComplete) await client.end();
    else disconnect();
  }
}

async function* readSnapshot(
  client: pg.Client,
  { readJobs, readFiles, onProgress }: DumpOptions,
): AsyncGenerator<BackupPiece> {
  const query: SnapshotQuery = async <Row extends object>(text: string, values?: unknown[]) =>
    (await client.query<Row>(text, values)).rows;
  // Times and numbers are written as the reader expects them, whatever the defaults of the database are.
  await query(
    `SET statement_timeout = 0; SET idle_in_transaction_session_timeout = 0; SET timezone = 'UTC';
     SET datestyle = 'ISO'; SET intervalstyle = 'postgres'; SET extra_float_digits = 1; SET search_path = public`,
  );
  await query('SELECT pg_advisory_lock_shared($1)::text', [ADVISORY_LOCK]);
  await query('BEGIN TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY');
  const tables = await listTables(query);
  await query(`LOCK TABLE ${tables.map(({ name }) => quote(name)).join(', ')} IN ACCESS SHARE MODE`);
  const database = await describeDatabase(query, tables);
  yield database;

  const total = Object.values(database.tables).reduce((sum, rows) => sum + rows, 0);
  let done = 0;
  onProgress(done, total);
  for (const { name, columns } of tables) {
    yield { kind: 'table', name, columns, rows: database.tables[name] ?? 0 };
    const copy = client.query(copyTo(`COPY ${quote(name)} (${columns.map(quote).join(', ')}) TO STDOUT`));
    for await (const rows of copy as AsyncIterable<Buffer>) {
      yield rows;
      done += countLines(rows);
      onProgress(done, total);
    }
  }
  // Read last: not part of the snapshot, and at least as far as its rows.
  yield { kind: 'sequences', values: await readSequences(query) };
  for await (const jobs of readJobs(query)) yield { kind: 'jobs', jobs };
  let files = 0;
  for await (const piece of readFiles?.(query) ?? []) {
    if ('kind' in piece) files += 1;
    yield piece;
  }
  await query('COMMIT');
  yield { kind: 'end', rows: done, files };
}

interface Table {
  readonly name: string;
  readonly columns: readonly string[];
}

const listTables = (query: SnapshotQuery): Promise<Table[]> =>
  query<Table>(
    `SELECT c.relname::text AS name, array_agg(a.attname::text ORDER BY a.attnum) AS columns
     FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''
     WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r' AND c.relpersistence = 'p' AND c.relname <> ALL ($1)
     GROUP BY c.relname ORDER BY c.relname`,
    [PROCESS_TABLES],
  );

async function describeDatabase(query: SnapshotQuery, tables: readonly Table[]): Promise<DatabaseEntry> {
  const [about] = await query<{ at: Date; server: string }>(
    `SELECT transaction_timestamp() AS at, current_setting('server_version') AS server`,
  );
  const migrations = await query<{ name: string; checksum: string; finished: boolean }>(
    `SELECT migration_name AS name, checksum, finished_at IS NOT NULL AS finished
     FROM _prisma_migrations WHERE rolled_back_at IS NULL ORDER BY migration_name`,
  );
  const unfinished = migrations.find(({ finished }) => !finished);
  if (unfinished) throw new Error(`the migration ${unfinished.name} started but did not complete`);
  const [installationKey] = await query<{ version: number; masterKeyId: string; wrapped: string }>(
    `SELECT version, master_key_id AS "masterKeyId", translate(encode(wrapped, 'base64'), E'\\n', '') AS wrapped
     FROM data_keys WHERE owner = 'installation' ORDER BY version DESC LIMIT 1`,
  );
  const [canary] = await query<{ sealed: string }>(
    `SELECT translate(encode(sealed, 'base64'), E'\\n', '') AS sealed FROM canaries`,
  );
  const masterKeys = await query<{ masterKeyId: string; dataKeys: number }>(
    `SELECT master_key_id AS "masterKeyId", count(*)::int AS "dataKeys" FROM data_keys GROUP BY 1 ORDER BY 1`,
  );
  const [store] = await query<{ mark: string }>('SELECT mark FROM media_stores');
  const [media] = await query<{ files: number; bytes: number }>(
    'SELECT count(*)::int AS files, coalesce(sum(bytes), 0)::float8 AS bytes FROM media WHERE file_name IS NOT NULL',
  );
  const rows: Record<string, number> = {};
  for (const { name } of tables) {
    const [counted] = await query<{ rows: number }>(`SELECT count(*)::float8 AS rows FROM ${quote(name)}`);
    rows[name] = counted?.rows ?? 0;
  }
  return {
    kind: 'database',
    takenAt: (about?.at ?? new Date(0)).toISOString(),
    serverVersion: about?.server ?? '',
    migrations: migrations.map(({ name, checksum }) => ({ name, checksum })),
    tables: rows,
    installationKey: installationKey ?? null,
    canary: canary?.sealed ?? null,
    masterKeys,
    mediaStore: store?.mark ?? null,
    media: media ?? { files: 0, bytes: 0 },
  };
}

/** The next value of each sequence. */
async function readSequences(query: SnapshotQuery): Promise<Record<string, string>> {
  const sequences = await query<{ name: string }>(
    `SELECT sequencename::text AS name FROM pg_sequences WHERE schemaname = 'public' ORDER BY 1`,
  );
  const values: Record<string, string> = {};
  for (const { name } of sequences) {
    const [state] = await query<{ next: string }>(
      `SELECT (last_value + is_called::int)::text AS next FROM ${quote(name)}`,
    );
    values[name] = state?.next ?? '1';
  }
  return values;
}

export const quote = (name: string): string => pg.escapeIdentifier(name);

/** Of COPY's text format, in which a line feed ends a row and nothing else. */
function countLines(rows: Uint8Array): number {
  let count = 0;
  for (let at = rows.indexOf(10); at >= 0; at = rows.indexOf(10, at + 1)) count += 1;
  return count;
}

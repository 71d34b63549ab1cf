import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { finished } from 'node:stream/promises';
import pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { ADVISORY_LOCK } from '../migrate/migrate.js';
import type { Migration } from '../migrate/read-migrations.js';
import type { BackupEntry, BackupPiece, DatabaseEntry, UnfinishedJob } from './backup-entries.js';
import { quote } from './dump-database.js';

export interface LoadOptions {
  /** All migrations of this version, in order. */
  readonly migrations: readonly Migration[];
  /** Writes jobs in the transaction. */
  readonly writeJobs: (query: LoadQuery, jobs: readonly UnfinishedJob[]) => Promise<void>;
  /** Stores a file durably. */
  readonly writeFile: (name: string, bytes: AsyncIterable<Uint8Array>) => Promise<void>;
  /** The last statements of the transaction. */
  readonly conclude: (query: LoadQuery, database: DatabaseEntry) => Promise<void>;
  /** Called when everything is written and nothing is committed. */
  readonly beforeCommit?: (() => Promise<void>) | undefined;
  readonly onProgress: (rows: number, total: number) => void;
  readonly signal: AbortSignal;
}

export type LoadQuery = (text: string, values?: unknown[]) => Promise<readonly object[]>;

export interface LoadedDatabase {
  readonly database: DatabaseEntry;
  readonly rows: number;
  readonly files: number;
  /** Applied after the rows, because the backup is older. */
  readonly migrated: readonly string[];
}

/** The reason why these rows cannot be loaded into this version, or null. */
export function findSchemaMismatch(
  { migrations: applied }: DatabaseEntry,
  migrations: readonly Migration[],
): string | null {
  const known = new Map(migrations.map(({ name, checksum }) => [name, checksum]));
  const newer = applied.find(({ name }) => !known.has(name));
  if (newer)
    return `The backup was made by a newer version: this one does not know the migration ${newer.name}. Restore it with that version.`;
  const changed = applied.find(({ name, checksum }) => known.get(name) !== checksum);
  return changed ? `The migration ${changed.name} of the backup differs from that of this version.` : null;
}

/** Names what is in a database that should be empty; null when nothing is. The empty schema of the queue may exist. */
export async function findDatabaseContent(query: LoadQuery): Promise<string | null> {
  const [table] = (await query(
    `SELECT relname::text AS name FROM pg_class
     WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p', 'v', 'm', 'S')
       AND NOT EXISTS (SELECT FROM pg_depend WHERE objid = pg_class.oid AND deptype = 'e') ORDER BY 1 LIMIT 1`,
  )) as { name: string }[];
  if (table) return table.name;
  const [queue] = (await query(`SELECT to_regclass('pgboss.job') IS NOT NULL AS exists`)) as {
    exists: boolean;
  }[];
  if (!queue?.exists) return null;
  const jobs = await query('SELECT FROM pgboss.job LIMIT 1');
  return jobs.length > 0 ? 'pgboss.job' : null;
}

/**
 * Writes the content of a backup into an empty database, in one transaction: the schema as it was, the rows, and the
 * migrations since. When it fails or is interrupted, the database is empty again.
 */
export async function loadDatabase(
  url: string,
  pieces: AsyncIterable<BackupPiece>,
  options: LoadOptions,
): Promise<LoadedDatabase> {
  const { signal } = options;
  const client = new pg.Client({ connectionString: url, application_name: 'switchboard restore' });
  client.on('error', () => undefined); // a lost connection fails the pending query
  await client.connect();
  const disconnect = () => client.connection.stream.destroy();
  signal.addEventListener('abort', disconnect);
  const source = pieces[Symbol.asyncIterator]();
  try {
    signal.throwIfAborted();
    const loaded = await writeAll(client, pieceReader(source), options);
    await client.end();
    return loaded;
  } catch (error) {
    disconnect();
    signal.throwIfAborted();
    throw error;
  } finally {
    signal.removeEventListener('abort', disconnect);
    await source.return?.();
  }
}

async function writeAll(
  client: pg.Client,
  pieces: PieceReader,
  options: LoadOptions,
): Promise<LoadedDatabase> {
  const { migrations, conclude, beforeCommit, signal } = options;
  const query: LoadQuery = async (text, values) => (await client.query<object>(text, values)).rows;
  await query(
    `SET statement_timeout = 0; SET idle_in_transaction_session_timeout = 0; SET timezone = 'UTC';
     SET datestyle = 'ISO'; SET intervalstyle = 'postgres'; SET search_path = public`,
  );
  await query('SELECT pg_advisory_lock($1)::text', [ADVISORY_LOCK]);
  await query('BEGIN');
  const content = await findDatabaseContent(query);
  if (content !== null) throw new Error(`the database is not empty: it has ${content}`);
  const database = await pieces.readEntry('database');
  const applied = new Set(database.migrations.map(({ name }) => name));
  await query(MIGRATIONS_TABLE);
  for (const { name, script } of migrations) if (applied.has(name)) await query(script);

  const references = await dropReferences(query);
  const tables = await listTables(query);
  for (const table of tables) await query(`ALTER TABLE ${quote(table)} DISABLE TRIGGER USER`);
  const written = await writePieces(client, query, pieces, database, options);
  for (const table of tables) await query(`ALTER TABLE ${quote(table)} ENABLE TRIGGER USER`);
  for (const statement of references) await query(statement);

  const migrated = migrations.filter(({ name }) => !applied.has(name));
  for (const { name, script, checksum } of migrated) {
    await query(script);
    await query(
      `INSERT INTO _prisma_migrations (id, checksum, migration_name, started_at, finished_at, applied_steps_count)
       VALUES ($1, $2, $3, now(), now(), 1)`,
      [randomUUID(), checksum, name],
    );
    // Triggers of changed rows that wait for the end of the transaction would refuse the next ALTER TABLE.
    await query('SET CONSTRAINTS ALL IMMEDIATE; SET CONSTRAINTS ALL DEFERRED');
  }
  await conclude(query, database);
  signal.throwIfAborted();
  await beforeCommit?.();
  await query('COMMIT');
  // The planner knows nothing about the new rows, and autovacuum takes a minute to start.
  await query('ANALYZE');
  return { database, ...written, migrated: migrated.map(({ name }) => name) };
}

async function writePieces(
  client: pg.Client,
  query: LoadQuery,
  pieces: PieceReader,
  database: DatabaseEntry,
  { writeJobs, writeFile, onProgress }: LoadOptions,
): Promise<{ readonly rows: number; readonly files: number }> {
  const total = Object.values(database.tables).reduce((sum, rows) => sum + rows, 0);
  let rows = 0;
  let files = 0;
  onProgress(rows, total);
  for (;;) {
    const entry = await pieces.readEntry();
    switch (entry.kind) {
      case 'table': {
        const loaded = await copyRows(client, entry, pieces.data());
        if (loaded !== entry.rows)
          throw new Error(`${entry.name} has ${loaded} rows instead of ${entry.rows}`);
        rows += loaded;
        onProgress(rows, total);
        break;
      }
      case 'sequences':
        for (const [name, next] of Object.entries(entry.values))
          await query('SELECT setval($1::regclass, $2::bigint, false)', [quote(name), next]);
        break;
      case 'jobs':
        await writeJobs(query, entry.jobs);
        break;
      case 'file':
        await writeFile(entry.name, pieces.data());
        files += 1;
        break;
      case 'end':
        return { rows, files };
      case 'database':
        throw new Error('the backup describes a second database');
    }
  }
}

async function copyRows(
  client: pg.Client,
  { name, columns }: Extract<BackupEntry, { kind: 'table' }>,
  data: AsyncIterable<Uint8Array>,
): Promise<number> {
  const copy = client.query(copyFrom(`COPY ${quote(name)} (${columns.map(quote).join(', ')}) FROM STDIN`));
  const done = finished(copy);
  // Reported by the next await.
  done.catch(() => undefined);
  for await (const piece of data) if (!copy.write(piece)) await Promise.race([once(copy, 'drain'), done]);
  copy.end();
  await done;
  return copy.rowCount;
}

/** Drops the foreign keys, whose tables are loaded in any order, and returns the statements that create them again. */
async function dropReferences(query: LoadQuery): Promise<string[]> {
  const references = (await query(
    `SELECT conrelid::regclass::text AS "table", conname::text AS name, pg_get_constraintdef(oid) AS definition
     FROM pg_constraint WHERE contype = 'f' AND connamespace = 'public'::regnamespace ORDER BY 1, 2`,
  )) as { table: string; name: string; definition: string }[];
  for (const { table, name } of references)
    await query(`ALTER TABLE ${table} DROP CONSTRAINT ${quote(name)}`);
  return references.map(
    ({ table, name, definition }) => `ALTER TABLE ${table} ADD CONSTRAINT ${quote(name)} ${definition}`,
  );
}

async function listTables(query: LoadQuery): Promise<string[]> {
  const rows = (await query(
    `SELECT relname::text AS name FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' ORDER BY 1`,
  )) as { name: string }[];
  return rows.map(({ name }) => name);
}

/** As Prisma's engine creates it. */
const MIGRATIONS_TABLE = `CREATE TABLE "_prisma_migrations" (
  "id" VARCHAR(36) PRIMARY KEY NOT NULL,
  "checksum" VARCHAR(64) NOT NULL,
  "finished_at" TIMESTAMPTZ,
  "migration_name" VARCHAR(255) NOT NULL,
  "logs" TEXT,
  "rolled_back_at" TIMESTAMPTZ,
  "started_at" TIMESTAMPTZ NOT NULL DEFAULT now(),
  "applied_steps_count" INTEGER NOT NULL DEFAULT 0)`;

interface PieceReader {
  readEntry(): Promise<BackupEntry>;
  readEntry<Kind extends BackupEntry['kind']>(kind: Kind): Promise<Extract<BackupEntry, { kind: Kind }>>;
  /** The rows or bytes that follow the entry. */
  data(): AsyncGenerator<Uint8Array>;
}

function pieceReader(source: AsyncIterator<BackupPiece>): PieceReader {
  let next: BackupPiece | undefined;
  const peek = async () => {
    next ??= (await source.next()).value as BackupPiece | undefined;
    return next;
  };
  return {
    async readEntry<Kind extends BackupEntry['kind']>(kind?: Kind) {
      const entry = await peek();
      next = undefined;
      if (entry === undefined || entry instanceof Uint8Array || (kind !== undefined && entry.kind !== kind))
        throw new Error('the backup has another content than expected');
      return entry as Extract<BackupEntry, { kind: Kind }>;
    },
    async *data() {
      for (let piece = await peek(); piece instanceof Uint8Array; piece = await peek()) {
        next = undefined;
        yield piece;
      }
    },
  };
}

import type { MediaFiles } from '@switchboard/domain/ports';
import { openQueue, writeUnfinishedJobs } from '@switchboard/jobs';
import {
  findDatabaseContent,
  loadDatabase,
  markRestored,
  type BackupPiece,
  type DatabaseEntry,
  type LoadedDatabase,
  type RestoreReason,
} from '@switchboard/persistence/backup';
import { readMigrations, withClient } from '@switchboard/persistence/migrate';
import { listMissingMedia } from './backup-media.js';
import { ConfigurationError } from './configuration-error.js';
import { prismaDir, throwUnreachable } from './database.js';

interface FillOptions {
  readonly cause: RestoreReason;
  /** For people: why the installation is paused. */
  readonly reason: (database: DatabaseEntry) => string;
  readonly media: MediaFiles;
  readonly writeFile: (name: string, bytes: AsyncIterable<Uint8Array>) => Promise<void>;
  readonly beforeCommit?: (() => Promise<void>) | undefined;
  readonly onProgress: (rows: number, total: number) => void;
  readonly signal: AbortSignal;
}

export interface FilledDatabase extends LoadedDatabase {
  /** The names of media that rows refer to and the configured store lacks. */
  readonly missingMedia: readonly string[];
}

export async function requireEmptyDatabase(url: string): Promise<void> {
  const content = await findContent(url);
  if (content === null) return;
  throw new ConfigurationError(
    `The database is not empty: it has ${content}. Name an empty database in DATABASE_URL, or another SWITCHBOARD_DATA_DIR. Nothing was written.`,
  );
}

export async function requireFilledDatabase(url: string): Promise<void> {
  if ((await findContent(url)) === null)
    throw new ConfigurationError('The database is empty: there is nothing to back up.');
}

const findContent = (url: string): Promise<string | null> =>
  withClient(url, (client) =>
    findDatabaseContent(async (text) => (await client.query<object>(text)).rows),
  ).catch(throwUnreachable);

/** Fills an empty database with the content of a backup or of another database. The installation is then paused. */
export async function fillDatabase(
  url: string,
  pieces: AsyncIterable<BackupPiece>,
  { cause, reason, media, writeFile, beforeCommit, onProgress, signal }: FillOptions,
): Promise<FilledDatabase> {
  const migrations = await readMigrations(prismaDir);
  // Creates the empty schema of the queue, which its library maintains.
  const queue = await openQueue({ connectionString: url, worker: false, onError: () => undefined });
  let missingMedia: readonly string[] = [];
  try {
    const loaded = await loadDatabase(url, pieces, {
      migrations,
      writeJobs: (query, jobs) => writeUnfinishedJobs(queue, query, jobs),
      writeFile,
      async conclude(query, database) {
        await markRestored(query, database, cause, reason(database));
        if (database.mediaStore !== null) await media.createStoreId(database.mediaStore);
        missingMedia = await listMissingMedia(media, query);
      },
      beforeCommit,
      onProgress,
      signal,
    });
    return { ...loaded, missingMedia };
  } finally {
    await queue.stop(1000);
  }
}

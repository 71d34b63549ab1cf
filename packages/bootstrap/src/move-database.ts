import {
  dumpDatabase,
  findDatabaseContent,
  findSchemaMismatch,
  markMoved,
  type BackupPiece,
} from '@switchboard/persistence/backup';
import { readMigrations, withClient } from '@switchboard/persistence/migrate';
import { readUnfinishedJobs } from '@switchboard/jobs';
import { acquireDatabase } from './acquire-database.js';
import { openBackedUpVault } from './backed-up-vault.js';
import type { Config } from './config.js';
import { ConfigurationError } from './configuration-error.js';
import { prismaDir, throwUnreachable } from './database.js';
import { fillDatabase, requireEmptyDatabase, type FilledDatabase } from './fill-database.js';
import { openMediaFiles } from './media-store.js';
import { requireExistingMasterKeys } from './open-vault.js';

interface MoveOptions {
  readonly to: 'external' | 'embedded';
  readonly onProgress: (done: number, total: number) => void;
  readonly signal: AbortSignal;
}

export interface MovedDatabase extends FilledDatabase {
  readonly from: string;
  readonly to: string;
}

/**
 * Copies the embedded database to that of DATABASE_URL, or back, while no process uses it: processes that start
 * during the move wait. The source keeps its rows, and is paused before the target is complete, so that never both
 * can send.
 */
export async function moveDatabase(config: Config, options: MoveOptions): Promise<MovedDatabase> {
  const { to, onProgress, signal } = options;
  if (config.databaseUrl === null)
    throw new ConfigurationError(
      'Name the external database in DATABASE_URL: the other one is the embedded database.',
    );
  const masterKeys = await requireExistingMasterKeys(config);
  const migrations = await readMigrations(prismaDir);
  const embedded = await acquireDatabase({ ...config, databaseUrl: null, directDatabaseUrl: null });
  const external = await acquireDatabase(config);
  const media = await openMediaFiles(config);
  const names = {
    embedded: `the embedded database of ${config.dataDir}`,
    external: describeUrl(config.databaseUrl),
  };
  const [source, target] = to === 'external' ? [embedded, external] : [external, embedded];
  const [from, into] =
    to === 'external' ? [names.embedded, names.external] : [names.external, names.embedded];
  try {
    await requireEmptyDatabase(target.directUrl);
    return await withClient(source.directUrl, async (client) => {
      const query = async (text: string, values?: unknown[]) =>
        (await client.query<object>(text, values)).rows;
      if ((await findDatabaseContent(query)) === null)
        throw new ConfigurationError(`There is nothing to move: ${from} is empty.`);
      await requireUnused(query, from);
      async function* pieces(): AsyncGenerator<BackupPiece> {
        const dump = dumpDatabase(source.directUrl, {
          readJobs: readUnfinishedJobs,
          readFiles: null,
          onProgress: () => undefined,
          signal,
        });
        for await (const piece of dump) {
          if ('kind' in piece && piece.kind === 'database') {
            const mismatch = findSchemaMismatch(piece, migrations);
            if (mismatch !== null) throw new ConfigurationError(mismatch);
            await openBackedUpVault(masterKeys, piece);
          }
          yield piece;
        }
      }
      const filled = await fillDatabase(target.directUrl, pieces(), {
        cause: 'moved',
        reason: () => `Moved here from ${from}. Make sure that no process still uses that database.`,
        media: media.files,
        writeFile: () => Promise.reject(new Error('a move has no files')),
        async beforeCommit() {
          await markMoved(query, `Moved to ${into}. Use that database: this one is no longer current.`);
          await query('COMMIT');
        },
        onProgress,
        signal,
      });
      return { ...filled, from, to: into };
    }).catch((error: unknown) => {
      if (error instanceof ConfigurationError || signal.aborted) throw error;
      throwUnreachable(error);
    });
  } finally {
    media.close();
    await embedded.release();
    await external.release();
  }
}

/**
 * Begins a transaction in which no process can register, and every process registers before it works. Those that start
 * later wait for its end.
 */
async function requireUnused(
  query: (text: string) => Promise<readonly object[]>,
  name: string,
): Promise<void> {
  await query(
    `BEGIN; SET LOCAL idle_in_transaction_session_timeout = 0; LOCK TABLE key_holders IN SHARE MODE`,
  );
  const running = (await query(
    `SELECT app, host, pid FROM key_holders WHERE seen_at > clock_timestamp() - interval '30 seconds' ORDER BY started_at`,
  )) as { app: string; host: string; pid: number }[];
  if (running.length === 0) return;
  const list = running.map(({ app, host, pid }) => `${app} (process ${pid} on ${host})`).join(', ');
  throw new ConfigurationError(
    `Stop every process that uses ${name}: ${list}. One that was killed counts for half a minute. Nothing was moved.`,
  );
}

/** Without the user and password. */
function describeUrl(url: string): string {
  const { host, pathname } = new URL(url);
  return `${host}${pathname}`;
}

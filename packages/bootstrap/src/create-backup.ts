import { randomBytes } from 'node:crypto';
import { open, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createZstdCompress } from 'node:zlib';
import { readUnfinishedJobs } from '@switchboard/jobs';
import {
  dumpDatabase,
  encodePieces,
  type BackupPiece,
  type DatabaseEntry,
  type EndEntry,
} from '@switchboard/persistence/backup';
import { sealBackup } from '@switchboard/vault';
import { acquireDatabase } from './acquire-database.js';
import { openBackedUpVault } from './backed-up-vault.js';
import { readBackupMedia } from './backup-media.js';
import type { Config } from './config.js';
import { ConfigurationError } from './configuration-error.js';
import { requireFilledDatabase } from './fill-database.js';
import { openMediaFiles } from './media-store.js';
import { requireExistingMasterKeys } from './open-vault.js';
import { systemClock } from './system-clock.js';

export interface BackupProgress {
  readonly onProgress: (done: number, total: number) => void;
  readonly signal: AbortSignal;
}

interface BackupOptions extends BackupProgress {
  readonly file: string;
  /** Include the media, from the data directory or the bucket. */
  readonly withMedia: boolean;
}

/**
 * Writes a backup of the running installation. The file appears under its name when it is complete and durable; until
 * then, and after an interruption, there is none.
 */
export async function createBackup(config: Config, options: BackupOptions) {
  const { file, withMedia, signal } = options;
  const masterKeys = await requireExistingMasterKeys(config);
  const media = await openMediaFiles(config);
  const { directUrl, release } = await acquireDatabase(config);
  try {
    await requireFilledDatabase(directUrl);
    const about = { createdAt: systemClock.now().toISOString(), version: config.version };
    const seal = await sealBackup(masterKeys, about);
    if (!seal.ok) throw new ConfigurationError(seal.failure.message);
    const written: { database?: DatabaseEntry; end?: EndEntry } = {};
    async function* pieces(): AsyncGenerator<BackupPiece> {
      const dump = dumpDatabase(directUrl, {
        ...options,
        readJobs: readUnfinishedJobs,
        readFiles: withMedia ? (query) => readBackupMedia(media.files, query, signal) : null,
      });
      for await (const piece of dump) {
        if ('kind' in piece && piece.kind === 'database') {
          await openBackedUpVault(masterKeys, piece);
          written.database = piece;
        }
        if ('kind' in piece && piece.kind === 'end') written.end = piece;
        yield piece;
      }
    }
    const bytes = await writeAtomically(file, (write) =>
      pipeline(encodePieces(pieces()), createZstdCompress(), seal.value, write, { signal }),
    );
    const { database, end } = written;
    if (!database || !end) throw new Error('the dump of the database is incomplete');
    return { database, end, bytes };
  } finally {
    media.close();
    await release();
  }
}

export type CreatedBackup = Awaited<ReturnType<typeof createBackup>>;

/** Writes beside the file and renames; both are synced, so that a power failure leaves the old or the new file. */
async function writeAtomically(
  file: string,
  write: (stream: NodeJS.WritableStream) => Promise<void>,
): Promise<number> {
  const target = path.resolve(file);
  const partial = `${target}.${randomBytes(4).toString('hex')}.partial`;
  const handle = await open(partial, 'wx', 0o600).catch((error: Error) => {
    throw new ConfigurationError(`The backup cannot be written: ${error.message}`);
  });
  try {
    // Flushed to the disk and closed when the pipeline ends.
    await write(handle.createWriteStream({ flush: true }));
    const { size } = await stat(partial);
    await rename(partial, target);
    await syncDirectory(path.dirname(target));
    return size;
  } catch (error) {
    await handle.close().catch(() => undefined);
    await rm(partial, { force: true });
    throw error;
  }
}

/** Windows does not support this, and does not need it. */
async function syncDirectory(directory: string): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await open(directory);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

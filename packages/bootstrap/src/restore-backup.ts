import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { createZstdDecompress } from 'node:zlib';
import type { MediaFiles } from '@switchboard/domain/ports';
import {
  checkPieces,
  decodePieces,
  findSchemaMismatch,
  type BackupPiece,
  type CheckedBackup,
} from '@switchboard/persistence/backup';
import { readMigrations } from '@switchboard/persistence/migrate';
import { openBackup, SealedStreamError, type BackupHeader, type MasterKeyProvider } from '@switchboard/vault';
import { acquireDatabase } from './acquire-database.js';
import { openBackedUpVault } from './backed-up-vault.js';
import { writeBackupMedia } from './backup-media.js';
import type { Config } from './config.js';
import { ConfigurationError } from './configuration-error.js';
import type { BackupProgress } from './create-backup.js';
import { prismaDir } from './database.js';
import { fillDatabase, requireEmptyDatabase, type FilledDatabase } from './fill-database.js';
import { openMediaFiles } from './media-store.js';
import { requireExistingMasterKeys } from './open-vault.js';

interface RestoreOptions {
  readonly file: string;
  readonly checking: BackupProgress['onProgress'];
  readonly restoring: BackupProgress['onProgress'];
  readonly signal: AbortSignal;
}

export interface CheckedBackupFile extends CheckedBackup {
  readonly header: BackupHeader;
  readonly bytes: number;
}

/**
 * Reads the whole file and verifies that this version and these master keys can restore it. Throws a
 * `ConfigurationError`.
 */
export async function checkBackup(
  config: Config,
  { file, checking, signal }: Omit<RestoreOptions, 'restoring'>,
): Promise<CheckedBackupFile> {
  const masterKeys = await requireExistingMasterKeys(config);
  const migrations = await readMigrations(prismaDir);
  const { size } = await stat(file).catch((error: Error) => {
    throw new ConfigurationError(`The backup cannot be read: ${error.message}`);
  });
  return readBackup(masterKeys, file, signal, async (header, pieces, bytesRead) => {
    const checked = await checkPieces(
      withProgress(pieces, () => checking(bytesRead(), size)),
      async (database) => {
        const mismatch = findSchemaMismatch(database, migrations);
        if (mismatch !== null) throw new ConfigurationError(mismatch);
        await openBackedUpVault(masterKeys, database);
      },
    );
    checking(size, size);
    return { ...checked, header, bytes: size };
  });
}

/**
 * Restores a backup into an empty database. Everything is verified before the first write; the rows are written in one
 * transaction.
 */
export async function restoreBackup(
  config: Config,
  options: RestoreOptions,
): Promise<FilledDatabase & { readonly backup: CheckedBackupFile }> {
  const { file, restoring, signal } = options;
  const backup = await checkBackup(config, options);
  const media = await openMediaFiles(config);
  const target = await acquireDatabase(config);
  try {
    await requireEmptyDatabase(target.directUrl);
    await requireMatchingStore(media.files, backup.database.mediaStore);
    const masterKeys = await requireExistingMasterKeys(config);
    const filled = await readBackup(masterKeys, file, signal, (_header, pieces) =>
      fillDatabase(target.directUrl, pieces, {
        cause: 'restored_backup',
        reason: ({ takenAt }) =>
          `Restored from a backup of ${takenAt}. The original installation may have published and refunded since then: make sure that it no longer runs.`,
        media: media.files,
        writeFile: (name, bytes) => writeBackupMedia(media.files, name, bytes),
        onProgress: restoring,
        signal,
      }),
    );
    return { ...filled, backup };
  } finally {
    media.close();
    await target.release();
  }
}

/** Reads the pieces of the file; a failure that is no refusal means that the file is damaged. */
async function readBackup<T>(
  masterKeys: MasterKeyProvider,
  file: string,
  signal: AbortSignal,
  use: (header: BackupHeader, pieces: AsyncIterable<BackupPiece>, bytesRead: () => number) => Promise<T>,
): Promise<T> {
  const stream = createReadStream(file, { highWaterMark: 1024 * 1024, signal });
  stream.on('error', () => undefined); // read errors reject the reader
  try {
    const opened = await openBackup(masterKeys, stream);
    if (!opened.ok) throw new ConfigurationError(opened.failure.message);
    const { header, content } = opened.value;
    const unpacked = createZstdDecompress();
    pipeline(content, unpacked).catch(() => undefined); // destroys `unpacked` with the error
    return await use(header, decodePieces(unpacked), () => stream.bytesRead);
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof SealedStreamError)
      throw new ConfigurationError('The backup is damaged: it was modified or cut off. Nothing was written.');
    throw error;
  } finally {
    stream.destroy();
  }
}

async function* withProgress(
  pieces: AsyncIterable<BackupPiece>,
  onPiece: () => void,
): AsyncGenerator<BackupPiece> {
  for await (const piece of pieces) {
    onPiece();
    yield piece;
  }
}

/** The media of another database must not be mixed with those of this one: each deletes what it does not know. */
async function requireMatchingStore(
  files: Pick<MediaFiles, 'findStoreId'>,
  expected: string | null,
): Promise<void> {
  const found = await files.findStoreId();
  if (found === null || found === expected) return;
  throw new ConfigurationError(
    'The configured media store belongs to another database. Configure the store of this backup, or an empty one.',
  );
}

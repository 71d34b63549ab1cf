import path from 'node:path';
import type { MediaFiles, MediaStores, Tokens } from '@switchboard/domain/ports';
import { diskMediaFiles } from '@switchboard/media';
import type { S3Options } from '@switchboard/media/s3';
import type { Config } from './config.js';

/** Loads the client for S3, a large library, only when it is used. */
async function openS3(options: S3Options) {
  const { s3MediaFiles } = await import('@switchboard/media/s3');
  return s3MediaFiles(options);
}

/** The files of the configured store, whichever database they belong to. */
export async function openMediaFiles(
  config: Pick<Config, 'mediaS3' | 'dataDir'>,
): Promise<{ readonly files: MediaFiles; readonly close: () => void }> {
  const s3 = config.mediaS3 && (await openS3(config.mediaS3));
  return { files: s3 ?? diskMediaFiles(path.join(config.dataDir, 'media')), close: () => s3?.close() };
}

/**
 * The media store: S3 when a bucket is configured, else the data directory. The first process writes an id to
 * the store and to the database. A process with a different store (the disk of another machine, another
 * bucket) detects the mismatch: it is not ready, accepts no media and deletes none.
 */
export async function openMediaStore(
  config: Pick<Config, 'mediaS3' | 'dataDir'>,
  stores: MediaStores,
  tokens: Pick<Tokens, 'random'>,
) {
  const { files, close } = await openMediaFiles(config);

  async function check(): Promise<'ok' | 'different store'> {
    const known = await stores.find();
    const [expected, found] =
      known === null ? await recordStore() : ([known, await files.findStoreId()] as const);
    return found === expected ? 'ok' : 'different store';
  }
  async function recordStore(): Promise<readonly [string, string]> {
    const storeId = await files.createStoreId(tokens.random());
    return [await stores.insert(storeId), storeId];
  }

  let isVerified = false;
  const ensureSameStore = async () => {
    isVerified ||= (await check()) === 'ok';
    if (!isVerified) throw new Error('the media store does not match this database');
  };
  return {
    files: {
      ...files,
      async write(...args) {
        await ensureSameStore();
        return files.write(...args);
      },
      async *list() {
        await ensureSameStore();
        yield* files.list();
      },
    } satisfies MediaFiles,
    /** `ok`, or why this is not the media store of this database. */
    check,
    close,
  };
}

export type MediaStore = Awaited<ReturnType<typeof openMediaStore>>;

import path from 'node:path';
import type { MediaFiles, MediaStores, Tokens } from '@switchboard/domain';
import { diskMediaFiles, s3MediaFiles } from '@switchboard/media';
import type { Config } from './config.js';

export interface MediaStore {
  readonly files: MediaFiles;
  /** `ok`, or why bytes of this database's media do not lie here. */
  check(): Promise<'ok' | 'another store'>;
  close(): void;
}

/**
 * Where the bytes of media lie: in S3 when a bucket is configured, or else in the data directory. The first process that
 * comes leaves a mark there and writes it into the database. A process that is given another store (another machine's disk,
 * another bucket) sees that the two differ: it is not ready, takes nothing in and sweeps nothing away.
 */
export function openMediaStore(
  config: Pick<Config, 'mediaS3' | 'dataDir'>,
  stores: MediaStores,
  tokens: Pick<Tokens, 'random'>,
): MediaStore {
  const s3 = config.mediaS3 && s3MediaFiles(config.mediaS3);
  const files: MediaFiles = s3 ?? diskMediaFiles(path.join(config.dataDir, 'media'));

  async function check(): Promise<'ok' | 'another store'> {
    const known = await stores.find();
    const [expected, found] =
      known === null ? await recordStore() : ([known, await files.findStoreId()] as const);
    return found === expected ? 'ok' : 'another store';
  }
  async function recordStore(): Promise<readonly [string, string]> {
    const storeId = await files.createStoreId(tokens.random());
    return [await stores.insert(storeId), storeId];
  }

  let isVerified = false;
  const ensureSameStore = async () => {
    isVerified ||= (await check()) === 'ok';
    if (!isVerified) throw new Error('the store of media is not the one that this database was begun with');
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
    },
    check,
    close: () => s3?.close(),
  };
}

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
    const [expected, found] = known === null ? await introduce() : ([known, await files.findMark()] as const);
    return found === expected ? 'ok' : 'another store';
  }
  async function introduce(): Promise<readonly [string, string]> {
    const left = await files.leaveMark(tokens.random());
    return [await stores.insert(left), left];
  }

  let isOurs = false;
  const ensureOurs = async () => {
    isOurs ||= (await check()) === 'ok';
    if (!isOurs) throw new Error('the store of media is not the one that this database was begun with');
  };
  return {
    files: {
      ...files,
      async write(...args) {
        await ensureOurs();
        return files.write(...args);
      },
      async *list() {
        await ensureOurs();
        yield* files.list();
      },
    },
    check,
    close: () => s3?.close(),
  };
}

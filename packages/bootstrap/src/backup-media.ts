import type { MediaFiles } from '@switchboard/domain/ports';
import type { BackupPiece, SnapshotQuery } from '@switchboard/persistence/backup';

type Query = (text: string, values?: unknown[]) => Promise<readonly object[]>;

const PAGE = 1000;

/** The names of the media files that rows refer to, in pages. */
async function* listNames(query: Query): AsyncGenerator<readonly { name: string; bytes: number }[]> {
  let after = '';
  for (;;) {
    const rows = (await query(
      `SELECT file_name AS name, coalesce(bytes, 0) AS bytes FROM media WHERE file_name > $1 ORDER BY file_name LIMIT $2`,
      [after, PAGE],
    )) as { name: string; bytes: number }[];
    const last = rows.at(-1);
    if (!last) return;
    yield rows;
    after = last.name;
  }
}

/** The media files of the rows. One that was deleted since the snapshot is left out. */
export async function* readBackupMedia(
  files: Pick<MediaFiles, 'read'>,
  query: SnapshotQuery,
  signal: AbortSignal,
): AsyncGenerator<BackupPiece> {
  for await (const page of listNames(query)) {
    for (const { name, bytes } of page) {
      signal.throwIfAborted();
      const content = await files.read(name);
      if (!content) continue;
      yield { kind: 'file', name, bytes };
      yield* content;
    }
  }
}

/** Replaces the file of this name, which an interrupted restore may have left. */
export async function writeBackupMedia(
  files: Pick<MediaFiles, 'remove' | 'write'>,
  name: string,
  bytes: AsyncIterable<Uint8Array>,
): Promise<void> {
  await files.remove([name]);
  const written = await files.write(name, bytes, Number.MAX_SAFE_INTEGER);
  if (written.kind === 'broken') throw written.cause;
}

/** The names of the media that rows refer to and the store lacks. */
export async function listMissingMedia(files: Pick<MediaFiles, 'list'>, query: Query): Promise<string[]> {
  const missing = new Set<string>();
  for await (const page of listNames(query)) for (const { name } of page) missing.add(name);
  if (missing.size > 0) for await (const { name } of files.list()) missing.delete(name);
  return [...missing];
}

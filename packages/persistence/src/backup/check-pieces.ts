import type { BackupPiece, DatabaseEntry, EndEntry } from './backup-entries.js';

/** Reads a whole backup before anything of it is written. Throws when it is incomplete. */
export async function checkPieces(
  pieces: AsyncIterable<BackupPiece>,
  onDatabase: (database: DatabaseEntry) => Promise<void> | void,
) {
  let database: DatabaseEntry | undefined;
  let end: EndEntry | undefined;
  for await (const piece of pieces) {
    if (end) throw new Error('the backup continues after its end');
    if (piece instanceof Uint8Array) continue;
    if (piece.kind === 'database') await onDatabase((database = piece));
    if (piece.kind === 'end') end = piece;
  }
  if (!database || !end) throw new Error('the backup is incomplete');
  return { database, end };
}

export type CheckedBackup = Awaited<ReturnType<typeof checkPieces>>;

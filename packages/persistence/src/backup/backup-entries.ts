/**
 * The content of a backup, in this order: the database, each table with its rows, the sequences, the unfinished jobs,
 * the files, and the end. A move sends the same from one database to the other.
 */
export type BackupEntry =
  | DatabaseEntry
  | {
      readonly kind: 'table';
      readonly name: string;
      readonly columns: readonly string[];
      readonly rows: number;
    }
  | { readonly kind: 'sequences'; readonly values: Readonly<Record<string, string>> }
  | { readonly kind: 'jobs'; readonly jobs: readonly UnfinishedJob[] }
  /** A medium of the installation's own store, by its name there. */
  | { readonly kind: 'file'; readonly name: string; readonly bytes: number }
  | EndEntry;

/** What is known before the first row: everything that decides whether it can be restored. */
export interface DatabaseEntry {
  readonly kind: 'database';
  /** By the database's clock: the point in time that the backup shows. */
  readonly takenAt: string;
  readonly serverVersion: string;
  readonly migrations: readonly { readonly name: string; readonly checksum: string }[];
  readonly tables: Readonly<Record<string, number>>;
  /** The installation's wrapped data key and its canary, in base64: what the master key must open. */
  readonly installationKey: WrappedInstallationKey | null;
  readonly canary: string | null;
  readonly masterKeys: readonly { readonly masterKeyId: string; readonly dataKeys: number }[];
  /** The id of the media store, and what it holds. */
  readonly mediaStore: string | null;
  readonly media: { readonly files: number; readonly bytes: number };
}

interface WrappedInstallationKey {
  readonly version: number;
  readonly masterKeyId: string;
  readonly wrapped: string;
}

/** A job whose data are in no table, or that only signals what a table says. */
export interface UnfinishedJob {
  readonly name: string;
  readonly data: unknown;
  readonly startAfter: string;
}

export interface EndEntry {
  readonly kind: 'end';
  readonly rows: number;
  readonly files: number;
}

/** An entry, or a piece of the rows or bytes of the one before. */
export type BackupPiece = BackupEntry | Uint8Array;

const JSON_PIECE = 1;
const DATA_PIECE = 2;
const PREFIX_BYTES = 5;
const DATA_BYTES_MAX = 256 * 1024;
/** Larger than any entry: a page of jobs is the largest. */
const PIECE_BYTES_MAX = 256 * 1024 * 1024;

/** Pieces as bytes: a kind, the length (32 bits, big endian), and JSON or data. */
export async function* encodePieces(pieces: AsyncIterable<BackupPiece>): AsyncGenerator<Uint8Array> {
  for await (const piece of pieces) {
    if (piece instanceof Uint8Array) {
      for (let at = 0; at < piece.length; at += DATA_BYTES_MAX)
        yield* withPrefix(DATA_PIECE, piece.subarray(at, at + DATA_BYTES_MAX));
    } else yield* withPrefix(JSON_PIECE, Buffer.from(JSON.stringify(piece)));
  }
}

function* withPrefix(kind: number, body: Uint8Array): Generator<Uint8Array> {
  const prefix = Buffer.allocUnsafe(PREFIX_BYTES);
  prefix.writeUInt8(kind);
  prefix.writeUInt32BE(body.length, 1);
  yield prefix;
  yield body;
}

export async function* decodePieces(source: AsyncIterable<Uint8Array>): AsyncGenerator<BackupPiece> {
  let held: Buffer = Buffer.alloc(0);
  for await (const chunk of source) {
    held = held.length === 0 ? Buffer.from(chunk) : Buffer.concat([held, chunk]);
    while (held.length >= PREFIX_BYTES) {
      const length = held.readUInt32BE(1);
      if (length > PIECE_BYTES_MAX) throw new Error('a piece of the backup exceeds the maximum size');
      if (held.length < PREFIX_BYTES + length) break;
      const body = held.subarray(PREFIX_BYTES, PREFIX_BYTES + length);
      yield held.readUInt8() === DATA_PIECE ? body : (JSON.parse(body.toString('utf8')) as BackupEntry);
      held = held.subarray(PREFIX_BYTES + length);
    }
  }
  if (held.length > 0) throw new Error('the backup ends within a piece');
}

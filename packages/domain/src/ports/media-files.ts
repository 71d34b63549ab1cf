/**
 * The store of media bytes. Names are generated here, random and never external; a name is written once. A
 * name without a database row, left by a process that crashed between the two, is swept a day later.
 */
export interface MediaFiles {
  /**
   * Writes a stream to its end, or to `maxBytes`, with only a few chunks in memory. A file exists completely
   * and durably, or not at all. Throws when the store itself fails.
   */
  write(name: string, bytes: AsyncIterable<Uint8Array>, maxBytes: number): Promise<MediaWriteResult>;
  /** From `start` to `end`, both inclusive. Null when there is no such file. */
  read(name: string, range?: ByteRange): Promise<AsyncIterable<Uint8Array> | null>;
  /** Hashes the whole file; null when there is no such file. */
  digest(name: string): Promise<{ readonly bytes: number; readonly sha256: string } | null>;
  /** Succeeds for missing files. */
  remove(names: readonly string[]): Promise<void>;
  /** All complete files, in no order. */
  list(): AsyncIterable<{ readonly name: string; readonly modifiedAt: Date }>;
  findStoreId(): Promise<string | null>;
  /** Stores an id if there is none. Returns the stored one. */
  createStoreId(storeId: string): Promise<string>;
}

export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

export type MediaWriteResult =
  | { readonly kind: 'written'; readonly bytes: number; readonly sha256: string }
  | { readonly kind: 'too_large' }
  /** The stream threw before its end. Nothing is kept. */
  | { readonly kind: 'broken'; readonly cause: unknown };

/** The id of the store that contains this database's media. */
export interface MediaStores {
  find(): Promise<string | null>;
  /** Keeps an existing id. Returns the stored one. */
  insert(storeId: string): Promise<string>;
}

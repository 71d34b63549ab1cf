/**
 * Where the bytes of media lie. Names are ours, random and never from outside; a name is written once. Whatever has a name
 * here and no row in the database, because a process died between the two, is swept away a day later.
 */
export interface MediaFiles {
  /**
   * Takes a stream to its end, or to `maxBytes`, holding no more than a few pieces of it. A file is there with all its bytes,
   * kept over a power cut, or it is not there at all. Throws when the store itself fails.
   */
  write(name: string, bytes: AsyncIterable<Uint8Array>, maxBytes: number): Promise<MediaWriteResult>;
  /** From `start` to `end`, both included. Null when there is no such file. */
  read(name: string, range?: ByteRange): Promise<AsyncIterable<Uint8Array> | null>;
  /** Reads it through; null when there is no such file. */
  digest(name: string): Promise<{ readonly bytes: number; readonly sha256: string } | null>;
  /** What is not there is removed already. */
  remove(names: readonly string[]): Promise<void>;
  /** Everything that is whole, in no order. */
  list(): AsyncIterable<{ readonly name: string; readonly modifiedAt: Date }>;
  /** The text that was left here to know this store by. */
  findStoreId(): Promise<string | null>;
  /** Leaves one where there is none. Answers the one that is here. */
  createStoreId(storeId: string): Promise<string>;
}

export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

export type MediaWriteResult =
  | { readonly kind: 'written'; readonly bytes: number; readonly sha256: string }
  | { readonly kind: 'too_large' }
  /** The stream threw: what was to come did not come whole. Nothing is left of it. */
  | { readonly kind: 'broken'; readonly cause: unknown };

/** Which store the bytes of this database's media lie in: the mark that was left there. */
export interface MediaStores {
  find(): Promise<string | null>;
  /** Keeps what is there and answers it. */
  insert(storeId: string): Promise<string>;
}

import type { Result } from '@switchboard/domain';

/** IDs of master keys, newest first. */
export type MasterKeyIds = readonly [newest: string, ...older: string[]];

/**
 * The keys that wrap data keys. They are local or in a key service, so every method is asynchronous and may
 * fail with `vault.unavailable`: no response, or a key that this process does not have; the stored data may
 * still be valid. The caller selects the wrapping key: one that every process has.
 *
 * `context` identifies the data key and its workspace. It is authenticated, not stored: unwrapping with
 * another context is `vault.unreadable`.
 */
export interface MasterKeyProvider {
  /**
   * The currently available keys, read from their source: a modified file is read again, a key service is
   * queried.
   */
  list(): Promise<Result<MasterKeyIds, 'vault.unavailable'>>;
  /** Neither retains nor modifies `dataKey`. */
  wrap(
    masterKeyId: string,
    dataKey: Uint8Array,
    context: Uint8Array,
  ): Promise<Result<Uint8Array, 'vault.unavailable'>>;
  /** The caller wipes the returned key. */
  unwrap(
    masterKeyId: string,
    wrapped: Uint8Array,
    context: Uint8Array,
  ): Promise<Result<Uint8Array, 'vault.unavailable' | 'vault.unreadable'>>;
}

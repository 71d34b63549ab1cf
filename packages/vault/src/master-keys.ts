import type { Result } from '@switchboard/domain';

/** Ids of master keys, newest first. */
export type MasterKeyIds = readonly [newest: string, ...older: string[]];

/**
 * The keys that wrap data keys. They may be here or in a key service, so everything is asynchronous and may fail with
 * `vault.unavailable`: no answer, or a key that this process does not hold; nothing is known to be wrong with what is
 * stored. Which of the keys wraps is for the caller to say: it is one that every process holds.
 *
 * `context` says which data key it is and of whom. It is authenticated, not kept: unwrapping with another is `vault.unreadable`.
 */
export interface MasterKeyProvider {
  /** The keys that can be used now. Looks at where they come from: a file that was changed is read, a key service is asked. */
  list(): Promise<Result<MasterKeyIds, 'vault.unavailable'>>;
  /** Neither keeps nor changes `dataKey`. */
  wrap(
    masterKeyId: string,
    dataKey: Uint8Array,
    context: Uint8Array,
  ): Promise<Result<Uint8Array, 'vault.unavailable'>>;
  /** The caller wipes the answer. */
  unwrap(
    masterKeyId: string,
    wrapped: Uint8Array,
    context: Uint8Array,
  ): Promise<Result<Uint8Array, 'vault.unavailable' | 'vault.unreadable'>>;
}

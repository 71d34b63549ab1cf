import type { Result } from '@switchboard/domain';

/**
 * The keys that wrap data keys. They may be here or in a key service, so everything is asynchronous and may fail with
 * `vault.unavailable`: no answer, try again. A new data key is wrapped with the current master key; older ones stay
 * as long as something is wrapped with them.
 *
 * `context` says which data key it is and of whom. It is authenticated, not kept: unwrapping with another is `vault.unreadable`.
 */
export interface MasterKeyProvider {
  /** The id of the key that wraps from now on. */
  current(): Promise<Result<string, 'vault.unavailable'>>;
  /** With the current key. Neither keeps nor changes `dataKey`. */
  wrap(dataKey: Uint8Array, context: Uint8Array): Promise<Result<WrappedByMaster, 'vault.unavailable'>>;
  /** The caller wipes the answer. A key that this provider does not hold is `vault.unreadable`. */
  unwrap(
    masterKeyId: string,
    wrapped: Uint8Array,
    context: Uint8Array,
  ): Promise<Result<Uint8Array, 'vault.unavailable' | 'vault.unreadable'>>;
}

export interface WrappedByMaster {
  readonly masterKeyId: string;
  readonly wrapped: Uint8Array;
}

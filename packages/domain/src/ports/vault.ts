import type { WorkspaceId } from '../ids.js';
import type { Result } from '../result.js';
import type { Secret } from '../secret.js';

/** Where a sealed secret belongs. It opens only there: moved to another row, field, generation or workspace it is `vault.unreadable`. */
export interface SealBinding {
  readonly table: string;
  readonly row: string;
  readonly field: string;
  /** Counts replacements of the secret in this place; 0 where it is never replaced. */
  readonly generation: number;
}

/** A workspace's data key, wrapped by a master key. */
export interface WrappedDataKey {
  readonly workspaceId: WorkspaceId | null;
  readonly version: number;
  /** Which master key wrapped it. */
  readonly masterKeyId: string;
  readonly wrapped: Uint8Array;
}

/**
 * Seals secrets. Getting at a workspace's key may mean the network (a key service) and is therefore apart from
 * sealing and opening, which are pure computation and may happen inside a transaction.
 */
export interface Vault {
  /** A new data key for a workspace that is being created; store it in the same transaction. */
  mint(workspaceId: WorkspaceId | null): Promise<Result<WrappedDataKey, 'vault.unavailable'>>;
  /** `vault.unreadable` when the workspace's data key is gone or was changed. Keys are remembered for a few minutes. */
  unlock(
    workspaceId: WorkspaceId | null,
  ): Promise<Result<UnlockedVault, 'vault.unavailable' | 'vault.unreadable'>>;
}

export interface UnlockedVault {
  seal(binding: SealBinding, secret: Secret): Uint8Array;
  /** Any changed, missing or added byte, and any other place, is the one error. */
  open(binding: SealBinding, sealed: Uint8Array): Result<Secret, 'vault.unreadable'>;
  /**
   * 32 bytes that follow from the data key and the purpose, so that a further secret needs no place to be kept. The
   * same in every process and for as long as the data key lives; a master key's rotation changes nothing.
   */
  derive(purpose: string): Uint8Array;
}

/** Where wrapped data keys are kept. */
export interface DataKeys {
  /** The newest version for a workspace, null for the installation's own. */
  find(workspaceId: WorkspaceId | null): Promise<WrappedDataKey | null>;
  /** Keeps what is there: when two processes race to make the first one, both go on with the winner's. */
  insert(key: WrappedDataKey): Promise<WrappedDataKey>;
}

/**
 * Where the installation's canary is kept: one sealed text that everybody knows, which a process opens before it
 * does anything else. There is one for each database, so a process that holds the wrong master key is found out at start.
 */
export interface Canaries {
  find(): Promise<Uint8Array | null>;
  /** Keeps what is there and answers it: when two processes race to make the first one, both go on with the winner's. */
  insert(sealed: Uint8Array): Promise<Uint8Array>;
}

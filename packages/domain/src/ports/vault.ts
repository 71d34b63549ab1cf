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
  generateDataKey(workspaceId: WorkspaceId | null): Promise<Result<WrappedDataKey, 'vault.unavailable'>>;
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

/**
 * Where wrapped data keys are kept. The master key that wraps the installation's own is the one that wraps whatever is
 * new: every process that started holds it. A rotation moves that one first, once all who live hold the newest.
 */
export interface DataKeys {
  /** The newest version for a workspace, null for the installation's own. */
  find(workspaceId: WorkspaceId | null): Promise<WrappedDataKey | null>;
  /** Which master keys wrap how many data keys, in the order of their names. */
  countByMasterKey(): Promise<readonly MasterKeyUsage[]>;
  /** Up to `limit` data keys of anybody that another master key wraps, in an order of their own, after the one given. */
  listWrappedByOtherKeys(
    masterKeyId: string,
    after: WrappedDataKey | null,
    limit: number,
  ): Promise<readonly WrappedDataKey[]>;
  /**
   * Keeps what is there: when two processes race to make the first one, both go on with the winner's. Null, and nothing is
   * kept, when another master key wraps what is new by now: mint again. Nobody rotates between this and the transaction's end.
   */
  insert(key: WrappedDataKey): Promise<WrappedDataKey | null>;
  /** Puts the one in place of the other where it still is as it was, and nobody else is at it. Answers how many were. */
  rewrap(changes: readonly DataKeyRewrap[]): Promise<number>;
}

export interface MasterKeyUsage {
  readonly masterKeyId: string;
  readonly dataKeys: number;
  /** When the first of them was wrapped with it. */
  readonly since: Date;
}

/** The same data key, wrapped by one master key and by another. */
export interface DataKeyRewrap {
  readonly before: WrappedDataKey;
  readonly after: WrappedDataKey;
}

/** A process that lives, and the master keys that it holds, newest first. */
export interface RegisteredProcess {
  /** Of the process; another at every start. */
  readonly id: string;
  readonly app: string;
  readonly host: string;
  readonly pid: number;
  readonly masterKeyIds: readonly string[];
  readonly startedAt: Date;
  /** When it was last heard of, by the database's clock. */
  readonly seenAt: Date;
}

/**
 * The processes of an installation and the master keys that each holds, so that nothing is wrapped with a key that one of
 * them lacks. Whoever was not heard of for half a minute does not live any more.
 */
export interface ProcessRegistry {
  /**
   * Says that this process lives. Waits while a rotation begins: whoever announces itself and then reads the
   * installation's data key is either seen by the rotation or sees what it did.
   */
  register(process: Omit<RegisteredProcess, 'seenAt'>): Promise<void>;
  deregister(id: string): Promise<void>;
  /** Those who live, oldest first. */
  list(): Promise<readonly RegisteredProcess[]>;
  /**
   * Begins a rotation: rewraps the installation's data key, unless somebody who lives lacks the master key that
   * it would be under. All or nothing, and nobody begins to live meanwhile.
   */
  beginRotation(change: DataKeyRewrap): Promise<RotationStart>;
}

export type RotationStart =
  | { readonly kind: 'begun' }
  /** It is not as it was: somebody else rotates. */
  | { readonly kind: 'outrun' }
  | { readonly kind: 'lacking'; readonly processes: readonly RegisteredProcess[] };

/**
 * Where the installation's canary is kept: one sealed text that everybody knows, which a process opens before it
 * does anything else. There is one for each database, so a process that holds the wrong master key is found out at start.
 */
export interface Canaries {
  find(): Promise<Uint8Array | null>;
  /** Keeps what is there and answers it: when two processes race to make the first one, both go on with the winner's. */
  insert(sealed: Uint8Array): Promise<Uint8Array>;
}

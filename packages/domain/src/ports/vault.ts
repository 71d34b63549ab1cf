import type { WorkspaceId } from '../ids.js';
import type { Result } from '../result.js';
import type { Secret } from '../secret.js';

/**
 * The location of a sealed secret. It opens only there: moved to another row, field, generation or workspace
 * it is `vault.unreadable`.
 */
export interface SealBinding {
  readonly table: string;
  readonly row: string;
  readonly field: string;
  /** Counts replacements of the secret at this location; 0 where it is never replaced. */
  readonly generation: number;
}

export interface WrappedDataKey {
  readonly workspaceId: WorkspaceId | null;
  readonly version: number;
  readonly masterKeyId: string;
  readonly wrapped: Uint8Array;
}

/**
 * Seals secrets. Obtaining a workspace's key may require the network (a key service) and is therefore
 * separate from sealing and opening, which are pure computation and may happen inside a transaction.
 */
export interface Vault {
  /** A new data key for a workspace that is being created; store it in the same transaction. */
  generateDataKey(workspaceId: WorkspaceId | null): Promise<Result<WrappedDataKey, 'vault.unavailable'>>;
  /**
   * `vault.unreadable` when the workspace's data key is gone or was changed. Keys are cached for a few
   * minutes.
   */
  unlock(
    workspaceId: WorkspaceId | null,
  ): Promise<Result<UnlockedVault, 'vault.unavailable' | 'vault.unreadable'>>;
}

export interface UnlockedVault {
  seal(binding: SealBinding, secret: Secret): Uint8Array;
  /** Any changed, missing or added byte, and any other location, returns the same error. */
  open(binding: SealBinding, sealed: Uint8Array): Result<Secret, 'vault.unreadable'>;
  /**
   * Derives 32 bytes from the data key and the purpose, so that a further secret needs no storage. The same
   * in every process for the lifetime of the data key; unaffected by a rotation of the master key.
   */
  derive(purpose: string): Uint8Array;
}

/**
 * The stored wrapped data keys. New data keys are wrapped with the master key that wraps the installation's
 * own: every started process has it. A rotation rewraps that one first, once all running processes have the
 * newest.
 */
export interface DataKeys {
  /** The newest version for a workspace, null for the installation's own. */
  find(workspaceId: WorkspaceId | null): Promise<WrappedDataKey | null>;
  /** How many data keys each master key wraps, ordered by the master key's id. */
  countByMasterKey(): Promise<readonly MasterKeyUsage[]>;
  /** Up to `limit` data keys that another master key wraps, in a fixed order, after the given one. */
  listWrappedByOtherKeys(
    masterKeyId: string,
    after: WrappedDataKey | null,
    limit: number,
  ): Promise<readonly WrappedDataKey[]>;
  /**
   * Keeps an existing one: when two processes race to create the first, both continue with the winner's.
   * Null, and nothing is stored, when new keys are wrapped with another master key by now: generate again. No
   * rotation can start until the transaction ends.
   */
  insert(key: WrappedDataKey): Promise<WrappedDataKey | null>;
  /**
   * Replaces each data key that is unchanged and not locked by another transaction. Returns how many were
   * replaced.
   */
  rewrap(changes: readonly DataKeyRewrap[]): Promise<number>;
}

export interface MasterKeyUsage {
  readonly masterKeyId: string;
  readonly dataKeys: number;
  /** When the first of them was wrapped with it. */
  readonly since: Date;
}

/** The same data key, wrapped by the old and by the new master key. */
export interface DataKeyRewrap {
  readonly before: WrappedDataKey;
  readonly after: WrappedDataKey;
}

/** A running process, and the master keys that it has, newest first. */
export interface RegisteredProcess {
  /** The id of the process; a new one at every start. */
  readonly id: string;
  readonly app: string;
  readonly host: string;
  readonly pid: number;
  readonly masterKeyIds: readonly string[];
  readonly startedAt: Date;
  /** The time of its last heartbeat, by the database's clock. */
  readonly seenAt: Date;
  /** What external adapters did wrong in it. */
  readonly adapterFaults?: readonly CountedFault[] | undefined;
}

/** The faults of one kind in one method of an external adapter, since the start of the process. */
export interface CountedFault {
  readonly platform: string;
  /** Such as `publishing.publish`. */
  readonly method: string;
  readonly kind: 'threw' | 'timed_out' | 'malformed';
  /** Of the last one. */
  readonly message: string;
  readonly count: number;
  /** ISO 8601. */
  readonly lastAt: string;
}

/**
 * The running processes of an installation and their master keys, so that nothing is wrapped with a key that
 * one of them lacks. A process without a heartbeat for half a minute counts as stopped.
 */
export interface ProcessRegistry {
  /**
   * Registers this process. Waits while a rotation begins: a process that registers and then reads the
   * installation's data key is either visible to the rotation or sees its result.
   */
  register(process: Omit<RegisteredProcess, 'seenAt'>): Promise<void>;
  deregister(id: string): Promise<void>;
  /** The running processes, oldest first. */
  list(): Promise<readonly RegisteredProcess[]>;
  /**
   * Begins a rotation: rewraps the installation's data key, unless a running process lacks the new master
   * key. All or nothing; no process can register meanwhile.
   */
  beginRotation(change: DataKeyRewrap): Promise<RotationStart>;
}

type RotationStart =
  | { readonly kind: 'started' }
  /** The data key has changed: another rotation is running. */
  | { readonly kind: 'conflict' }
  /** These processes do not have the new master key. */
  | { readonly kind: 'missing_key'; readonly processes: readonly RegisteredProcess[] };

/**
 * The installation's canary: one sealed text with known content, which a process opens first at startup.
 * There is one for each database, so that a process with the wrong master key is detected at startup.
 */
export interface Canaries {
  find(): Promise<Uint8Array | null>;
  /**
   * Keeps and returns an existing one: when two processes race to create the first, both continue with the
   * winner's.
   */
  insert(sealed: Uint8Array): Promise<Uint8Array>;
}

import type { AccountIdentity } from '../connections/account-identity.js';
import type { Connection, ConnectionStatus, PlatformKind } from '../connections/connection.js';
import type { RefreshReceipt, SealedCredential } from '../connections/credential.js';
import type { ConnectionView } from '../connections/list-connections.js';
import type { AttemptId, ConnectionId, ProfileId, WorkspaceId } from '../ids.js';
import type { PageRequest, Rows } from '../page.js';
import type { Metadata } from '../profiles/profile.js';

/**
 * The permissions that a platform's abilities require of an account with one connect method, or (null) of any
 * without a row of its own.
 */
interface RequiredPermissions {
  readonly platform: string;
  readonly connectMethod: string | null;
  readonly permissions: readonly string[];
}

/** Connected accounts, without their credentials. */
export interface Connections {
  find(workspaceId: WorkspaceId, id: ConnectionId): Promise<Connection | null>;
  /**
   * Reads the connection and locks it: other transactions that lock or change it wait until this one ends, so
   * a decision based on its status cannot conflict with its reconnection or deletion.
   */
  lock(workspaceId: WorkspaceId, id: ConnectionId): Promise<Connection | null>;
  /** An existing connection of the same remote account in the same profile. */
  findByAccount(
    workspaceId: WorkspaceId,
    profileId: ProfileId,
    account: AccountIdentity,
  ): Promise<Connection | null>;
  /** The connections of the same remote account in all profiles of the workspace. */
  listByAccount(workspaceId: WorkspaceId, account: AccountIdentity): Promise<readonly Connection[]>;
  /** Newest first, each with its unsent scheduled posts, in one query. */
  list(workspaceId: WorkspaceId, filter: ConnectionFilter, page: PageRequest): Promise<Rows<ConnectionView>>;
  /**
   * All that match, oldest first, for operations on every one of them (targets of a post, sources of a list);
   * at most 500.
   */
  listAll(workspaceId: WorkspaceId, filter: ConnectionFilter): Promise<readonly Connection[]>;
  /** Those of these platforms that have a connection, in these profiles (null: in any). */
  listPlatforms(
    workspaceId: WorkspaceId,
    reach: readonly ProfileId[] | null,
    platforms: readonly string[],
  ): Promise<readonly string[]>;
  /** Across workspaces, for the worker only. In no order. */
  listByIds(ids: readonly ConnectionId[]): Promise<readonly Connection[]>;
  /** Across workspaces, for the worker only: working connections whose next warning of their expiry is due. */
  listWarningsDue(limit: number): Promise<readonly Pick<Connection, 'id' | 'workspaceId'>[]>;
  /**
   * Reads all. Across workspaces, for the worker only: working connections whose status differs from `connectionHealth`,
   * or that have a more recent warning due than the last one sent. `wanted`: see there, at most one row for
   * each platform and connect method.
   */
  listToReview(
    wanted: readonly RequiredPermissions[],
    limit: number,
  ): Promise<readonly Pick<Connection, 'id' | 'workspaceId'>[]>;
  insert(connection: Connection): Promise<void>;
  update(workspaceId: WorkspaceId, id: ConnectionId, changes: ConnectionChanges): Promise<Connection | null>;
  /** Deletes the connection and destroys its sealed credential. Its posts, refunds and metrics stay. */
  delete(workspaceId: WorkspaceId, id: ConnectionId): Promise<void>;
}

export interface ConnectionFilter {
  /** Only these profiles (a key's reach), null for all. */
  readonly reach: readonly ProfileId[] | null;
  readonly ids?: readonly ConnectionId[] | undefined;
  readonly profileId?: ProfileId | undefined;
  readonly platforms?: readonly string[] | undefined;
  readonly kind?: PlatformKind | undefined;
  readonly statuses?: readonly ConnectionStatus[] | undefined;
  readonly externalId?: string | undefined;
  readonly isPaused?: true | undefined;
  /** All of these keys with exactly these values. */
  readonly metadata?: Metadata | undefined;
}

/** Undefined fields stay unchanged. */
export type ConnectionChanges = {
  readonly [
    Field in Exclude<keyof Connection, 'id' | 'workspaceId' | 'platform' | 'kind' | 'createdAt' | 'version'>
  ]?: Connection[Field] | undefined;
};

/**
 * The sealed credentials, one per connection; the lease that lets one process at a time renew one; and the
 * receipts of refresh results. Times are the database's.
 */
export interface Credentials {
  find(workspaceId: WorkspaceId, connectionId: ConnectionId): Promise<SealedCredential | null>;
  /**
   * Across workspaces, for the worker only: credentials of these platforms that are due for renewal (a tenth
   * of their lifetime before their expiry, with jitter), without a renewal lease and not backing off after a
   * failure. Those that cannot be renewed are included once they have expired. Longest due first. None while
   * claims are `held`.
   */
  listDue(platforms: readonly string[], limit: number): Promise<readonly DueCredential[]>;
  /**
   * Across workspaces, for the worker only: connections with a receipt older than `ageSeconds` that has not
   * become the next generation, or whose credential no longer exists.
   */
  listUnsettled(ageSeconds: number, limit: number): Promise<readonly CredentialKey[]>;
  insert(credential: SealedCredential): Promise<void>;
  /** Acquires the lease to renew a generation. */
  claim(wanted: RenewalRequest): Promise<RenewalClaim>;
  /**
   * Extends the lease of a claim to `leaseSeconds` from now. False when the fence has changed or the lease
   * was ended: it is not restored.
   */
  extendLease(connectionId: ConnectionId, fence: number, leaseSeconds: number): Promise<boolean>;
  /** Releases the lease without a new credential. */
  release(connectionId: ConnectionId, fence: number, ending: RenewalResult): Promise<void>;
  /**
   * Stores the result of a renewal unconditionally: regardless of lease, generation, or deletion of the
   * connection. Idempotent.
   */
  storeReceipt(receipt: RefreshReceipt): Promise<void>;
  /**
   * Makes the newest receipt that follows the stored generation the credential, regardless of its writer and
   * the current lease, and ends that lease: a received token is never discarded because another process holds
   * the lease. Returns the applied receipt; null when none matches.
   */
  applyReceipt(workspaceId: WorkspaceId, connectionId: ConnectionId): Promise<RefreshReceipt | null>;
  /**
   * Deletes and returns a receipt for the same generation as `generation`: if two processes renewed one, the
   * other's. Null when there is none.
   */
  deleteSpareReceipt(
    workspaceId: WorkspaceId,
    connectionId: ConnectionId,
    generation: number,
  ): Promise<RefreshReceipt | null>;
  /** Deletes and returns all receipts of a deleted connection. */
  deleteReceipts(workspaceId: WorkspaceId, connectionId: ConnectionId): Promise<readonly RefreshReceipt[]>;
  /**
   * Replaces the stored credential, for a reconnection: `next` has the generation after the current one.
   * Receipts and renewals of the old grant end with it.
   */
  replace(next: SealedCredential): Promise<void>;
}

export type CredentialKey = Pick<SealedCredential, 'workspaceId' | 'connectionId'>;
export type DueCredential = Pick<SealedCredential, 'workspaceId' | 'connectionId' | 'generation'>;

export interface RenewalRequest {
  readonly connectionId: ConnectionId;
  readonly generation: number;
  /** Identifies the receipt of the result. */
  readonly attempt: AttemptId;
  readonly leaseSeconds: number;
  /**
   * The platform rejects the current token. While it is accepted, an attempt without a recorded result is
   * waited for until half of the remaining lifetime is over: its process may still store its result, and a
   * second refresh with a used token may end the whole grant.
   */
  readonly isTokenRejected: boolean;
}

export type RenewalClaim =
  | {
      readonly kind: 'claimed';
      /** Must be passed to `extendLease` and `release`. */
      readonly fence: number;
      /** The outcome of an earlier attempt is unknown. */
      readonly isOutcomeUnknown: boolean;
      /** The number of consecutive failures. */
      readonly failures: number;
    }
  /** Another process holds the lease, or an attempt is waited for, or the generation has changed. */
  | { readonly kind: 'busy' }
  /** A recent attempt failed; no attempt is allowed before the backoff ends. */
  | { readonly kind: 'backing_off'; readonly retryAfterSeconds: number }
  /**
   * The installation is paused because another one may run on the same grants (`mayHaveSentElsewhere`): a refresh token
   * that both use may end the grant.
   */
  | { readonly kind: 'held' };

export interface RenewalResult {
  /** No attempt is allowed for this time; null where it did not fail. */
  readonly backoffSeconds: number | null;
  /** Whether the platform may have renewed it without a received result. */
  readonly isOutcomeUnknown: boolean;
}

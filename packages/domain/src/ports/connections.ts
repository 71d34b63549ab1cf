import type { AccountIdentity } from '../connections/account-identity.js';
import type { Connection, ConnectionStatus, PlatformKind } from '../connections/connection.js';
import type { RefreshReceipt, SealedCredential } from '../connections/credential.js';
import type { ConnectionView } from '../connections/list-connections.js';
import type { AttemptId, ConnectionId, ProfileId, WorkspaceId } from '../ids.js';
import type { PageRequest, Rows } from '../page.js';

/** What a platform's abilities need of an account that is connected one way, or (null) any that has no row of its own. */
export interface RequiredPermissions {
  readonly platform: string;
  readonly connectMethod: string | null;
  readonly permissions: readonly string[];
}

/** Connected accounts, without their credentials. */
export interface Connections {
  find(workspaceId: WorkspaceId, id: ConnectionId): Promise<Connection | null>;
  /**
   * Reads it and makes everybody else who locks or changes it wait until the transaction ends: whoever acts on how a
   * connection stands cannot be overtaken by its reconnection or its end.
   */
  lock(workspaceId: WorkspaceId, id: ConnectionId): Promise<Connection | null>;
  /** The same remote account connected before in the same profile. */
  findByAccount(
    workspaceId: WorkspaceId,
    profileId: ProfileId,
    account: AccountIdentity,
  ): Promise<Connection | null>;
  /** Newest first, each with what waits on it: as `countScheduled` would say, read together. */
  list(workspaceId: WorkspaceId, filter: ConnectionFilter, page: PageRequest): Promise<Rows<ConnectionView>>;
  /** All that fit, oldest first, for work over every one of them (targets of a post, sources of a list); at most 500. */
  listAll(workspaceId: WorkspaceId, filter: ConnectionFilter): Promise<readonly Connection[]>;
  /** How many unsent scheduled posts each has, counted to `SCHEDULED_POSTS_MAX`, and when the next one is due. */
  countScheduled(
    workspaceId: WorkspaceId,
    ids: readonly ConnectionId[],
  ): Promise<ReadonlyMap<ConnectionId, { readonly count: number; readonly nextAt: Date | null }>>;
  /** Which of these platforms there is a connection of, in these profiles (null: in any). */
  listPlatforms(
    workspaceId: WorkspaceId,
    reach: readonly ProfileId[] | null,
    platforms: readonly string[],
  ): Promise<readonly string[]>;
  /** Across workspaces, for the worker only. In no order. */
  listByIds(ids: readonly ConnectionId[]): Promise<readonly Connection[]>;
  /**
   * Across workspaces, for the worker only: the usable connections of these platforms without a snapshot since `before`,
   * in no order, so that accounts which give no numbers do not stand in the way of the others.
   */
  listForSnapshots(platforms: readonly string[], before: Date, limit: number): Promise<readonly Connection[]>;
  /**
   * Across workspaces, for the worker only: connections that work and whose status is not what `standingOf` would say, or that
   * have another warning due than was told last. `wanted`: see there, at most one row for each platform and way.
   */
  listToReview(
    wanted: readonly RequiredPermissions[],
    limit: number,
  ): Promise<readonly Pick<Connection, 'id' | 'workspaceId'>[]>;
  insert(connection: Connection): Promise<void>;
  update(workspaceId: WorkspaceId, id: ConnectionId, changes: ConnectionChanges): Promise<Connection | null>;
  /** Removes the connection and destroys its sealed credential. Posts, refunds and numbers made through it stay. */
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
}

/** What is undefined stays as it is. */
export type ConnectionChanges = {
  readonly [
    Field in Exclude<keyof Connection, 'id' | 'workspaceId' | 'platform' | 'kind' | 'createdAt' | 'version'>
  ]?: Connection[Field] | undefined;
};

/**
 * The sealed credentials, one a connection, the lease that lets one process at a time renew one, and the receipts of what
 * renewals brought. Times are the database's.
 */
export interface Credentials {
  find(workspaceId: WorkspaceId, connectionId: ConnectionId): Promise<SealedCredential | null>;
  /**
   * Across workspaces, for the worker only: credentials of these platforms whose time to be renewed has come (a tenth of their
   * life before their end, some a little earlier, so that not all come at once), that nobody renews and that do not rest after a
   * failure. Those whose connection cannot be renewed are among them when their end has come. Soonest end first.
   */
  listDue(platforms: readonly string[], limit: number): Promise<readonly DueCredential[]>;
  /**
   * Across workspaces, for the worker only: connections with a receipt of more than `ageSeconds` ago that should be the next
   * generation by now, or that has no credential any more.
   */
  listUnsettled(ageSeconds: number, limit: number): Promise<readonly CredentialKey[]>;
  insert(credential: SealedCredential): Promise<void>;
  /** Takes the right to renew a generation. */
  claim(wanted: RenewalRequest): Promise<RenewalClaim>;
  /** Gives the right back without a new credential. */
  release(connectionId: ConnectionId, fence: number, ending: RenewalResult): Promise<void>;
  /** Writes down what a renewal received. Nothing refuses it: no lease, no generation, no end of the connection. A second time changes nothing. */
  storeReceipt(receipt: RefreshReceipt): Promise<void>;
  /**
   * Makes the newest receipt that follows the stored generation the credential, whoever wrote it and whatever lease there is,
   * and ends that lease: a token that was received is never thrown away because somebody else was to receive it. Answers
   * what it put in place; null when no receipt fits.
   */
  applyReceipt(workspaceId: WorkspaceId, connectionId: ConnectionId): Promise<RefreshReceipt | null>;
  /**
   * Takes a receipt away that was received for the same generation as `generation` was: of two who renewed one, the other's. Null
   * when there is none.
   */
  deleteSpareReceipt(
    workspaceId: WorkspaceId,
    connectionId: ConnectionId,
    generation: number,
  ): Promise<RefreshReceipt | null>;
  /** Takes all receipts of a connection away: it has ended. */
  deleteReceipts(workspaceId: WorkspaceId, connectionId: ConnectionId): Promise<readonly RefreshReceipt[]>;
  /**
   * Replaces whatever there is, for a reconnection: the next generation after the present one is in `next`. Receipts and
   * renewals of the old grant end with it.
   */
  replace(next: SealedCredential): Promise<void>;
}

export type CredentialKey = Pick<SealedCredential, 'workspaceId' | 'connectionId'>;
export type DueCredential = Pick<SealedCredential, 'workspaceId' | 'connectionId' | 'generation'>;

export interface RenewalRequest {
  readonly connectionId: ConnectionId;
  readonly generation: number;
  /** Names the receipt of what comes of it. */
  readonly attempt: AttemptId;
  readonly leaseSeconds: number;
  /**
   * The platform does not accept the present token. As long as it does, an attempt that ended without a word is waited for until
   * half of the time is over that was left at the renewal: whoever made it may still come with what it received, and to ask
   * again with a token that is spent may end the whole grant.
   */
  readonly isTokenRejected: boolean;
}

export type RenewalClaim =
  | {
      readonly kind: 'claimed';
      /** What `release` must name. */
      readonly fence: number;
      /** An attempt before this one was made, and nobody knows what came of it. */
      readonly isOutcomeUnknown: boolean;
      /** How often it failed, one after the other. */
      readonly failures: number;
    }
  /** Somebody else has it, or an attempt is waited for, or the generation has moved on. */
  | { readonly kind: 'held' }
  /** It failed lately. */
  | { readonly kind: 'resting'; readonly retryAfterSeconds: number };

export interface RenewalResult {
  /** Nobody may try again for so long; null where it did not fail. */
  readonly backoffSeconds: number | null;
  /** Whether the platform may have renewed it without our knowing. */
  readonly isOutcomeUnknown: boolean;
}

import type { ConnectionId, DeliveryId, PostId, ProfileId, WorkspaceId } from '../ids.js';
import type { PageRequest, Rows } from '../page.js';
import type { Metadata } from '../profiles/profile.js';
import type { Delivery, DeliveryAttempt, Post, PostStatus } from '../posts/post.js';

/** Posts with their deliveries. Every change of a delivery that is being sent names its epoch, the fence. */
export interface Posts {
  find(workspaceId: WorkspaceId, id: PostId): Promise<Post | null>;
  list(workspaceId: WorkspaceId, filter: PostFilter, page: PageRequest): Promise<Rows<Post>>;
  findDelivery(workspaceId: WorkspaceId, id: DeliveryId): Promise<Delivery | null>;
  /** A live delivery (not failed, missed, cancelled or deleted) with this content on this connection that goes out within a day of `around`, of any post but `except`. */
  findDuplicate(
    workspaceId: WorkspaceId,
    connectionId: ConnectionId,
    contentDigest: string,
    around: Date,
    except?: PostId,
  ): Promise<PostId | null>;
  /** For the worker, across workspaces. In no order. */
  listByIds(ids: readonly PostId[]): Promise<readonly Post[]>;
  /** Attempts, read-backs and decisions of a post's deliveries, in order. */
  listHistory(workspaceId: WorkspaceId, id: PostId): Promise<readonly DeliveryAttempt[]>;
  /** Published deliveries of these connections that went out between the times, newest first, at most `limit`. */
  listPublished(
    workspaceId: WorkspaceId,
    filter: { readonly connectionIds: readonly ConnectionId[]; readonly from: Date; readonly to: Date },
    limit: number,
  ): Promise<readonly Delivery[]>;
  /** Posts with a delivery to this connection that has not gone out and is not given up: how many, and the first of them by their time. */
  listUnsentOf(
    workspaceId: WorkspaceId,
    connectionId: ConnectionId,
    limit: number,
  ): Promise<{ readonly count: number; readonly ids: readonly PostId[] }>;
  /** Deliveries that wait for a person's decision, of posts of these profiles (null: of all), newest first. */
  listInReview(
    workspaceId: WorkspaceId,
    reach: readonly ProfileId[] | null,
    page: PageRequest,
  ): Promise<Rows<DeliveryInReview>>;
  /**
   * Posts of these profiles (null: of all) with deliveries that were missed and could have gone out until some time after
   * `since`, newest first. Those of a connection that is gone are passed over: nothing can be sent there any more.
   */
  listMissed(
    workspaceId: WorkspaceId,
    reach: readonly ProfileId[] | null,
    since: Date,
    page: PageRequest,
  ): Promise<Rows<MissedPost>>;
  /**
   * Other deliveries to the account of this one, by whatever connection, that may have what was found there: those that are being
   * sent, and those that went out no earlier than a day before this one was due and know a part of theirs by this id, or have
   * one that is out and that nobody knows the id of.
   */
  listConflictingDeliveries(
    delivery: Pick<Delivery, 'id' | 'workspaceId' | 'connectionId' | 'platform' | 'account' | 'scheduledAt'>,
    externalId: string,
  ): Promise<readonly Delivery[]>;
  /**
   * For the worker, across workspaces: due by the database's clock and with no live lease. `pending`, `retrying`, and
   * `blocked` whose `notAfter` has passed, are to be delivered (or missed); `sending` and `unknown` to be read back.
   */
  listDue(limit: number): Promise<
    readonly {
      readonly id: DeliveryId;
      readonly workspaceId: WorkspaceId;
      readonly status: Delivery['status'];
    }[]
  >;

  /** Makes posts of the same content to the same connection take turns until the transaction ends, so that the duplicate guard sees the first of two. */
  lockContent(connectionId: ConnectionId, contentDigest: string): Promise<void>;
  insert(post: Post): Promise<void>;
  /**
   * Reads a post and holds it and its deliveries until the transaction ends: nobody claims, settles or changes them meanwhile.
   * What is decided after this stands.
   */
  lock(workspaceId: WorkspaceId, id: PostId): Promise<Post | null>;
  /**
   * Writes a post that is locked as it is given, one version on: deliveries are told apart by their id, those that are not there
   * any more go with their history, and the epoch of those that stay moves on, so that whoever still has one of them writes
   * nothing. Creation is not rewritten.
   */
  rewrite(post: Post): Promise<void>;
  /**
   * Takes a delivery that is due (`pending` or `retrying`, its time come by the database's clock; or `blocked` beyond its
   * `notAfter`, to be missed) for `leaseSeconds`:
   * `sending`, one attempt and one epoch more. Null when it is not due or somebody else has it.
   */
  claimDelivery(id: DeliveryId, leaseSeconds: number): Promise<ClaimedDelivery | null>;
  /** Takes an `unknown` one, or a `sending` one whose lease ended, to read it back: `unknown`, one epoch more. */
  claimReadBack(id: DeliveryId, leaseSeconds: number): Promise<ClaimedDelivery | null>;
  /**
   * For the worker, across workspaces: takes what `listDue` would list, to be delivered or to be read back, as the two above do,
   * at once and oldest first, as far as there is room. What somebody else is taking is passed over and not waited for.
   */
  claimDue(
    as: 'deliver' | 'read_back',
    capacity: ClaimCapacity,
    leaseSeconds: number,
  ): Promise<readonly ClaimedDelivery[]>;
  /**
   * For the worker, across workspaces: takes published deliveries whose `locateAt` has come, and puts that off to the first of
   * these seconds after they were published that is still to come, or for ever. Whoever dies over one looks at the next time.
   * No version moves on. What somebody else is taking is passed over.
   */
  claimUnresolvedUrls(limit: number, afterSeconds: readonly number[]): Promise<readonly Delivery[]>;
  /** Has the lease of a claim end `leaseSeconds` from now. False when the epoch has moved on or the lease was ended: it is not given back. */
  extendLease(id: DeliveryId, epoch: number, leaseSeconds: number): Promise<boolean>;
  /** Writes how far a delivery that is being sent has come, and keeps its lease. False when the epoch has moved on; nothing is written then. */
  recordParts(id: DeliveryId, epoch: number, progress: DeliveryProgress): Promise<boolean>;
  /** False when the epoch has moved on; nothing is written then. Ends the lease. */
  settleDelivery(id: DeliveryId, epoch: number, changes: DeliveryChanges): Promise<boolean>;
  /** Many at once, each as above. Answers those that were written. */
  settleDeliveries(settlements: readonly DeliverySettlement[]): Promise<ReadonlySet<DeliveryId>>;
  /** Cancels what has not begun, or of which nothing went out yet and nothing is on its way. Returns how many it were; 0 when all have begun. */
  cancelUnsent(workspaceId: WorkspaceId, id: PostId): Promise<number>;
  /** Cancels the unsent deliveries of a connection that goes, and returns them as they are then. */
  cancelUnsentOf(workspaceId: WorkspaceId, connectionId: ConnectionId): Promise<readonly Delivery[]>;
  /** `blocked` ones of a connection become `pending` again and are returned, to be enqueued. */
  unblock(workspaceId: WorkspaceId, connectionId: ConnectionId): Promise<readonly Delivery[]>;
  insertAttempt(...attempts: readonly DeliveryAttempt[]): Promise<void>;
}

export interface DeliveryInReview extends Pick<Delivery, 'id' | 'postId' | 'connectionId' | 'platform'> {
  /** The beginning of the post's text, at most `TITLE_CHARACTERS`. */
  readonly text: string;
  /** When it was last tried or looked at; its time where neither was written down. */
  readonly since: Date;
}

export interface MissedPost {
  readonly id: PostId;
  readonly text: string;
  /** Where it was missed. */
  readonly platforms: readonly string[];
  /** Until when the last of them could have gone out. */
  readonly since: Date;
}

/** A delivery that somebody has taken, and the profile its post is meant for. */
export interface ClaimedDelivery {
  readonly delivery: Delivery;
  readonly profileId: ProfileId;
}

/** For how much more there is room. */
export interface ClaimCapacity {
  readonly limit: number;
  /** Of one connection, counting those in hand: an account that answers slowly keeps no other waiting. */
  readonly perConnection: number;
  readonly inProgress: ReadonlyMap<ConnectionId, number>;
}

export interface DeliverySettlement {
  readonly id: DeliveryId;
  readonly epoch: number;
  readonly changes: DeliveryChanges;
}

export interface PostFilter {
  readonly reach: readonly ProfileId[] | null;
  readonly profileId?: ProfileId | undefined;
  readonly connectionId?: ConnectionId | undefined;
  readonly platforms?: readonly string[] | undefined;
  readonly statuses?: readonly PostStatus[] | undefined;
  readonly scheduledAfter?: Date | undefined;
  readonly scheduledBefore?: Date | undefined;
  readonly publishedAfter?: Date | undefined;
  readonly publishedBefore?: Date | undefined;
  readonly externalId?: string | undefined;
  /** Every key with exactly this value. */
  readonly metadata?: Metadata | undefined;
  readonly sort: 'scheduled_at' | '-created_at';
}

export type DeliveryProgress = Pick<Delivery, 'parts' | 'externalId' | 'url' | 'publishedAt'>;

export type DeliveryChanges = Partial<
  Pick<
    Delivery,
    | 'status'
    | 'parts'
    | 'externalId'
    | 'url'
    | 'publishedAt'
    | 'error'
    | 'nextAttemptAt'
    | 'resolveUrlAt'
    | 'notAfter'
    // Moved on by a person's decision: who still has the delivery then writes nothing any more.
    | 'epoch'
    | 'readBacks'
  >
>;

import type { ConnectionId, DeliveryId, MediaId, PostId, ProfileId, WorkspaceId } from '../ids.js';
import type { PageRequest, Rows } from '../page.js';
import type { Delivery, DeliveryAttempt, DeliveryError } from '../deliveries/delivery.js';

/**
 * The delivery engine's view of posts. Every change of a delivery that is being sent passes its epoch, the
 * fencing token.
 */
export interface Deliveries {
  find(workspaceId: WorkspaceId, id: DeliveryId): Promise<Delivery | null>;
  /** Attempts, read-backs and decisions of a post's deliveries, in order. */
  listHistory(workspaceId: WorkspaceId, id: PostId): Promise<readonly DeliveryAttempt[]>;
  /** Those that exist, oldest first. */
  listByIds(workspaceId: WorkspaceId, ids: readonly DeliveryId[]): Promise<readonly Delivery[]>;
  /**
   * Posts with an unsent, not abandoned delivery to this connection: their number, and the earliest of them.
   */
  listUnsentOf(
    workspaceId: WorkspaceId,
    connectionId: ConnectionId,
    limit: number,
  ): Promise<{ readonly count: number; readonly ids: readonly PostId[] }>;
  /** Deliveries that require a person's decision, of posts of these profiles (null: of all), newest first. */
  listInReview(
    workspaceId: WorkspaceId,
    reach: readonly ProfileId[] | null,
    page: PageRequest,
  ): Promise<Rows<DeliveryInReview>>;
  /**
   * Posts of these profiles (null: of all) with deliveries that are not published for this reason and whose
   * publish window ends after `since`, newest first. Those of deleted connections are excluded: they can no
   * longer be sent.
   */
  listUnpublished(
    workspaceId: WorkspaceId,
    reason: UnpublishedReason,
    reach: readonly ProfileId[] | null,
    since: Date,
    page: PageRequest,
  ): Promise<Rows<UnpublishedPost>>;
  /**
   * Writes into the unsent deliveries that use this media why they will fail, and returns them. Their status
   * remains: the post can still be changed.
   */
  recordMediaFailure(
    workspaceId: WorkspaceId,
    mediaId: MediaId,
    error: DeliveryError,
  ): Promise<readonly MediaFailure[]>;
  /**
   * Other deliveries to the same account, by any connection, that may own the post that was found: those
   * being sent, and those published no earlier than a day before this one was due that have a part with this
   * id, or a published part with an unknown id.
   */
  listConflicting(
    delivery: Pick<Delivery, 'id' | 'workspaceId' | 'connectionId' | 'platform' | 'account' | 'scheduledAt'>,
    externalId: string,
  ): Promise<readonly Delivery[]>;
  /**
   * For the worker, across workspaces: due by the database's clock, not held by a pause, and without a live lease. `pending`,
   * `retrying`, and `blocked` whose `notAfter` has passed, are to be delivered (or missed); `sending` and
   * `unknown` to be read back.
   */
  listDue(limit: number): Promise<
    readonly {
      readonly id: DeliveryId;
      readonly workspaceId: WorkspaceId;
      readonly status: Delivery['status'];
    }[]
  >;
  /**
   * For the worker, across workspaces: the whole milliseconds until the earliest `pending` or `retrying`
   * delivery that is not yet due becomes due, by the database's clock; null when none does within `withinMs`.
   */
  findNextDueInMs(withinMs: number): Promise<number | null>;
  /**
   * Across workspaces: the deliveries that are due to be delivered, not held by a pause and claimed by no worker, at
   * most `limit`, and for how many seconds the oldest of them has been due; 0 without one.
   */
  measureBacklog(limit: number): Promise<{ readonly due: number; readonly oldestSeconds: number }>;
  /**
   * Claims deliveries for `leaseSeconds` and increments their epoch, oldest first. To deliver: due ones
   * (`pending` or `retrying` by the database's clock, or `blocked` beyond its `notAfter`, to be missed; none with
   * `restoredAt`, which is read back when it is due)
   * become `sending`, with one attempt more. To read back: `unknown` ones, and `sending` ones whose lease
   * ended, become `unknown`. Across workspaces, within the capacity, rows that another transaction has locked
   * are skipped; one delivery by its id is read back whether or not its next read-back is due. What a pause holds is
   * not claimed to be delivered, see `Pauses.lock`.
   */
  claim(
    purpose: ClaimPurpose,
    which: ClaimCapacity | { readonly id: DeliveryId },
    leaseSeconds: number,
  ): Promise<readonly ClaimedDelivery[]>;
  /**
   * For the worker, across workspaces: claims published deliveries whose `resolveUrlAt` has come, and
   * postpones it to the next of these seconds after publication, or clears it. After a crash the next time
   * applies. No version is incremented. Rows that another transaction has locked are skipped.
   */
  claimUnresolvedUrls(limit: number, afterSeconds: readonly number[]): Promise<readonly Delivery[]>;
  /**
   * For the worker, across workspaces: claims published deliveries with a due edit, not held by a pause and without a
   * live lease, for `leaseSeconds`, and increments their epoch. Rows that another transaction has locked are skipped.
   */
  claimEdits(limit: number, leaseSeconds: number): Promise<readonly ClaimedDelivery[]>;
  /**
   * Extends the lease of a claim to `leaseSeconds` from now. False when the epoch has changed or the lease
   * was ended: it is not restored.
   */
  extendLease(id: DeliveryId, epoch: number, leaseSeconds: number): Promise<boolean>;
  /**
   * Stores the progress of a delivery that is being sent, and keeps its lease. False, and nothing is written,
   * when the epoch has changed.
   */
  recordParts(id: DeliveryId, epoch: number, progress: DeliveryProgress): Promise<boolean>;
  /**
   * Writes changes and ends the leases. Returns the deliveries that were written: not those whose epoch has
   * changed.
   */
  settle(settlements: readonly DeliverySettlement[]): Promise<ReadonlySet<DeliveryId>>;
  /**
   * Cancels those of these deliveries that have not started (they wait for their time, their account or a person's
   * approval), or of which nothing was published and nothing is in flight. Returns the cancelled ones; none when all have started.
   */
  cancelUnsent(
    workspaceId: WorkspaceId,
    id: PostId,
    deliveryIds: readonly DeliveryId[],
  ): Promise<readonly DeliveryId[]>;
  /** Cancels the unsent deliveries of a connection being deleted, and returns them in their new state. */
  cancelUnsentOf(workspaceId: WorkspaceId, connectionId: ConnectionId): Promise<readonly Delivery[]>;
  /** Sets the `blocked` deliveries of a connection to `pending` and returns them, to be enqueued. */
  unblock(workspaceId: WorkspaceId, connectionId: ConnectionId): Promise<readonly Delivery[]>;
  insertAttempts(...attempts: readonly DeliveryAttempt[]): Promise<void>;
}

export interface DeliveryInReview extends Pick<
  Delivery,
  'id' | 'postId' | 'connectionId' | 'platform' | 'account'
> {
  /** The beginning of the post's text, at most `TITLE_CHARACTERS`. */
  readonly text: string;
  /** The last attempt or check; its scheduled time where neither was recorded. */
  readonly since: Date;
}

/** `media_failed`: not due yet, and certain to fail. */
export type UnpublishedReason = 'missed' | 'failed' | 'media_failed';

export interface UnpublishedPost {
  readonly id: PostId;
  /** Changes when these deliveries, or their attempts and changes, do. */
  readonly occurrence: number;
  readonly text: string;
  /** The accounts with such a delivery, in the order of the post's deliveries. */
  readonly accounts: readonly (Pick<Delivery, 'platform'> & Pick<Delivery['account'], 'username' | 'name'>)[];
  /** The time zone of the post. */
  readonly timezone: string;
  /** The error codes of these deliveries. */
  readonly codes: readonly string[];
  /** The end of the last publish window where it was missed, else the last publish time. */
  readonly at: Date;
}

export interface MediaFailure {
  readonly id: DeliveryId;
  readonly postId: PostId;
  readonly profileId: ProfileId;
}

export interface ClaimedDelivery {
  readonly delivery: Delivery;
  readonly profileId: ProfileId;
  /** Whether its post needed a person's approval: then only what was approved is sent. */
  readonly needsApproval: boolean;
  /** The trace of the call that created it (W3C Trace Context), where there was one. */
  readonly traceparent: string | null;
}

export type ClaimPurpose = 'deliver' | 'read_back';

/** The remaining capacity. */
export interface ClaimCapacity {
  readonly limit: number;
  /** Per connection without running deliveries: a slow account does not delay the others. */
  readonly perConnection: number;
  /** Of the connections with running ones, for how many more; zero or less for none. */
  readonly remaining: ReadonlyMap<ConnectionId, number>;
}

export interface DeliverySettlement {
  readonly id: DeliveryId;
  readonly epoch: number;
  readonly changes: DeliveryChanges;
}

export type DeliveryProgress = Pick<Delivery, 'parts' | 'externalId' | 'url' | 'publishedAt'> &
  Partial<Pick<Delivery, 'edit'>>;

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
    | 'restoredAt'
    | 'notAfter'
    | 'edit'
    | 'contentDigest'
    // Incremented by a person's decision: a worker that still holds the delivery can no longer write.
    | 'epoch'
    | 'readBacks'
  >
>;

import type { ConnectionId, ProfileId, QuoteId, RefundId, WorkspaceId } from '../ids.js';
import type { PageRequest, Rows } from '../page.js';
import type { Quote, Refund, RefundStatus } from '../refunds/refund.js';

/** Refunds created through this service, and their quotes. */
export interface Refunds {
  find(workspaceId: WorkspaceId, id: RefundId): Promise<Refund | null>;
  list(workspaceId: WorkspaceId, filter: RefundFilter, page: PageRequest): Promise<Rows<Refund>>;
  /** The refund that this idempotency key created, regardless of its age. */
  findByIdempotencyKey(
    workspaceId: WorkspaceId,
    lineage: string,
    key: string,
  ): Promise<{ readonly refund: Refund; readonly fingerprint: string } | null>;
  /** A refund of the same order and amount, not failed, made since `since`. */
  findRecentDuplicate(order: RemoteOrderKey, amountMinor: number, since: Date): Promise<RefundId | null>;
  /**
   * The charges against the ceilings of these lineages: refunds by their own keys and by those of their descendants
   * that are reserved, unknown or completed, and failed ones whose charge was retained (`Ledger.retainCharges`). A
   * refund counts on the day on which it was created, or, when it waited for an approval, first sent; until it is sent
   * it counts on every day, so that none moves to a day whose ceiling it was not counted against. `since` is the beginning of the day. A lineage and currency without
   * any is omitted.
   */
  sumCharges(
    workspaceId: WorkspaceId,
    lineages: readonly string[],
    since: Date,
  ): Promise<readonly ChargeSum[]>;
  /**
   * What these lineages and their descendants have refunded of an order, or are about to, without an approval, in minor
   * units of its currency. A lineage without any is omitted.
   */
  sumUnapproved(order: RemoteOrderKey, lineages: readonly string[]): Promise<ReadonlyMap<string, number>>;
  /**
   * The lineages whose ceilings a refund counts against, nearest first: that of its key, then its key's
   * ancestors.
   */
  listChargedLineages(workspaceId: WorkspaceId, id: RefundId): Promise<readonly string[]>;
  /**
   * The accounts of those of these orders that have one. `recorded` includes a refund in flight, through
   * whichever connection it was created.
   */
  listAccounts(workspaceId: WorkspaceId, orders: readonly RemoteOrderKey[]): Promise<readonly OrderAccount[]>;
  /**
   * For the worker, across workspaces: `pending` or `unknown`, without a live lease, and due (`nextAttemptAt`
   * null or reached by the database's clock). Not those of which nothing was sent while something holds them.
   */
  listUnsettled(
    limit: number,
  ): Promise<readonly { readonly id: RefundId; readonly workspaceId: WorkspaceId }[]>;
  insert(refund: Refund, idempotency?: { readonly key: string; readonly fingerprint: string }): Promise<void>;
  /**
   * Claims a `pending` or `unknown` refund for `leaseSeconds` and increments its epoch, due or not. Null
   * while another process holds its lease or after it has settled.
   */
  claim(id: RefundId, leaseSeconds: number): Promise<Refund | null>;
  /**
   * Extends the lease of a claim to `leaseSeconds` from now. False when the epoch has changed or the lease
   * was ended: it is not restored.
   */
  extendLease(id: RefundId, epoch: number, leaseSeconds: number): Promise<boolean>;
  /**
   * Writes `sentAt`, each time immediately before the first byte is sent and in a separate transaction: from
   * now on it may have taken effect. The first time also writes `firstSentAt`, and moves the charges of a refund that
   * waited for an approval to that day. Only after `sent` may anything be sent; `held`: something is paused; `lost`: the
   * epoch has changed. Keeps the lease.
   */
  markSent(id: RefundId, epoch: number): Promise<'sent' | 'held' | 'lost'>;
  /** False, and nothing is written, when the epoch has changed. Ends the lease. */
  settle(id: RefundId, epoch: number, changes: RefundChanges): Promise<boolean>;
  /**
   * Releases the idempotency key and the quote of a refund of which no byte was sent, so that the caller can
   * retry with them. The caller updates the ledger.
   */
  releaseKeys(workspaceId: WorkspaceId, id: RefundId): Promise<void>;

  findQuote(workspaceId: WorkspaceId, id: QuoteId): Promise<Quote | null>;
  insertQuote(quote: Quote): Promise<void>;
  /** Marks a quote as used by this refund; false when another one used it. */
  useQuote(id: QuoteId, by: RefundId): Promise<boolean>;
}

/** The charges against the ceiling of a lineage in one currency, in minor units. */
export interface ChargeSum {
  readonly lineage: string;
  readonly currency: string;
  readonly amountMinor: number;
}

export interface RefundFilter {
  readonly reach: readonly ProfileId[] | null;
  readonly connectionId?: ConnectionId | undefined;
  readonly profileId?: ProfileId | undefined;
  readonly orderExternalId?: string | undefined;
  readonly statuses?: readonly RefundStatus[] | undefined;
  readonly createdAfter?: Date | undefined;
  readonly createdBefore?: Date | undefined;
}

export type RefundChanges = Partial<
  Pick<
    Refund,
    'status' | 'externalId' | 'error' | 'settledAt' | 'moneyMoved' | 'nextAttemptAt' | 'resolvedBy'
  >
>;

/**
 * The identity of an order: that of its account (`AccountIdentity`) and the order's id there, across
 * connections and profiles.
 */
export type RemoteOrderKey = Pick<
  Refund,
  'workspaceId' | 'platform' | 'accountServer' | 'remoteAccountId' | 'orderExternalId'
>;

/** The account of one remote order, in minor units. The database checks `reserved + refunded <= captured`. */
export interface LedgerEntry {
  readonly currency: string;
  readonly capturedMinor: number;
  readonly refundedMinor: number;
  readonly reservedMinor: number;
  /** The refund that is in flight; at most one. */
  readonly inFlight: RefundId | null;
}

/**
 * An order's account with the refunds that the store may not list: in flight, or recorded as succeeded by a
 * person.
 */
export interface OrderAccount {
  readonly order: RemoteOrderKey;
  readonly entry: LedgerEntry;
  readonly recorded: readonly Refund[];
  /** All refunds of this service that may have been made, to recognize them in the store's list. */
  readonly made: readonly Pick<Refund, 'id' | 'connectionId' | 'externalId' | 'reference'>[];
}

/**
 * One row per remote order. Only inside a transaction: the row stays locked until it ends, which serializes
 * refunds of an order.
 */
export interface Ledger {
  /** Locks and reads the row, inserting an empty one first where there is none. */
  lock(order: RemoteOrderKey, currency: string): Promise<LedgerEntry>;
  save(order: RemoteOrderKey, entry: LedgerEntry): Promise<void>;
  /**
   * Serializes refunds that count against any of these lineages until the transaction ends, so that their
   * ceilings hold. Locks are acquired in a fixed order regardless of the order of `lineages`, so that two
   * transactions never deadlock here.
   */
  lockLineages(lineages: readonly string[]): Promise<void>;
  /**
   * Records the lineages whose ceilings a refund inserted in this transaction counts against, nearest first.
   */
  charge(refund: Refund, lineages: readonly string[]): Promise<void>;
  /** Keeps counting a failed refund against these lineages' ceilings on its day. */
  retainCharges(workspaceId: WorkspaceId, id: RefundId, lineages: readonly string[]): Promise<void>;
}

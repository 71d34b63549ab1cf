import type { ConnectionId, ProfileId, QuoteId, RefundId, WorkspaceId } from '../ids.js';
import type { PageRequest, Rows } from '../page.js';
import type { Quote, Refund, RefundStatus } from '../refunds/refund.js';

/** Refunds made through us, and the quotes that came before them. */
export interface Refunds {
  find(workspaceId: WorkspaceId, id: RefundId): Promise<Refund | null>;
  list(workspaceId: WorkspaceId, filter: RefundFilter, page: PageRequest): Promise<Rows<Refund>>;
  /** The refund that this idempotency key made, however long ago. */
  findByIdempotencyKey(
    workspaceId: WorkspaceId,
    lineage: string,
    key: string,
  ): Promise<{ readonly refund: Refund; readonly fingerprint: string } | null>;
  /** A refund of the same order and amount, not failed, made since `since`. */
  findRecentDuplicate(order: RemoteOrderKey, amountMinor: number, since: Date): Promise<RefundId | null>;
  /**
   * What counts against the ceilings of these lineages: refunds made since `since` by their own keys and by those of their
   * descendants that are reserved, unknown or completed, and failed ones whose charge was retained (`Ledger.retainCharges`).
   * A lineage and currency without any is left out.
   */
  sumCharges(
    workspaceId: WorkspaceId,
    lineages: readonly string[],
    since: Date,
  ): Promise<readonly ChargeSum[]>;
  /** The lineages whose ceilings a refund counts against, nearest first: that of its key, then its key's ancestors. */
  listChargedLineages(workspaceId: WorkspaceId, id: RefundId): Promise<readonly string[]>;
  /**
   * The accounts of those of these orders that have one. A refund in flight is among `recorded` whichever connection it was
   * made through.
   */
  listAccounts(workspaceId: WorkspaceId, orders: readonly RemoteOrderKey[]): Promise<readonly OrderAccount[]>;
  /** For the worker, across workspaces: `pending` or `unknown`, with no live lease, and due (`nextAttemptAt` null or come by the database's clock). */
  listUnsettled(
    limit: number,
  ): Promise<readonly { readonly id: RefundId; readonly workspaceId: WorkspaceId }[]>;
  insert(refund: Refund, idempotency?: { readonly key: string; readonly fingerprint: string }): Promise<void>;
  /** Takes a `pending` or `unknown` refund for `leaseSeconds`, one epoch more, due or not. Null while somebody else has it or it has settled. */
  claim(id: RefundId, leaseSeconds: number): Promise<Refund | null>;
  /** Has the lease of a claim end `leaseSeconds` from now. False when the epoch has moved on or the lease was ended: it is not given back. */
  extendLease(id: RefundId, epoch: number, leaseSeconds: number): Promise<boolean>;
  /**
   * Writes `sentAt`, each time just before the first byte leaves and in a transaction of its own: it may have happened from now on.
   * False when the epoch has moved on: then nothing may be sent. The lease goes on.
   */
  markSent(id: RefundId, epoch: number): Promise<boolean>;
  /** False when the epoch has moved on; nothing is written then. Ends the lease. */
  settle(id: RefundId, epoch: number, changes: RefundChanges): Promise<boolean>;
  /**
   * Frees the idempotency key and the quote of a refund of which no byte left, so that the caller can ask again with them.
   * The ledger is the caller's to mend.
   */
  releaseKeys(workspaceId: WorkspaceId, id: RefundId): Promise<void>;

  findQuote(workspaceId: WorkspaceId, id: QuoteId): Promise<Quote | null>;
  insertQuote(quote: Quote): Promise<void>;
  /** Marks a quote used by this refund; false when another one used it. */
  useQuote(id: QuoteId, by: RefundId): Promise<boolean>;
}

/** What counts against the ceiling of a lineage in one currency, in minor units. */
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

/** The identity of an order: that of its account (`AccountIdentity`) and the order's id there, across connections and profiles. */
export interface RemoteOrderKey {
  readonly workspaceId: WorkspaceId;
  readonly platform: string;
  /** See `accountServerOf`. */
  readonly accountServer: string;
  readonly remoteAccountId: string;
  readonly orderExternalId: string;
}

/** The account of one remote order, in minor units. The database checks `reserved + refunded <= captured`. */
export interface LedgerEntry {
  readonly currency: string;
  readonly capturedMinor: number;
  readonly refundedMinor: number;
  readonly reservedMinor: number;
  /** The refund that is in flight; at most one. */
  readonly inFlight: RefundId | null;
}

/** An order's account with the refunds that the store may not list: in flight, or recorded as succeeded by a person. */
export interface OrderAccount {
  readonly order: RemoteOrderKey;
  readonly entry: LedgerEntry;
  readonly recorded: readonly Refund[];
}

/** One row a remote order. Only inside a transaction: the row stays locked until it ends, so that refunds of an order queue up. */
export interface Ledger {
  /** Locks and reads the row, making an empty one first where there is none. */
  lock(order: RemoteOrderKey, currency: string): Promise<LedgerEntry>;
  save(order: RemoteOrderKey, entry: LedgerEntry): Promise<void>;
  /**
   * Serializes refunds that count against any of these lineages until the transaction ends, so that their ceilings hold.
   * Locks are taken in one order whatever the order of `lineages`, so that two transactions never deadlock here.
   */
  lockLineages(lineages: readonly string[]): Promise<void>;
  /** Records, beside a refund that was inserted in this transaction, which lineages' ceilings it counts against, nearest first. */
  charge(refund: Refund, lineages: readonly string[]): Promise<void>;
  /** Keeps counting a refund against these lineages' ceilings on its day although it failed. */
  retainCharges(workspaceId: WorkspaceId, id: RefundId, lineages: readonly string[]): Promise<void>;
}

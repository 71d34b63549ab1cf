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
  findRecentTwin(order: RemoteOrderKey, amountMinor: number, since: Date): Promise<RefundId | null>;
  /** What a key's lineage has reserved or refunded in a currency since `since`, in minor units. */
  sumByLineage(workspaceId: WorkspaceId, lineage: string, currency: string, since: Date): Promise<number>;
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
  Pick<Refund, 'status' | 'externalId' | 'error' | 'settledAt' | 'moneyMoved' | 'nextAttemptAt'>
>;

/** An order as the whole world knows it: across connections and profiles. */
export interface RemoteOrderKey {
  readonly workspaceId: WorkspaceId;
  readonly platform: string;
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

/** One row a remote order. Only inside a transaction: the row stays locked until it ends, so that refunds of an order queue up. */
export interface Ledger {
  /** Locks and reads the row, making an empty one first where there is none. */
  lock(order: RemoteOrderKey, currency: string): Promise<LedgerEntry>;
  save(order: RemoteOrderKey, entry: LedgerEntry): Promise<void>;
  /** Makes concurrent refunds of one key lineage take turns, so that its ceiling holds. Until the transaction ends. */
  lockLineage(lineage: string): Promise<void>;
}

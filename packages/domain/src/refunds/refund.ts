import type { ConnectionId, QuoteId, RefundId, WorkspaceId } from '../ids.js';
import type { PlatformQuote } from '../failure.js';
import type { Money } from '../money.js';

export type RefundStatus =
  'pending' | 'succeeded' | 'failed' | 'unknown' | 'needs_review' | 'awaiting_approval';

/** What is refunded, worked out against the order: all that was left, an amount, or lines and shipping. */
export interface RefundExtent {
  readonly kind: 'full' | 'amount' | 'lines';
  /** With an amount these only say what goes back on the shelf. */
  readonly lines: readonly RefundLine[];
  readonly shippingMinor: number;
}

export interface RefundLine {
  readonly id: string;
  readonly quantity: number;
  readonly restock: boolean;
  /** Where it is restocked, by the store's id of the place; null: where the store does by itself. */
  readonly locationId: string | null;
}

/** How much of it comes from which payment. */
export interface RefundPayment {
  readonly id: string;
  readonly amountMinor: number;
  readonly moneyMoved: boolean;
}

/** Why a refund is where it is, in our words, with the platform's quoted beside them. */
export interface RefundError {
  readonly code: string;
  readonly message: string;
  readonly platform?: PlatformQuote | undefined;
  /** As in the failure that a caller is told. */
  readonly details?: Readonly<Record<string, unknown>> | undefined;
  readonly retryAfterSeconds?: number | undefined;
}

/** One refund of one order. `reference` is what is sent to the store, so that it can be read back. */
export interface Refund {
  readonly id: RefundId;
  readonly workspaceId: WorkspaceId;
  readonly connectionId: ConnectionId;
  readonly platform: string;
  /** See `accountServerOf`. With platform, account and order it identifies the ledger, across connections and profiles. */
  readonly accountServer: string;
  /** The account's id at the store. */
  readonly remoteAccountId: string;
  readonly orderExternalId: string;
  readonly status: RefundStatus;
  readonly amount: Money;
  readonly extent: RefundExtent;
  readonly payments: readonly RefundPayment[];
  readonly restock: boolean;
  readonly reason: string | null;
  readonly note: string | null;
  readonly notifyCustomer: boolean | null;
  /** Whether money moved; null while that is not known: `pending`, `unknown` and `needs_review`. */
  readonly moneyMoved: boolean | null;
  readonly reference: string;
  readonly externalId: string | null;
  readonly source: 'switchboard' | 'store';
  /** Who recorded the outcome (`actorName`), where a person did and not the store's response. */
  readonly resolvedBy: string | null;
  readonly error: RefundError | null;
  readonly quoteId: QuoteId | null;
  readonly keyLineage: string | null;
  readonly createdBy: string;
  readonly createdAt: Date;
  /** When the first byte was about to leave, the last time; null while it is certain that nothing was sent. */
  readonly sentAt: Date | null;
  /** When the worker looks again, so that a slow store is not asked every few seconds; null: at once, or never when it has settled. */
  readonly nextAttemptAt: Date | null;
  readonly settledAt: Date | null;
  /** The fence of whoever sends: grows with every claim. */
  readonly epoch: number;
}

/** Statuses in which money is, or may be, on its way: the sum of these may never pass what was captured. */
export const reservingStatuses: readonly RefundStatus[] = [
  'pending',
  'unknown',
  'needs_review',
  'awaiting_approval',
  'succeeded',
];

/** Statuses that keep every other refund of the order waiting. */
export const inFlightStatuses: readonly RefundStatus[] = [
  'pending',
  'unknown',
  'needs_review',
  'awaiting_approval',
];

/** Whether waiting changes nothing any more: it is over, or a person has to do something. */
export const isRefundSettled = ({ status }: Pick<Refund, 'status'>): boolean =>
  status !== 'pending' && status !== 'unknown';

/** What a refund would do, good for 30 minutes and once. */
export interface Quote {
  readonly id: QuoteId;
  readonly workspaceId: WorkspaceId;
  readonly connectionId: ConnectionId;
  readonly orderExternalId: string;
  readonly keyLineage: string;
  readonly extent: RefundExtent;
  readonly amount: Money;
  readonly payments: readonly RefundPayment[];
  readonly paymentId: string | null;
  readonly reason: string | null;
  readonly note: string | null;
  readonly notifyCustomer: boolean | null;
  readonly allowOffline: boolean;
  /** Digest of the order's money state: another state makes the quote `quote.changed`. */
  readonly orderDigest: string;
  readonly refundableAfter: Money;
  readonly expiresAt: Date;
  /** The refund that used it. */
  readonly usedBy: RefundId | null;
  readonly createdAt: Date;
}

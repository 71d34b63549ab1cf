import type { ConnectionId, QuoteId, RefundId, WorkspaceId } from '../ids.js';
import type { FailureCode, PlatformQuote } from '../failure.js';
import type { ApprovalState } from '../approvals/approval.js';
import type { Money } from '../money.js';
import type { PauseScope } from '../pauses/pause.js';

export const refundStatuses = [
  'pending',
  'succeeded',
  'failed',
  'unknown',
  'needs_review',
  'awaiting_approval',
] as const;
export type RefundStatus = (typeof refundStatuses)[number];

/**
 * The extent of a refund, validated against the order: the entire remainder, an amount, or lines and
 * shipping.
 */
export interface RefundExtent {
  readonly kind: 'full' | 'amount' | 'lines';
  /** With an amount these only define what is restocked. */
  readonly lines: readonly RefundLine[];
  readonly shippingMinor: number;
}

export interface RefundLine {
  readonly id: string;
  readonly quantity: number;
  readonly restock: boolean;
  /** The restock location, by the store's id; null: the store's default. */
  readonly locationId: string | null;
}

export interface RefundPayment {
  readonly id: string;
  readonly amountMinor: number;
  readonly moneyMoved: boolean;
}

/**
 * The reason for the state of a refund, in this service's words, with the platform's message quoted
 * separately.
 */
export interface RefundError {
  readonly code: FailureCode;
  readonly message: string;
  readonly platform?: PlatformQuote | undefined;
  /** As in the failure that the caller receives. */
  readonly details?: Readonly<Record<string, unknown>> | undefined;
  readonly retryAfterSeconds?: number | undefined;
}

/** One refund of one order. `reference` is sent to the store, so that it can be read back. */
export interface Refund {
  readonly id: RefundId;
  readonly workspaceId: WorkspaceId;
  readonly connectionId: ConnectionId;
  readonly platform: string;
  /**
   * See `accountServerOf`. With platform, account and order it identifies the ledger, across connections and
   * profiles.
   */
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
  /** Whether money moved; null while unknown: `pending`, `unknown` and `needs_review`. */
  readonly moneyMoved: boolean | null;
  readonly reference: string;
  readonly externalId: string | null;
  readonly source: 'switchboard' | 'store';
  /** The actor who recorded the outcome (`actorName`), where it was a person and not the store's response. */
  readonly resolvedBy: string | null;
  readonly error: RefundError | null;
  readonly quoteId: QuoteId | null;
  readonly keyLineage: string | null;
  /** The request for a person's approval; null where none was needed. Storage derives it. */
  readonly approval: ApprovalState | null;
  /** What holds it, while nothing of it was sent. Storage derives it. */
  readonly heldBy: PauseScope | null;
  readonly createdBy: string;
  readonly createdAt: Date;
  /** The time immediately before the first sending. */
  readonly firstSentAt: Date | null;
  /** The time immediately before the last sending; null while it is certain that nothing was sent. */
  readonly sentAt: Date | null;
  /**
   * When the worker checks again, so that a slow store is not queried every few seconds; null: at once, or
   * never after it has settled.
   */
  readonly nextAttemptAt: Date | null;
  readonly settledAt: Date | null;
  /** The fencing token of the sender: incremented by every claim. */
  readonly epoch: number;
}

/** Statuses that block every other refund of the order. */
export const inFlightStatuses: readonly RefundStatus[] = [
  'pending',
  'unknown',
  'needs_review',
  'awaiting_approval',
];

/** Statuses in which money has moved or may move: their sum must never exceed the captured amount. */
export const reservingStatuses: readonly RefundStatus[] = [...inFlightStatuses, 'succeeded'];

/** Whether waiting has no further effect: it is final, or requires a person. */
export const isRefundSettled = ({ status }: Pick<Refund, 'status'>): boolean =>
  status !== 'pending' && status !== 'unknown';

/** The exact effect of a refund, valid for 30 minutes and once. */
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
  /** Digest of the order's money state: a changed state makes the quote `quote.changed`. */
  readonly orderDigest: string;
  readonly refundableAfter: Money;
  readonly expiresAt: Date;
  readonly usedBy: RefundId | null;
  readonly createdAt: Date;
}

import type { ProfileId } from '../ids.js';

/** What one key may refund in one currency: a refund, and all refunds of one UTC day, in minor units. */
export interface RefundCeiling {
  readonly currency: string;
  readonly perRefundMinor: number;
  readonly perDayMinor: number;
}

/** When a person must say yes first (`SPEC.md` 5.11). */
export interface ApprovalPolicy {
  readonly posts: 'never' | 'always';
  readonly refundsOver: readonly { readonly currency: string; readonly amountMinor: number }[];
}

/** The limits of a key beside its scopes. Null and false mean no limit. */
export interface KeyPolicy {
  readonly profileIds: readonly ProfileId[] | null;
  readonly expiresAt: Date | null;
  readonly allowedCidrs: readonly string[] | null;
  /** Null: no ceiling. A list: a currency without an entry is refused. */
  readonly refundCeilings: readonly RefundCeiling[] | null;
  readonly approval: ApprovalPolicy | null;
  readonly hidePersonalData: boolean;
}

/** Whether a policy requires a person's approval for anything at all. */
export const requiresApproval = ({ approval }: KeyPolicy): boolean =>
  approval !== null && (approval.posts === 'always' || approval.refundsOver.length > 0);

export const unrestrictedPolicy: KeyPolicy = {
  profileIds: null,
  expiresAt: null,
  allowedCidrs: null,
  refundCeilings: null,
  approval: null,
  hidePersonalData: false,
};

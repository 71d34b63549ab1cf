import type { ProfileId } from '../ids.js';

/** The maximum that a key may refund in one currency: per refund, and per UTC day, in minor units. */
export interface RefundCeiling {
  readonly currency: string;
  readonly perRefundMinor: number;
  readonly perDayMinor: number;
}

/** When a person must approve first (`SPEC.md` 5.11). */
interface ApprovalPolicy {
  readonly posts: 'never' | 'always';
  readonly refundsOver: readonly { readonly currency: string; readonly amountMinor: number }[];
}

/** The limits of a key in addition to its scopes. Null and false mean no limit. */
export interface KeyPolicy {
  readonly profileIds: readonly ProfileId[] | null;
  readonly expiresAt: Date | null;
  readonly allowedCidrs: readonly string[] | null;
  /** Null: no ceiling. With a list, refunds in a currency without an entry are rejected. */
  readonly refundCeilings: readonly RefundCeiling[] | null;
  readonly approval: ApprovalPolicy | null;
  readonly hidePersonalData: boolean;
}

/** Whether a policy requires a person's approval for any operation. */
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

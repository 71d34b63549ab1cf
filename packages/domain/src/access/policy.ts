import type { ProfileId } from '../ids.js';

/** The maximum that a key may refund in one currency: per refund, and per UTC day, in minor units. */
export interface RefundCeiling {
  readonly currency: string;
  readonly perRefundMinor: number;
  readonly perDayMinor: number;
}

/** When a person must approve first (`SPEC.md` 5.11). */
export interface ApprovalPolicy {
  readonly posts: 'never' | 'always';
  /**
   * Refunds of an order that together exceed the amount. With a list, a refund in a currency without an entry always
   * needs an approval; without entries none does.
   */
  readonly refundsOver: readonly { readonly currency: string; readonly amountMinor: number }[];
  /** How long a request waits for a decision. */
  readonly expiresInHours: number;
}

export const APPROVAL_HOURS_DEFAULT = 72;
export const APPROVAL_HOURS_MAX = 168;

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

const approvalFields: readonly string[] = ['posts', 'refundsOver', 'expiresInHours'];

/**
 * A part of a stored policy that this version does not know and therefore does not enforce: a later version wrote
 * it. Null when there is none.
 */
export function findUnsupportedField(policy: KeyPolicy): string | null {
  const unknown = Object.keys(policy).find((name) => !(name in unrestrictedPolicy));
  if (unknown !== undefined || policy.approval === null) return unknown ?? null;
  const inApproval = Object.keys(policy.approval).find((name) => !approvalFields.includes(name));
  if (inApproval !== undefined) return `approval.${inApproval}`;
  const posts: string = policy.approval.posts;
  return posts === 'never' || posts === 'always' ? null : 'approval.posts';
}

export const unrestrictedPolicy: KeyPolicy = {
  profileIds: null,
  expiresAt: null,
  allowedCidrs: null,
  refundCeilings: null,
  approval: null,
  hidePersonalData: false,
};

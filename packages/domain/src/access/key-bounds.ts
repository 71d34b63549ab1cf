import type { Call } from '../call.js';
import { refuse } from '../failure.js';
import { ok, type Result } from '../result.js';
import type { ApiKey } from './api-key.js';
import { containsCidr } from './cidr.js';
import type { ApprovalPolicy, KeyPolicy } from './policy.js';
import { satisfies } from './scope.js';

/**
 * A key cannot create, change or rotate a key with wider permissions than its own. The operator is not
 * restricted.
 */
export function checkKeyBounds(
  { actor }: Call,
  requested: Pick<ApiKey, 'scopes' | 'policy'>,
): Result<undefined, 'key.scope_exceeded' | 'key.policy_exceeded'> {
  if (actor.kind !== 'key') return ok();
  const { scopes, policy } = actor.key;
  const missingScopes = requested.scopes.filter((scope) => !satisfies(scopes, scope));
  if (missingScopes.length > 0) {
    return refuse(
      'key.scope_exceeded',
      `This key does not hold ${missingScopes.join(', ')} and therefore cannot grant it.`,
    );
  }
  const widenedField = findWidenedField(policy, requested.policy);
  return widenedField === null
    ? ok()
    : refuse(
        'key.policy_exceeded',
        `${widenedField} must be at least as restrictive as in the policy of the calling key.`,
      );
}

/** The first field in which `requested` allows more than `own`; null when there is none. */
function findWidenedField(own: KeyPolicy, requested: KeyPolicy): string | null {
  if (own.profileIds && !requested.profileIds?.every((id) => own.profileIds?.includes(id)))
    return 'profile_ids';
  if (own.expiresAt && (!requested.expiresAt || requested.expiresAt > own.expiresAt)) return 'expires_at';
  if (
    own.allowedCidrs &&
    !requested.allowedCidrs?.every((inner) => own.allowedCidrs?.some((outer) => containsCidr(outer, inner)))
  ) {
    return 'allowed_cidrs';
  }
  if (own.refundCeilings && !areCeilingsWithin(own.refundCeilings, requested.refundCeilings))
    return 'refund_ceilings';
  if (own.approval && !isApprovalAtLeastAsStrict(own.approval, requested.approval)) return 'approval';
  return own.hidePersonalData && !requested.hidePersonalData ? 'hide_personal_data' : null;
}

const areCeilingsWithin = (
  own: NonNullable<KeyPolicy['refundCeilings']>,
  requested: KeyPolicy['refundCeilings'],
): boolean =>
  requested?.every(({ currency, perRefundMinor, perDayMinor }) => {
    const bound = own.find((one) => one.currency === currency);
    return bound !== undefined && perRefundMinor <= bound.perRefundMinor && perDayMinor <= bound.perDayMinor;
  }) ?? false;

/** A currency without an entry always needs an approval, so that each entry of the request needs one in `own`. */
function isApprovalAtLeastAsStrict(own: ApprovalPolicy, requested: ApprovalPolicy | null): boolean {
  const isRestricting = own.posts === 'always' || own.refundsOver.length > 0;
  if (!isRestricting) return true;
  if (requested === null || requested.expiresInHours > own.expiresInHours) return false;
  if (own.posts === 'always' && requested.posts !== 'always') return false;
  if (own.refundsOver.length === 0) return true;
  return (
    requested.refundsOver.length > 0 &&
    requested.refundsOver.every(({ currency, amountMinor }) =>
      own.refundsOver.some((one) => one.currency === currency && amountMinor <= one.amountMinor),
    )
  );
}

import type { Call } from '../call.js';
import { refuse } from '../failure.js';
import { ok, type Result } from '../result.js';
import type { ApiKey } from './api-key.js';
import { containsCidr } from './cidr.js';
import type { Policy } from './policy.js';
import { satisfies } from './scope.js';

/** A key never makes, changes or rotates into a key that may do more than itself. The operator is bound by nothing. */
export function withinOwnBounds(
  { actor }: Call,
  wanted: Pick<ApiKey, 'scopes' | 'policy'>,
): Result<undefined, 'key.scope_exceeded' | 'key.policy_exceeded'> {
  if (actor.kind !== 'key') return ok();
  const { scopes, policy } = actor.key;
  const more = wanted.scopes.filter((scope) => !satisfies(scopes, scope));
  if (more.length > 0) {
    return refuse(
      'key.scope_exceeded',
      `This key does not hold ${more.join(', ')} itself and cannot grant it.`,
    );
  }
  const wider = widened(policy, wanted.policy);
  return wider === null
    ? ok()
    : refuse('key.policy_exceeded', `${wider} must be at least as narrow as that of the key that asks.`);
}

/** The first field in which `wanted` allows more than `own`; null when there is none. */
function widened(own: Policy, wanted: Policy): string | null {
  if (own.profileIds && !wanted.profileIds?.every((id) => own.profileIds?.includes(id))) return 'profile_ids';
  if (own.expiresAt && (!wanted.expiresAt || wanted.expiresAt > own.expiresAt)) return 'expires_at';
  if (
    own.allowedCidrs &&
    !wanted.allowedCidrs?.every((inner) => own.allowedCidrs?.some((outer) => containsCidr(outer, inner)))
  ) {
    return 'allowed_cidrs';
  }
  if (own.refundCeilings && !isLower(own.refundCeilings, wanted.refundCeilings)) return 'refund_ceilings';
  if (own.approval && !asksAsOften(own.approval, wanted.approval)) return 'approval';
  return own.hidePersonalData && !wanted.hidePersonalData ? 'hide_personal_data' : null;
}

const isLower = (own: NonNullable<Policy['refundCeilings']>, wanted: Policy['refundCeilings']): boolean =>
  wanted?.every(({ currency, perRefundMinor, perDayMinor }) => {
    const bound = own.find((one) => one.currency === currency);
    return bound !== undefined && perRefundMinor <= bound.perRefundMinor && perDayMinor <= bound.perDayMinor;
  }) ?? false;

function asksAsOften(own: NonNullable<Policy['approval']>, wanted: Policy['approval']): boolean {
  if (own.posts === 'always' && wanted?.posts !== 'always') return false;
  return own.refundsOver.every(({ currency, amountMinor }) =>
    wanted?.refundsOver.some((one) => one.currency === currency && one.amountMinor <= amountMinor),
  );
}

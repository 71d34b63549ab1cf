import { refuse } from '../failure.js';
import type { RateLimitDecision, QuotaName } from '../ports/limits.js';
import { ok, type Result } from '../result.js';
import type { Scope } from './scope.js';

/**
 * The scopes whose requests are rejected while the shared counter is unavailable: they move money or create
 * keys.
 */
const SHARED_COUNT_SCOPES: readonly (Scope | 'any')[] = ['refunds:write', 'keys:admin'];

const quotaOwners: Readonly<Record<QuotaName, string>> = {
  key: 'This key and the keys that share its quota have',
  workspace: 'The keys of this workspace together have',
};

/**
 * Checks whether a request is within its quotas. Read requests are accepted while the counter is unavailable.
 */
export function checkRateLimit(
  { scope, effect }: { readonly scope: Scope | 'any'; readonly effect: string },
  { exhausted, isShared }: RateLimitDecision,
): Result<undefined, 'rate_limit.exceeded' | 'service.unavailable'> {
  if (exhausted) {
    const { name, quota, windowSeconds, resetSeconds } = exhausted;
    return refuse(
      'rate_limit.exceeded',
      `${quotaOwners[name]} used all ${quota} requests that are allowed in ${windowSeconds} seconds. Retry in ${resetSeconds} seconds.`,
      { retryAfterSeconds: resetSeconds, details: { quota: name } },
    );
  }
  if (isShared || effect === 'read' || !SHARED_COUNT_SCOPES.includes(scope)) return ok();
  return refuse(
    'service.unavailable',
    'The shared rate-limit counter is unavailable. Refunds and key changes are rejected until it recovers; nothing was changed.',
    { retryAfterSeconds: 5 },
  );
}

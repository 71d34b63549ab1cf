import { refuse } from '../failure.js';
import type { RateLimitDecision, QuotaName } from '../ports/limits.js';
import { ok, type Result } from '../result.js';
import type { Scope } from './scope.js';

/** What waits until every request can be counted again: it moves money, or makes keys. */
const SHARED_COUNT_SCOPES: readonly (Scope | 'any')[] = ['refunds:write', 'keys:admin'];

const quotaOwners: Readonly<Record<QuotaName, string>> = {
  key: 'This key, with the keys that it shares a quota with, has',
  workspace: 'The keys of this workspace have together',
};

/** Whether a request is within its quotas. Reading goes on where it cannot be counted. */
export function checkRateLimit(
  { scope, effect }: { readonly scope: Scope | 'any'; readonly effect: string },
  { exhausted, isShared }: RateLimitDecision,
): Result<undefined, 'rate_limit.exceeded' | 'service.unavailable'> {
  if (exhausted) {
    const { name, quota, windowSeconds, resetSeconds } = exhausted;
    return refuse(
      'rate_limit.exceeded',
      `${quotaOwners[name]} made all ${quota} requests of ${windowSeconds} seconds. Wait ${resetSeconds} seconds.`,
      { retryAfterSeconds: resetSeconds, details: { quota: name } },
    );
  }
  if (isShared || effect === 'read' || !SHARED_COUNT_SCOPES.includes(scope)) return ok();
  return refuse(
    'service.unavailable',
    'Requests cannot be counted right now. Refunds and changes of keys wait until they can; nothing was done.',
    { retryAfterSeconds: 5 },
  );
}

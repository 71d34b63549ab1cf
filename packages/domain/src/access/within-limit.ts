import { refuse } from '../failure.js';
import type { Allowance, QuotaName } from '../ports/limits.js';
import { ok, type Result } from '../result.js';
import type { Scope } from './scope.js';

/** What waits until every request can be counted again: it moves money, or makes keys. */
const COUNTED: readonly (Scope | 'any')[] = ['refunds:write', 'keys:admin'];

const owners: Readonly<Record<QuotaName, string>> = {
  key: 'This key, with the keys that it shares a quota with, has',
  workspace: 'The keys of this workspace have together',
};

/** Whether a request is within its quotas. Reading goes on where it cannot be counted. */
export function withinLimit(
  { scope, effect }: { readonly scope: Scope | 'any'; readonly effect: string },
  { exhausted, isShared }: Allowance,
): Result<undefined, 'rate_limit.exceeded' | 'service.unavailable'> {
  if (exhausted) {
    const { name, quota, windowSeconds, resetSeconds } = exhausted;
    return refuse(
      'rate_limit.exceeded',
      `${owners[name]} made all ${quota} requests of ${windowSeconds} seconds. Wait ${resetSeconds} seconds.`,
      { retryAfterSeconds: resetSeconds, details: { quota: name } },
    );
  }
  if (isShared || effect === 'read' || !COUNTED.includes(scope)) return ok();
  return refuse(
    'service.unavailable',
    'Requests cannot be counted right now. Refunds and changes of keys wait until they can; nothing was done.',
    { retryAfterSeconds: 5 },
  );
}

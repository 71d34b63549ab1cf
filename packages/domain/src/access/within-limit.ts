import { refuse } from '../failure.js';
import type { Allowance } from '../ports/limits.js';
import { ok, type Result } from '../result.js';
import type { Scope } from './scope.js';

/** What waits until every request can be counted again: it moves money, or makes keys. */
const COUNTED: readonly (Scope | 'any')[] = ['refunds:write', 'keys:admin'];

/** Whether a request is within what its key may ask. Reading goes on where it cannot be counted. */
export function withinLimit(
  { scope, effect }: { readonly scope: Scope | 'any'; readonly effect: string },
  { verdict, isShared, quota, windowSeconds, resetSeconds }: Allowance,
): Result<undefined, 'rate_limit.exceeded' | 'service.unavailable'> {
  if (verdict !== 'granted') {
    return refuse(
      'rate_limit.exceeded',
      `This key and those it shares a lineage with have made their ${quota} requests in ${windowSeconds} seconds. Wait ${resetSeconds}.`,
      { retryAfterSeconds: resetSeconds },
    );
  }
  if (isShared || effect === 'read' || !COUNTED.includes(scope)) return ok();
  return refuse(
    'service.unavailable',
    'Requests cannot be counted right now. Refunds and changes of keys wait until they can; nothing was done.',
    { retryAfterSeconds: 5 },
  );
}

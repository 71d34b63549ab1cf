import { refuse } from '../failure.js';
import { ok, type Result } from '../result.js';
import type { ApiKey } from './api-key.js';
import { checkSupported } from './check-policy.js';
import { satisfies, type Scope } from './scope.js';

/**
 * Checks whether a key may call an operation at all. Access to individual resources is checked where they are
 * read. A key stored with a policy that this version does not enforce is read-only.
 */
export function authorize(
  key: ApiKey,
  { scope, effect }: { readonly scope: Scope | 'any'; readonly effect: string },
): Result<undefined, 'key.scope_missing' | 'key.policy_unsupported'> {
  if (scope !== 'any' && !satisfies(key.scopes, scope)) {
    return refuse(
      'key.scope_missing',
      `This operation requires the scope ${scope}, which the key does not hold.`,
      {
        details: { requiredScope: scope },
        whoCanFix: 'operator',
      },
    );
  }
  return effect === 'read' ? ok() : checkSupported(key.policy);
}

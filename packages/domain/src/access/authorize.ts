import { refuse } from '../failure.js';
import { ok, type Result } from '../result.js';
import type { ApiKey } from './api-key.js';
import { satisfies, type Scope } from './scope.js';

/** Whether a key may call an operation at all. What it may touch is decided where the thing is read. */
export function authorize(key: ApiKey, required: Scope | 'any'): Result<undefined, 'key.scope_missing'> {
  if (required === 'any' || satisfies(key.scopes, required)) return ok();
  return refuse('key.scope_missing', `This needs the scope ${required}, which the key does not hold.`, {
    details: { requiredScope: required },
    whoCanFix: 'operator',
  });
}

import type { Call } from '../call.js';
import { refuse } from '../failure.js';
import { ok, type Result } from '../result.js';
import { chargedLineages, type ApiKey } from './api-key.js';

/** How many generations of keys may be created by keys: every call of a key is counted once for each. */
const MAX_ANCESTORS = 8;

/**
 * The ancestors of a key that this call creates, or rotates `rotated` into: whoever creates or rotates a key holds its secret,
 * so that its refunds and requests count against the limits of that key as well. None where the operator acts.
 */
export function ancestorsOfNewKey(
  { actor }: Call,
  rotatedKey?: Pick<ApiKey, 'lineage' | 'ancestors'>,
): Result<readonly string[], 'key.delegation_too_deep'> {
  const creators = actor.kind === 'key' ? chargedLineages(actor.key) : [];
  const all = new Set([...(rotatedKey?.ancestors ?? []), ...creators]);
  if (rotatedKey) all.delete(rotatedKey.lineage);
  if (all.size <= MAX_ANCESTORS) return ok([...all]);
  return refuse(
    'key.delegation_too_deep',
    `Keys can be created by keys over at most ${MAX_ANCESTORS} generations. Create this key with a key of an earlier generation.`,
  );
}

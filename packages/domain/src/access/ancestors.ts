import type { Call } from '../call.js';
import { refuse } from '../failure.js';
import { ok, type Result } from '../result.js';
import { chargedLineages, type ApiKey } from './api-key.js';

/** The maximum depth of key delegation: each request of a key is counted once per ancestor. */
const MAX_ANCESTORS = 8;

/**
 * The ancestors of the key that this call creates, or rotates `rotated` into. The caller who creates or
 * rotates a key receives its secret, so the new key's refunds and requests also count against the limits of
 * the calling key. Empty when the operator acts.
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
    `Key delegation is limited to ${MAX_ANCESTORS} levels. Create this key with a key of an earlier level.`,
  );
}

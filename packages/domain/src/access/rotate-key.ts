import type { Call } from '../call.js';
import { notFound, refuse } from '../failure.js';
import { nextCall } from '../next-call.js';
import { ok, type Result } from '../result.js';
import { ancestorsOfNewKey } from './ancestors.js';
import type { ApiKey } from './api-key.js';
import { checkSupported } from './check-policy.js';
import type { CreatedKey, KeyPorts } from './create-key.js';
import { getKey } from './get-key.js';
import { checkKeyBounds } from './key-bounds.js';

interface RotateKey {
  readonly id: string;
  /** How long the old key remains valid; 0 ends it immediately. */
  readonly overlapSeconds: number;
}

type RotateKeyFailure =
  | 'key.not_found'
  | 'key.ended'
  | 'key.scope_exceeded'
  | 'key.policy_exceeded'
  | 'key.policy_unsupported'
  | 'key.delegation_too_deep';

/**
 * Replaces a key with a new one of the same lineage, name, scopes and policy. The old key ends after the
 * overlap. A key that rotates another key receives the new secret, and becomes an ancestor of the new key.
 */
export async function rotateKey(
  ports: KeyPorts,
  call: Call,
  { id: text, overlapSeconds }: RotateKey,
): Promise<Result<CreatedKey, RotateKeyFailure>> {
  const found = await getKey(ports, call, { id: text });
  if (!found.ok) return found;
  const old = found.value;
  const now = ports.clock.now();
  if (old.revokedAt !== null || old.replacedBy !== null || hasExpired(old, now)) {
    return refuse('key.ended', 'This key is revoked, expired, or already rotated.', {
      next: nextCall.listKeys(),
    });
  }
  const bounds = checkKeyBounds(call, old);
  if (!bounds.ok) return bounds;
  const supported = checkSupported(old.policy);
  if (!supported.ok) return supported;
  const ancestors = ancestorsOfNewKey(call, old);
  if (!ancestors.ok) return ancestors;
  const { token, publicId, hash } = ports.keyHasher.generate();
  const id = ports.ids.next('key');
  const key: ApiKey = {
    ...old,
    id,
    publicId,
    ancestors: ancestors.value,
    createdAt: now,
    lastUsedAt: null,
    version: 1,
  };
  await ports.apiKeys.insert(key, hash);
  const ends = new Date(
    Math.min(now.getTime() + overlapSeconds * 1000, old.policy.expiresAt?.getTime() ?? Infinity),
  );
  const changes = { policy: { ...old.policy, expiresAt: ends }, replacedBy: id };
  if (!(await ports.apiKeys.update(call.workspaceId, old.id, changes))) return notFound('key');
  const data = { key_id: old.id, new_key_id: id, name: key.name, old_key_ends_at: ends.toISOString() };
  await ports.events.append({ workspaceId: call.workspaceId, type: 'key.rotated', profileId: null, data });
  return ok({ key, token });
}

const hasExpired = ({ policy: { expiresAt } }: ApiKey, now: Date) => expiresAt !== null && expiresAt <= now;

import type { Call } from '../call.js';
import type { AtomicPorts } from '../ports/index.js';
import { ok, type Result } from '../result.js';
import type { Secret } from '../secret.js';
import type { ApiKey } from './api-key.js';
import { ancestorsOfNewKey } from './ancestors.js';
import { checkPolicy, type PolicyFailureCode } from './check-policy.js';
import { checkKeyBounds } from './key-bounds.js';
import { unrestrictedPolicy } from './policy.js';
import type { Scope } from './scope.js';
import { amendPolicy, type PolicyChanges } from './amend-policy.js';

export interface CreateKey {
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly policy?: PolicyChanges | undefined;
}

export interface CreatedKey {
  readonly key: ApiKey;
  /** Returned once, never stored. */
  readonly token: Secret;
}

export type KeyFailureCode = 'key.scope_exceeded' | 'key.delegation_too_deep' | PolicyFailureCode;
export type KeyPorts = Pick<AtomicPorts, 'apiKeys' | 'profiles' | 'events' | 'keyHasher' | 'ids' | 'clock'>;

/**
 * Creates a key. A key created by another key gets at most that key's permissions and becomes its descendant;
 * the operator may grant anything.
 */
export async function createKey(
  ports: KeyPorts,
  call: Call,
  { name, scopes, policy: requestedPolicy }: CreateKey,
): Promise<Result<CreatedKey, KeyFailureCode>> {
  const { workspaceId } = call;
  const amended = amendPolicy(unrestrictedPolicy, requestedPolicy);
  if (!amended.ok) return amended;
  const policy = amended.value;
  const bounds = checkKeyBounds(call, { scopes, policy });
  if (!bounds.ok) return bounds;
  const checked = await checkPolicy(ports, { workspaceId, scopes, policy });
  if (!checked.ok) return checked;
  const ancestors = ancestorsOfNewKey(call);
  if (!ancestors.ok) return ancestors;
  const { token, publicId, hash } = ports.keyHasher.generate();
  const id = ports.ids.next('key');
  const key: ApiKey = {
    id,
    workspaceId,
    publicId,
    name,
    scopes,
    policy,
    lineage: id,
    ancestors: ancestors.value,
    createdAt: ports.clock.now(),
    lastUsedAt: null,
    revokedAt: null,
    replacedBy: null,
    version: 1,
  };
  await ports.apiKeys.insert(key, hash);
  const data = { key_id: id, name, scopes };
  await ports.events.append({ workspaceId, type: 'key.created', profileId: null, data });
  return ok({ key, token });
}

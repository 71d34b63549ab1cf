import type { Call } from '../call.js';
import type { AtomicPorts } from '../ports/index.js';
import { ok, type Result } from '../result.js';
import type { Secret } from '../secret.js';
import type { ApiKey } from './api-key.js';
import { ancestorsOfMade } from './ancestors.js';
import { checkPolicy, type PolicyFailureCode } from './check-policy.js';
import { withinOwnBounds } from './key-bounds.js';
import { noPolicy } from './policy.js';
import type { Scope } from './scope.js';
import { amendPolicy, type WantedPolicy } from './wanted-policy.js';

export interface CreateKey {
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly policy?: WantedPolicy | undefined;
}

export interface CreatedKey {
  readonly key: ApiKey;
  /** Shown once, stored nowhere. */
  readonly token: Secret;
}

export type KeyFailureCode = 'key.scope_exceeded' | 'key.delegation_too_deep' | PolicyFailureCode;
export type KeyPorts = Pick<AtomicPorts, 'apiKeys' | 'profiles' | 'events' | 'keysmith' | 'ids' | 'clock'>;

/** Creates a key. One that another key creates may do no more than that key, and is its descendant; the operator's may do anything. */
export async function createKey(
  ports: KeyPorts,
  call: Call,
  { name, scopes, policy: asked }: CreateKey,
): Promise<Result<CreatedKey, KeyFailureCode>> {
  const { workspaceId } = call;
  const amended = amendPolicy(noPolicy, asked);
  if (!amended.ok) return amended;
  const policy = amended.value;
  const bounds = withinOwnBounds(call, { scopes, policy });
  if (!bounds.ok) return bounds;
  const checked = await checkPolicy(ports, { workspaceId, scopes, policy });
  if (!checked.ok) return checked;
  const ancestors = ancestorsOfMade(call);
  if (!ancestors.ok) return ancestors;
  const { token, publicId, hash } = ports.keysmith.forge();
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

import type { Call } from '../call.js';
import type { AtomicPorts } from '../ports/index.js';
import { ok, type Result } from '../result.js';
import type { Secret } from '../secret.js';
import type { ApiKey } from './api-key.js';
import { checkPolicy } from './check-policy.js';
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

export type KeyFailureCode = 'key.scope_exceeded' | 'key.policy_exceeded' | 'profile.not_found';
export type KeyPorts = Pick<AtomicPorts, 'apiKeys' | 'profiles' | 'events' | 'keysmith' | 'ids' | 'clock'>;

/** Makes a key: a key one that may do no more than itself, the operator any. */
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
  const { token, publicId, hash } = ports.keysmith.forge();
  const id = ports.ids.next('key');
  const key: ApiKey = {
    ...{ id, workspaceId, publicId, name, scopes, policy },
    lineage: id,
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

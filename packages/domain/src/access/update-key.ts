import type { Call } from '../call.js';
import { nextCall } from '../next-call.js';
import { ok, type Result } from '../result.js';
import { stale, versionOf } from '../version.js';
import type { ApiKey } from './api-key.js';
import { checkPolicy } from './check-policy.js';
import type { KeyFailureCode, KeyPorts } from './create-key.js';
import { getKey } from './get-key.js';
import { withinOwnBounds } from './key-bounds.js';
import type { Scope } from './scope.js';
import { amendPolicy, type WantedPolicy } from './wanted-policy.js';

export interface UpdateKey {
  readonly id: string;
  readonly name?: string | undefined;
  readonly scopes?: readonly Scope[] | undefined;
  readonly policy?: WantedPolicy | undefined;
}

/** Changes a key into one that may do no more than the key that asks. Its secret stays, and what is not said of its policy. */
export async function updateKey(
  ports: Pick<KeyPorts, 'apiKeys' | 'profiles'>,
  call: Call,
  { id, name, scopes, policy }: UpdateKey,
): Promise<Result<ApiKey, KeyFailureCode | 'key.not_found' | 'request.precondition_failed'>> {
  const found = await getKey(ports, call, { id });
  if (!found.ok) return found;
  const before = found.value;
  const amended = amendPolicy(before.policy, policy);
  if (!amended.ok) return amended;
  const wanted = {
    workspaceId: call.workspaceId,
    name: name ?? before.name,
    scopes: scopes ?? before.scopes,
    policy: amended.value,
  };
  const isMore = scopes !== undefined || policy !== undefined;
  const bounds = isMore ? withinOwnBounds(call, wanted) : ok();
  if (!bounds.ok) return bounds;
  const checked = await checkPolicy(ports, wanted);
  if (!checked.ok) return checked;
  const changes = { name: wanted.name, scopes: wanted.scopes, policy: wanted.policy };
  const changed = await ports.apiKeys.update(call.workspaceId, before.id, changes, versionOf(call));
  return changed ? ok(changed) : stale('key', nextCall.getKey(before.id));
}

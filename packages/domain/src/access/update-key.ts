import type { Call } from '../call.js';
import { refuse } from '../failure.js';
import { nextCall } from '../next-call.js';
import { ok, type Result } from '../result.js';
import { changesNothing, isStale, preconditionFailed, versionOf } from '../version.js';
import type { ApiKey } from './api-key.js';
import { checkPolicy } from './check-policy.js';
import type { KeyFailureCode, KeyPorts } from './create-key.js';
import { getKey } from './get-key.js';
import { checkKeyBounds } from './key-bounds.js';
import type { Scope } from './scope.js';
import { amendPolicy, type PolicyChanges } from './amend-policy.js';

export interface UpdateKey {
  readonly id: string;
  readonly name?: string | undefined;
  readonly scopes?: readonly Scope[] | undefined;
  readonly policy?: PolicyChanges | undefined;
}

type UpdateKeyFailure =
  | Exclude<KeyFailureCode, 'key.delegation_too_deep'>
  | 'key.not_found'
  | 'key.rotated'
  | 'request.precondition_failed';

/**
 * Changes a key. A key may change only keys whose scopes and policy are within its own, before and after the
 * change; the operator may change any. The secret and omitted policy fields stay unchanged. A rotated key
 * keeps its expiry.
 */
export async function updateKey(
  ports: Pick<KeyPorts, 'apiKeys' | 'profiles' | 'clock'>,
  call: Call,
  { id, name, scopes, policy }: UpdateKey,
): Promise<Result<ApiKey, UpdateKeyFailure>> {
  const found = await getKey(ports, call, { id });
  if (!found.ok) return found;
  const before = found.value;
  const isOwn = checkKeyBounds(call, before);
  if (!isOwn.ok) return isOwn;
  const amended = amendPolicy(before.policy, policy);
  if (!amended.ok) return amended;
  const updated = {
    workspaceId: call.workspaceId,
    name: name ?? before.name,
    scopes: scopes ?? before.scopes,
    policy: amended.value,
  };
  const bounds = checkKeyBounds(call, updated);
  if (!bounds.ok) return bounds;
  if (before.replacedBy !== null && isLater(updated.policy.expiresAt, before.policy.expiresAt)) {
    return refuse(
      'key.rotated',
      'This key was rotated, and its expiry cannot be changed. Use the key that replaced it.',
      {
        next: nextCall.getKey(before.replacedBy),
      },
    );
  }
  const checked = await checkPolicy(ports, updated, before.policy);
  if (!checked.ok) return checked;
  const changes = { name: updated.name, scopes: updated.scopes, policy: updated.policy };
  if (!isStale(call, before) && changesNothing(before, changes)) return ok(before);
  const changed = await ports.apiKeys.update(call.workspaceId, before.id, changes, versionOf(call));
  return changed ? ok(changed) : preconditionFailed('key', nextCall.getKey(before.id));
}

const isLater = (end: Date | null, than: Date | null): boolean =>
  than !== null && (end === null || end > than);

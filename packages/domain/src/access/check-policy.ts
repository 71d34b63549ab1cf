import { notFound, refuse } from '../failure.js';
import type { Clock } from '../ports/clock.js';
import type { ReadMethods } from '../ports/index.js';
import type { Profiles } from '../ports/profiles.js';
import { ok, type Result } from '../result.js';
import type { ApiKey } from './api-key.js';
import { findUnsupportedField } from './policy.js';
import { workspaceWideScopes } from './scope.js';

export type PolicyFailureCode =
  | 'key.policy_exceeded'
  | 'key.policy_unsupported'
  | 'profile.not_found'
  | 'request.invalid';

/**
 * Checks that a policy is enforceable, is compatible with the scopes, and names profiles of the workspace.
 * `before` is the policy being replaced: only a new expiry must lie in the future, so that an expired key can
 * still be restricted further.
 */
export async function checkPolicy(
  ports: { readonly profiles: Pick<ReadMethods<Profiles>, 'find'>; readonly clock: Clock },
  { workspaceId, scopes, policy }: Pick<ApiKey, 'workspaceId' | 'scopes' | 'policy'>,
  before?: ApiKey['policy'],
): Promise<Result<undefined, PolicyFailureCode>> {
  const supported = checkSupported(policy);
  if (!supported.ok) return supported;
  const { expiresAt } = policy;
  const isNew = expiresAt?.getTime() !== before?.expiresAt?.getTime();
  if (expiresAt !== null && isNew && expiresAt <= ports.clock.now()) {
    const message =
      'The expiry of a key must not be in the past. Choose a later time, or revoke the key to end it now.';
    return refuse('request.invalid', message, {
      problems: [{ path: 'policy.expires_at', code: 'time.past', message }],
    });
  }
  const tooWide = scopes.filter((scope) => workspaceWideScopes.includes(scope));
  if (policy.profileIds !== null && tooWide.length > 0) {
    return refuse('key.policy_exceeded', `A key restricted to profiles cannot hold ${tooWide.join(', ')}.`);
  }
  for (const profileId of policy.profileIds ?? []) {
    if (!(await ports.profiles.find(workspaceId, profileId))) return notFound('profile');
  }
  return ok();
}

/** A policy that this version does not enforce completely is accepted nowhere. */
export function checkSupported(policy: ApiKey['policy']): Result<undefined, 'key.policy_unsupported'> {
  const unsupported = findUnsupportedField(policy);
  if (unsupported === null) return ok();
  return refuse(
    'key.policy_unsupported',
    'This version cannot enforce a part of the policy of this key. Create a new key, or update this installation.',
  );
}

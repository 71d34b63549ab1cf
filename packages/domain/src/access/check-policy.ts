import { notFound, refuse } from '../failure.js';
import type { Profiles, Reading } from '../ports/index.js';
import { ok, type Result } from '../result.js';
import type { ApiKey } from './api-key.js';
import { workspaceWideScopes } from './scope.js';

/** Whether scopes and policy go together, and name profiles of their workspace. */
export async function checkPolicy(
  ports: { readonly profiles: Pick<Reading<Profiles>, 'find'> },
  { workspaceId, scopes, policy }: Pick<ApiKey, 'workspaceId' | 'scopes' | 'policy'>,
): Promise<Result<undefined, 'key.policy_exceeded' | 'profile.not_found'>> {
  const tooWide = scopes.filter((scope) => workspaceWideScopes.includes(scope));
  if (policy.profileIds !== null && tooWide.length > 0) {
    return refuse(
      'key.policy_exceeded',
      `A key that is bound to profiles cannot hold ${tooWide.join(', ')}.`,
    );
  }
  for (const profileId of policy.profileIds ?? []) {
    if (!(await ports.profiles.find(workspaceId, profileId))) return notFound('profile');
  }
  return ok();
}

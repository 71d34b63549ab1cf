import type { Call } from '../call.js';
import { refuse } from '../failure.js';
import type { AtomicPorts } from '../ports/index.js';
import { ok, type Result } from '../result.js';
import { isStale, stale } from '../version.js';
import { findReachableProfile } from './find-reachable.js';
import type { Profile } from './profile.js';

export interface DeleteProfile {
  readonly id: string;
}

/** Only an empty one goes: connections and posts that wait for their time keep it. */
export async function deleteProfile(
  ports: Pick<AtomicPorts, 'profiles'>,
  call: Call,
  { id }: DeleteProfile,
): Promise<
  Result<
    Profile,
    'profile.not_found' | 'profile.is_default' | 'profile.in_use' | 'request.precondition_failed'
  >
> {
  const found = await findReachableProfile(ports, call, id);
  if (!found.ok) return found;
  const profile = found.value;
  if (isStale(call, profile)) return stale('profile');
  if (profile.isDefault)
    return refuse('profile.is_default', 'The default profile of a workspace cannot be deleted.');
  const uses = await ports.profiles.countUses(call.workspaceId, profile.id);
  if (uses.connections > 0 || uses.scheduledPosts > 0) {
    return refuse('profile.in_use', 'Disconnect its connections and cancel its scheduled posts first.', {
      details: uses,
    });
  }
  await ports.profiles.delete(call.workspaceId, profile.id);
  return ok(profile);
}

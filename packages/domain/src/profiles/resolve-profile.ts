import { reachOf, type Call } from '../call.js';
import { refuse } from '../failure.js';
import { nextCall } from '../next-call.js';
import type { ReadMethods } from '../ports/index.js';
import type { Profiles } from '../ports/profiles.js';
import { ok, type Result } from '../result.js';
import { findReachableProfile } from './find-reachable.js';
import type { Profile } from './profile.js';

/** The profile that a caller names; it may be omitted only when it is unambiguous. */
export async function resolveProfile(
  ports: { readonly profiles: Pick<ReadMethods<Profiles>, 'find' | 'list'> },
  call: Call,
  id: string | undefined,
): Promise<Result<Profile, 'profile.not_found' | 'connect.profile_required'>> {
  if (id !== undefined) return findReachableProfile(ports, call, id);
  const { items } = await ports.profiles.list(call.workspaceId, { reach: reachOf(call) }, { limit: 10 });
  const [only, ...others] = items;
  if (only && others.length === 0) return ok(only);
  return refuse(
    'connect.profile_required',
    'Send profile_id: the key does not have access to exactly one profile.',
    {
      candidates: items.map((profile) => ({ profile_id: profile.id, name: profile.name })),
      next: nextCall.listProfiles(),
    },
  );
}

import type { Call } from '../call.js';
import { nextCall } from '../next-call.js';
import type { AtomicPorts } from '../ports/index.js';
import { ok, type Result } from '../result.js';
import { changesNothing, isStale, preconditionFailed, versionOf } from '../version.js';
import { findReachableProfile } from './find-reachable.js';
import type { Metadata, Profile } from './profile.js';

interface UpdateProfile {
  readonly id: string;
  readonly name?: string | undefined;
  readonly externalId?: string | null | undefined;
  readonly timezone?: string | undefined;
  readonly metadata?: Metadata | undefined;
}

export async function updateProfile(
  ports: Pick<AtomicPorts, 'profiles'>,
  call: Call,
  { id, ...changes }: UpdateProfile,
): Promise<Result<Profile, 'profile.not_found' | 'request.precondition_failed'>> {
  const found = await findReachableProfile(ports, call, id);
  if (!found.ok) return found;
  const before = found.value;
  const edit = { ...changes, isTimezoneSet: changes.timezone === undefined ? undefined : true };
  if (!isStale(call, before) && changesNothing(before, edit)) return ok(before);
  const updated = await ports.profiles.update(call.workspaceId, before.id, edit, versionOf(call));
  return updated ? ok(updated) : preconditionFailed('profile', nextCall.getProfile(before.id));
}

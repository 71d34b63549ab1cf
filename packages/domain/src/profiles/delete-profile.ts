import { auditRow } from '../audit/audit-row.js';
import type { Call } from '../call.js';
import { refuse } from '../failure.js';
import { nextCall } from '../next-call.js';
import type { AtomicPorts } from '../ports/index.js';
import { ok, type Result } from '../result.js';
import { disconnect, type DisconnectPorts } from '../connections/disconnect.js';
import type { ProfileId } from '../ids.js';
import { isStale, preconditionFailed } from '../version.js';
import { findReachableProfile } from './find-reachable.js';
import type { Profile } from './profile.js';

interface DeleteProfile {
  readonly id: string;
  /** Disconnects its accounts and cancels its posts first. */
  readonly cascade?: boolean | undefined;
}

/**
 * Connections and scheduled posts prevent the deletion of a profile, unless `cascade` is set. Its other posts
 * are deleted in any case.
 */
export async function deleteProfile(
  ports: DisconnectPorts & Pick<AtomicPorts, 'profiles' | 'audit'>,
  call: Call,
  { id, cascade }: DeleteProfile,
): Promise<
  Result<
    Profile,
    'profile.not_found' | 'profile.is_default' | 'profile.in_use' | 'request.precondition_failed'
  >
> {
  const found = await findReachableProfile(ports, call, id);
  if (!found.ok) return found;
  const profile = found.value;
  if (isStale(call, profile)) return preconditionFailed('profile', nextCall.getProfile(profile.id));
  if (profile.isDefault)
    return refuse('profile.is_default', 'The default profile of a workspace cannot be deleted.', {
      next: nextCall.listProfiles(),
    });
  if (cascade) await disconnectAll(ports, call, profile.id);
  const uses = await ports.profiles.countUses(call.workspaceId, profile.id);
  if (uses.connections > 0 || uses.scheduledPosts > 0) {
    return refuse(
      'profile.in_use',
      'Disconnect its connections and cancel its scheduled posts first, or delete it with `cascade`.',
      { details: uses, next: nextCall.listConnections({ profile_id: profile.id }) },
    );
  }
  await ports.profiles.delete(call.workspaceId, profile.id);
  return ok(profile);
}

/**
 * Same effects as single deletions: each grant is revoked, each post emits its event. The version in the
 * request is the profile's.
 */
async function disconnectAll(
  ports: DisconnectPorts & Pick<AtomicPorts, 'audit'>,
  call: Call,
  profileId: ProfileId,
): Promise<void> {
  const each: Call = { ...call, ifMatch: undefined };
  for (;;) {
    const some = await ports.connections.listAll(call.workspaceId, { reach: [profileId], profileId });
    if (some.length === 0) return;
    for (const { id } of some) {
      if (!(await disconnect(ports, each, { id })).ok) return;
      await ports.audit.append(
        auditRow(call, 'disconnectConnection', id, { surface: call.surface, profile_id: profileId }),
      );
    }
  }
}

import { reachOf, type Call } from '../call.js';
import type { ProfileId } from '../ids.js';
import type { ReadPorts } from '../ports/index.js';
import { findReachableProfile } from '../profiles/find-reachable.js';
import { ok, type Result } from '../result.js';
import { buildPlatformFacts, getAppAvailability, type PlatformFacts } from './platform-facts.js';

interface ListPlatforms {
  /** The profile for which missing configuration is reported. */
  readonly profileId?: string | undefined;
}

export type PlatformPorts = Pick<ReadPorts, 'manifests' | 'platformApps' | 'profiles'>;

export async function listPlatforms(
  ports: PlatformPorts,
  call: Call,
  { profileId }: ListPlatforms,
): Promise<Result<readonly PlatformFacts[], 'profile.not_found'>> {
  const profile = await resolveProfileId(ports, call, profileId);
  if (!profile.ok) return profile;
  const serving = await getAppAvailability(ports, call.workspaceId, profile.value);
  return ok(ports.manifests.list().map((manifest) => buildPlatformFacts(ports.manifests, manifest, serving)));
}

/** The named profile, or the only one that the key reaches; null for the workspace in general. */
export async function resolveProfileId(
  ports: Pick<ReadPorts, 'profiles'>,
  call: Call,
  named: string | undefined,
): Promise<Result<ProfileId | null, 'profile.not_found'>> {
  if (named === undefined) {
    const [only, ...others] = reachOf(call) ?? [];
    return ok(only !== undefined && others.length === 0 ? only : null);
  }
  const profile = await findReachableProfile(ports, call, named);
  return profile.ok ? ok(profile.value.id) : profile;
}

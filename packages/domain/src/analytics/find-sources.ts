import { reachOf, type Call } from '../call.js';
import type { Connection } from '../connections/connection.js';
import { findReachableConnection } from '../connections/find-reachable.js';
import type { ConnectionId } from '../ids.js';
import { findUnknownPlatform } from '../platforms/find-unknown-platform.js';
import type { ReadPorts } from '../ports/index.js';
import { findReachableProfile } from '../profiles/find-reachable.js';
import type { Profile } from '../profiles/profile.js';
import { ok, type Result } from '../result.js';

export interface AnalyticsFilter {
  readonly profileId?: string | undefined;
  readonly connectionId?: string | undefined;
  readonly platform?: readonly string[] | undefined;
}

interface AnalyticsSources {
  /** Social accounts, oldest first. */
  readonly connections: readonly Connection[];
  /** The time zone of the days: the profile's when the report covers one profile, else the workspace's. */
  readonly timezone: string;
}

/**
 * The accounts that a report covers. A connection or profile that the caller names and cannot reach is not
 * found.
 */
export async function findAnalyticsSources(
  ports: Pick<ReadPorts, 'connections' | 'manifests' | 'profiles' | 'workspaces'>,
  call: Call,
  filter: AnalyticsFilter,
): Promise<Result<AnalyticsSources, 'profile.not_found' | 'connection.not_found' | 'platform.not_found'>> {
  const unknownPlatform = findUnknownPlatform(ports.manifests, filter.platform ?? []);
  if (unknownPlatform) return unknownPlatform;
  let profile: Profile | null = null;
  if (filter.profileId !== undefined) {
    const found = await findReachableProfile(ports, call, filter.profileId);
    if (!found.ok) return found;
    profile = found.value;
  }
  let ids: readonly ConnectionId[] | undefined;
  if (filter.connectionId !== undefined) {
    const found = await findReachableConnection(ports, call, filter.connectionId);
    if (!found.ok) return found;
    ids = [found.value.id];
  }
  const connections = await ports.connections.listAll(call.workspaceId, {
    reach: reachOf(call),
    kind: 'social',
    profileId: profile?.id,
    platforms: filter.platform,
    ids,
  });
  return ok({ connections, timezone: await resolveTimezone(ports, call, profile, connections) });
}

async function resolveTimezone(
  ports: Pick<ReadPorts, 'profiles' | 'workspaces'>,
  call: Call,
  namedProfile: Profile | null,
  connections: readonly Connection[],
): Promise<string> {
  if (namedProfile) return namedProfile.timezone;
  const [only, another] = new Set(connections.map(({ profileId }) => profileId));
  const profile = only && !another ? await ports.profiles.find(call.workspaceId, only) : null;
  return profile?.timezone ?? (await ports.workspaces.find(call.workspaceId))?.defaultTimezone ?? 'UTC';
}

import type { Call } from '../call.js';
import { notFound } from '../failure.js';
import { ok, type Result } from '../result.js';
import { resolveProfileId, type PlatformPorts } from './list-platforms.js';
import { buildPlatformFacts, getAppAvailability, type PlatformFacts } from './platform-facts.js';
import { findUnknownPlatform } from './find-unknown-platform.js';

interface GetPlatform {
  readonly id: string;
  /** The profile for which missing configuration is reported. */
  readonly profileId?: string | undefined;
}

export async function getPlatform(
  ports: PlatformPorts,
  call: Call,
  { id, profileId }: GetPlatform,
): Promise<Result<PlatformFacts, 'platform.not_found' | 'profile.not_found'>> {
  const manifest = ports.manifests.find(id);
  if (!manifest) return findUnknownPlatform(ports.manifests, [id]) ?? notFound('platform');
  const profile = await resolveProfileId(ports, call, profileId);
  if (!profile.ok) return profile;
  const serving = await getAppAvailability(ports, call.workspaceId, profile.value);
  return ok(buildPlatformFacts(ports.manifests, manifest, serving));
}

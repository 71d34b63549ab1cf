import type { Call } from '../call.js';
import { notFound, refuse } from '../failure.js';
import { nextCall } from '../next-call.js';
import type { ProfileId } from '../ids.js';
import type { Manifest, ReadPorts } from '../ports/index.js';
import { findReachableProfile } from '../profiles/find-reachable.js';
import { ok, type Result } from '../result.js';
import type { ResolvedApp } from './find-app.js';
import { appPlatformOf } from './app-platform-of.js';

/** Which app a caller means: that of a profile, or with none named the workspace's. */
export interface PlatformAppCommand {
  readonly id: string;
  readonly profileId?: string | undefined;
}

export interface AppLocation {
  readonly manifest: Manifest;
  readonly profileId: ProfileId | null;
}

/** An app as its owner sees it: everything but the secret. */
export interface PlatformAppView {
  readonly clientId: string;
  readonly source: ResolvedApp['source'];
  /** Null when it is kept elsewhere than at the place that was asked about. */
  readonly version: number | null;
}

export type AppLocationFailure = 'platform.not_found' | 'platform.app_unsupported' | 'profile.not_found';

/** Where the app of this platform and profile is kept, if it is a platform that takes one. */
export async function resolveAppLocation(
  ports: Pick<ReadPorts, 'manifests' | 'profiles'>,
  call: Call,
  { id, profileId }: PlatformAppCommand,
): Promise<Result<AppLocation, AppLocationFailure>> {
  const manifest = ports.manifests.find(id);
  if (!manifest) return notFound('platform');
  if (!manifest.connect.some((connectMethod) => connectMethod.needsApp && appPlatformOf(manifest, connectMethod) === manifest.id)) {
    return refuse(
      'platform.app_unsupported',
      `Accounts at ${manifest.name} are connected without an app of yours: there is nothing to set up.`,
      { next: nextCall.getPlatform(manifest.id) },
    );
  }
  if (profileId === undefined) return ok({ manifest, profileId: null });
  const profile = await findReachableProfile(ports, call, profileId);
  return profile.ok ? ok({ manifest, profileId: profile.value.id }) : profile;
}

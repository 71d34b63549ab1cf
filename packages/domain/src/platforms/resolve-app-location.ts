import type { Call } from '../call.js';
import { notFound, refuse } from '../failure.js';
import { nextCall } from '../next-call.js';
import type { ProfileId } from '../ids.js';
import type { Manifest, ReadPorts } from '../ports/index.js';
import { findReachableProfile } from '../profiles/find-reachable.js';
import { ok, type Result } from '../result.js';
import type { ResolvedApp } from './find-app.js';
import { appPlatformOf } from './app-platform-of.js';

/** The app that a caller names: that of a profile, or without one the workspace's. */
export interface PlatformAppCommand {
  readonly id: string;
  readonly profileId?: string | undefined;
}

interface AppLocation {
  readonly manifest: Manifest;
  readonly profileId: ProfileId | null;
}

/** An app as its owner sees it: everything except the secret. */
export interface PlatformAppView {
  readonly clientId: string;
  readonly source: ResolvedApp['source'];
  /** Null when it is stored at another location than the requested one. */
  readonly version: number | null;
}

export type AppLocationFailure = 'platform.not_found' | 'platform.app_unsupported' | 'profile.not_found';

/** The location of the app for this platform and profile, if the platform supports custom apps. */
export async function resolveAppLocation(
  ports: Pick<ReadPorts, 'manifests' | 'profiles'>,
  call: Call,
  { id, profileId }: PlatformAppCommand,
): Promise<Result<AppLocation, AppLocationFailure>> {
  const manifest = ports.manifests.find(id);
  if (!manifest) return notFound('platform');
  if (
    !manifest.connect.some(
      (connectMethod) => connectMethod.needsApp && appPlatformOf(manifest, connectMethod) === manifest.id,
    )
  ) {
    return refuse(
      'platform.app_unsupported',
      `Accounts at ${manifest.name} are connected without a custom app; nothing to configure.`,
      { next: nextCall.getPlatform(manifest.id) },
    );
  }
  if (profileId === undefined) return ok({ manifest, profileId: null });
  const profile = await findReachableProfile(ports, call, profileId);
  return profile.ok ? ok({ manifest, profileId: profile.value.id }) : profile;
}

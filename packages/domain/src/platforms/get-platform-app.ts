import type { Call } from '../call.js';
import { refuse } from '../failure.js';
import { nextCall } from '../next-call.js';
import type { ReadPorts } from '../ports/index.js';
import { ok, type Result } from '../result.js';
import {
  resolveAppLocation,
  type PlatformAppCommand,
  type AppLocationFailure,
  type PlatformAppView,
} from './resolve-app-location.js';
import { findApp } from './find-app.js';

/**
 * The app with which accounts are connected: the profile's, the workspace's or the operator's, in that order.
 */
export async function getPlatformApp(
  ports: Pick<ReadPorts, 'platformApps' | 'profiles' | 'manifests'>,
  call: Call,
  command: PlatformAppCommand,
): Promise<Result<PlatformAppView, AppLocationFailure | 'platform_app.not_found'>> {
  const location = await resolveAppLocation(ports, call, command);
  if (!location.ok) return location;
  const { manifest, profileId } = location.value;
  const { workspaceId } = call;
  const found = await findApp(ports, { workspaceId, profileId, platformId: manifest.id });
  if (!found) {
    return refuse(
      'platform_app.not_found',
      `No app is configured for ${manifest.name}, neither here nor by the operator.`,
      { next: nextCall.getPlatform(manifest.id) },
    );
  }
  const isHere = found.source !== 'environment' && found.app.profileId === profileId;
  return ok({
    clientId: found.clientId,
    source: found.source,
    version: isHere ? found.app.generation : null,
  });
}

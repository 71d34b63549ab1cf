import { auditRow } from '../audit/audit-row.js';
import type { Call } from '../call.js';
import { refuse } from '../failure.js';
import { nextCall } from '../next-call.js';
import type { AtomicPorts } from '../ports/index.js';
import { ok, type Result } from '../result.js';
import { isStale, preconditionFailed } from '../version.js';
import { findApp } from './find-app.js';
import {
  resolveAppLocation,
  type PlatformAppCommand,
  type AppLocationFailure,
} from './resolve-app-location.js';

/** Deletes the app at exactly this location; afterwards the next one in the lookup order is used. */
export async function deletePlatformApp(
  ports: Pick<AtomicPorts, 'platformApps' | 'profiles' | 'manifests' | 'audit'>,
  call: Call,
  command: PlatformAppCommand,
): Promise<Result<undefined, AppLocationFailure | 'platform_app.not_found' | 'request.precondition_failed'>> {
  const location = await resolveAppLocation(ports, call, command);
  if (!location.ok) return location;
  const { manifest, profileId } = location.value;
  const { workspaceId, surface } = call;
  const app = await ports.platformApps.find(workspaceId, manifest.id, profileId);
  if (!app) {
    const elsewhere = await findApp(ports, { workspaceId, profileId, platformId: manifest.id });
    const whose = profileId === null ? 'The workspace' : 'The profile';
    return refuse('platform_app.not_found', `${whose} has no app of its own at ${manifest.name}.`, {
      next: elsewhere
        ? nextCall.getPlatformApp(manifest.id, profileId ?? undefined)
        : nextCall.getPlatform(manifest.id),
    });
  }
  if (isStale(call, { version: app.generation }))
    return preconditionFailed('app', nextCall.getPlatformApp(manifest.id, profileId ?? undefined));
  await ports.platformApps.delete(app);
  await ports.audit.append(
    auditRow(call, 'deletePlatformApp', app.id, {
      surface,
      platform: manifest.id,
      profile_id: profileId,
      client_id: app.clientId,
    }),
  );
  return ok();
}

import { actorName, type Call } from '../call.js';
import { refuse } from '../failure.js';
import { nextCall } from '../next-call.js';
import type { AtomicPorts } from '../ports/index.js';
import { ok, type Result } from '../result.js';
import { isStale, stale } from '../version.js';
import { appPlace, type AppCommand, type AppPlaceFailure } from './app-place.js';

/** Takes away the app that is kept at exactly this place; what stands behind it serves from then on. */
export async function deletePlatformApp(
  ports: Pick<AtomicPorts, 'platformApps' | 'profiles' | 'manifests' | 'audit'>,
  call: Call,
  command: AppCommand,
): Promise<Result<undefined, AppPlaceFailure | 'platform_app.not_found' | 'request.precondition_failed'>> {
  const place = await appPlace(ports, call, command);
  if (!place.ok) return place;
  const { manifest, profileId } = place.value;
  const { workspaceId, requestId, surface } = call;
  const app = await ports.platformApps.find(workspaceId, manifest.id, profileId);
  if (!app) {
    const whose = profileId === null ? 'The workspace' : 'The profile';
    return refuse('platform_app.not_found', `${whose} has no app of its own at ${manifest.name}.`, {
      next: nextCall.getPlatformApp(manifest.id, profileId ?? undefined),
    });
  }
  if (isStale(call, { version: app.generation }))
    return stale('app', nextCall.getPlatformApp(manifest.id, profileId ?? undefined));
  await ports.platformApps.delete(app);
  await ports.audit.append({
    workspaceId,
    requestId,
    actor: actorName(call),
    action: 'deletePlatformApp',
    object: app.id,
    outcome: 'ok',
    details: { surface, platform: manifest.id, profile_id: profileId, client_id: app.clientId },
  });
  return ok();
}

import { auditRow } from '../audit/audit-row.js';
import type { Call } from '../call.js';
import { nextCall } from '../next-call.js';
import type { Ports } from '../ports/index.js';
import { ok, type Result } from '../result.js';
import { Secret } from '../secret.js';
import { isStale, preconditionFailed, versionOf } from '../version.js';
import {
  resolveAppLocation,
  type PlatformAppCommand,
  type AppLocationFailure,
  type PlatformAppView,
} from './resolve-app-location.js';
import { appBinding } from './platform-app.js';

export interface UpdatePlatformApp extends PlatformAppCommand {
  readonly clientId: string;
  readonly clientSecret: string;
}

/** Stores an app at its location, or replaces it. The secret is sealed in the vault and never returned. */
export async function updatePlatformApp(
  ports: Pick<Ports, 'transactions' | 'profiles' | 'manifests' | 'vault' | 'ids'>,
  call: Call,
  { clientId, clientSecret, ...command }: UpdatePlatformApp,
): Promise<
  Result<
    PlatformAppView,
    AppLocationFailure | 'request.precondition_failed' | 'vault.unavailable' | 'vault.unreadable'
  >
> {
  const location = await resolveAppLocation(ports, call, command);
  if (!location.ok) return location;
  const { manifest, profileId } = location.value;
  const { workspaceId, surface } = call;
  const vault = await ports.vault.unlock(workspaceId);
  if (!vault.ok) return vault;
  return ports.transactions.run(async (tx) => {
    const before = await tx.platformApps.find(workspaceId, manifest.id, profileId);
    const changed = before ? isStale(call, { version: before.generation }) : versionOf(call) !== undefined;
    if (changed) {
      const next = before
        ? nextCall.getPlatformApp(manifest.id, profileId ?? undefined)
        : nextCall.getPlatform(manifest.id);
      return preconditionFailed('app', next);
    }
    const id = before?.id ?? ports.ids.next('app');
    const generation = (before?.generation ?? 0) + 1;
    const sealedSecret = vault.value.seal(appBinding(id, generation), new Secret(clientSecret));
    const app = { id, workspaceId, profileId, platform: manifest.id, clientId, sealedSecret, generation };
    await (before ? tx.platformApps.replace(app) : tx.platformApps.insert(app));
    await tx.audit.append(
      auditRow(call, 'updatePlatformApp', id, {
        surface,
        platform: manifest.id,
        profile_id: profileId,
        client_id: clientId,
      }),
    );
    return ok({ clientId, source: profileId === null ? 'workspace' : 'profile', version: generation });
  });
}

import { actorName, type Call } from '../call.js';
import { refuse } from '../failure.js';
import { nextCall } from '../next-call.js';
import type { ConnectionId } from '../ids.js';
import type { AtomicPorts } from '../ports/index.js';
import { getAppAvailability } from '../platforms/platform-facts.js';
import { findReachableProfile } from '../profiles/find-reachable.js';
import { resolveProfile } from '../profiles/resolve-profile.js';
import type { Metadata, Profile } from '../profiles/profile.js';
import { ok, type Result } from '../result.js';
import type { ConnectSession } from './connect-session.js';
import { findReachableConnection } from './find-reachable.js';
import { allowsReturnUrl } from './return-url.js';
import { findUnknownPlatform } from '../platforms/find-unknown-platform.js';

export interface StartConnect {
  readonly platform?: string | undefined;
  readonly platforms?: readonly string[] | undefined;
  readonly profileId?: string | undefined;
  readonly connectionId?: string | undefined;
  readonly returnUrl?: string | undefined;
  readonly expiresInMinutes: number;
  readonly maxConnections?: number | undefined;
  readonly locale?: string | undefined;
  readonly externalId?: string | undefined;
  readonly metadata?: Metadata | undefined;
}

interface StartedConnect {
  readonly session: ConnectSession;
  readonly url: string;
}

type StartConnectFailure =
  | 'profile.not_found'
  | 'connection.not_found'
  | 'platform.not_found'
  | 'platform.not_configured'
  | 'connect.profile_required'
  | 'connect.return_url_not_allowed'
  | 'request.invalid';

type StartPorts = Pick<
  AtomicPorts,
  | 'profiles'
  | 'connections'
  | 'connectSessions'
  | 'workspaces'
  | 'platformApps'
  | 'manifests'
  | 'settings'
  | 'tokens'
  | 'ids'
  | 'clock'
>;

/** The URL holds a one-time token; only its digest is stored. */
export async function startConnect(
  ports: StartPorts,
  call: Call,
  command: StartConnect,
): Promise<Result<StartedConnect, StartConnectFailure>> {
  if (command.platform !== undefined && command.platforms !== undefined) {
    return contradiction('platforms', 'must not be combined with platform: send one of the two');
  }
  const subject = await resolveSubject(ports, call, command);
  if (!subject.ok) return subject;
  const { profile, reconnects, platforms } = subject.value;
  const workspace = await ports.workspaces.find(call.workspaceId);
  if (
    command.returnUrl !== undefined &&
    !allowsReturnUrl(command.returnUrl, workspace?.returnUrls ?? [], ports.settings)
  ) {
    return refuse('connect.return_url_not_allowed', 'Add the return URL to the workspace’s list first.');
  }
  const token = ports.tokens.random();
  const now = ports.clock.now();
  const session: ConnectSession = {
    id: ports.ids.next('cns'),
    workspaceId: call.workspaceId,
    profileId: profile.id,
    tokenHash: ports.tokens.digest(token),
    platforms,
    reconnects,
    returnUrl: command.returnUrl ?? null,
    externalId: command.externalId ?? null,
    metadata: command.metadata ?? {},
    locale: command.locale ?? null,
    maxConnections: command.maxConnections ?? null,
    status: 'pending',
    connectionIds: [],
    error: null,
    createdBy: actorName(call),
    createdAt: now,
    expiresAt: new Date(now.getTime() + command.expiresInMinutes * 60_000),
  };
  await ports.connectSessions.insert(session);
  return ok({ session, url: `${ports.settings.publicUrl}/connect/${token}` });
}

interface ConnectSubject {
  readonly profile: Profile;
  readonly reconnects: ConnectionId | null;
  readonly platforms: readonly string[];
}

async function resolveSubject(
  ports: StartPorts,
  call: Call,
  command: StartConnect,
): Promise<Result<ConnectSubject, StartConnectFailure>> {
  if (command.connectionId !== undefined) {
    const found = await findReachableConnection(ports, call, command.connectionId);
    if (!found.ok) return found;
    if ((command.maxConnections ?? 1) > 1) {
      return contradiction('max_connections', 'must be 1: connection_id reconnects one account');
    }
    const { platform, profileId } = found.value;
    const requested = command.platforms ?? [command.platform ?? platform];
    if (requested.some((one) => one !== platform)) {
      return contradiction(
        command.platforms ? 'platforms' : 'platform',
        `does not match the connection’s platform, ${platform}`,
      );
    }
    if (command.profileId !== undefined && command.profileId !== profileId) {
      return contradiction('profile_id', 'does not match the connection’s profile');
    }
    const profile = await findReachableProfile(ports, call, profileId);
    if (!profile.ok) return profile;
    const platforms = await resolvePlatforms(ports, profile.value, [platform]);
    if (!platforms.ok) return platforms;
    return ok({ profile: profile.value, reconnects: found.value.id, platforms: platforms.value });
  }
  const profile = await resolveProfile(ports, call, command.profileId);
  if (!profile.ok) return profile;
  const requested = command.platform !== undefined ? [command.platform] : command.platforms;
  const platforms = await resolvePlatforms(ports, profile.value, requested);
  if (!platforms.ok) return platforms;
  return ok({ profile: profile.value, reconnects: null, platforms: platforms.value });
}

/** The requested platforms, or all configured ones; at least one. */
async function resolvePlatforms(
  ports: Pick<StartPorts, 'manifests' | 'platformApps'>,
  { workspaceId, id: profileId }: Profile,
  requested: readonly string[] | undefined,
): Promise<Result<readonly string[], 'platform.not_found' | 'platform.not_configured'>> {
  const { manifests } = ports;
  const ids = [...new Set(requested ?? manifests.list().map(({ id }) => id))];
  const requestedManifests = ids.flatMap((id) => manifests.find(id) ?? []);
  const unknownPlatform = findUnknownPlatform(manifests, ids);
  if (unknownPlatform) return unknownPlatform;
  const serving = await getAppAvailability(ports, workspaceId, profileId);
  const unconfigured = requestedManifests.filter(
    (manifest) => serving.listMissingVariables(manifest).length > 0,
  );
  const ready = requestedManifests.filter((manifest) => !unconfigured.includes(manifest)).map(({ id }) => id);
  if (ready.length > 0 && (!requested || unconfigured.length === 0)) return ok(ready);
  const missing = [...new Set(unconfigured.flatMap((manifest) => serving.listMissingVariables(manifest)))];
  const [only, ...others] = unconfigured;
  return refuse(
    'platform.not_configured',
    `Ask the operator to set ${missing.join(' and ')}, or configure an app of the workspace (PUT /v1/platforms/:id/app).`,
    {
      details: { missing },
      next: only && others.length === 0 ? nextCall.getPlatform(only.id) : nextCall.listPlatforms(),
    },
  );
}

const contradiction = (path: string, message: string) =>
  refuse('request.invalid', `${path} ${message}.`, {
    problems: [{ path, code: 'field.invalid', message }],
  });

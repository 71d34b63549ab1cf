import type { Call } from '../call.js';
import { notFound } from '../failure.js';
import { platformFacts, type PlatformFacts } from '../platforms/list-platforms.js';
import type { Ports } from '../ports/index.js';
import type { Profile } from '../profiles/profile.js';
import { ok, type Result } from '../result.js';
import type { Workspace } from '../workspaces/workspace.js';
import type { ConnectSession } from './connect-session.js';
import { asOf } from './get-connect-session.js';

/** What the hosted page shows of a session: whose it is and what can be chosen. */
export interface OpenConnect {
  readonly session: ConnectSession;
  readonly workspace: Workspace;
  readonly profile: Profile;
  readonly platforms: readonly PlatformFacts[];
}

/** By the token in the URL. Reading changes nothing: link previews and scanners open URLs too. */
export async function openConnect(
  ports: Pick<Ports, 'connectSessions' | 'workspaces' | 'profiles' | 'manifests' | 'tokens' | 'clock'>,
  token: string,
): Promise<Result<OpenConnect, 'connect_session.not_found'>> {
  const session = await ports.connectSessions.findByToken(ports.tokens.digest(token));
  if (!session) return notFound('connect_session');
  const [workspace, profile] = await Promise.all([
    ports.workspaces.find(session.workspaceId),
    ports.profiles.find(session.workspaceId, session.profileId),
  ]);
  if (!workspace || !profile) return notFound('connect_session');
  const platforms = session.platforms.flatMap((id) => {
    const manifest = ports.manifests.find(id);
    return manifest ? [platformFacts(ports, manifest)] : [];
  });
  return ok({ session: asOf(session, ports.clock.now()), workspace, profile, platforms });
}

/** The call in whose name the hosted pages act. */
export const connectPageCall = (session: ConnectSession, requestId: string, signal: AbortSignal): Call => ({
  requestId,
  surface: 'hosted_page',
  workspaceId: session.workspaceId,
  actor: { kind: 'system', name: 'connect_page' },
  signal,
  waitSeconds: 0,
});

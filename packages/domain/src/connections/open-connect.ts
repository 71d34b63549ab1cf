import { systemCall, type Call } from '../call.js';
import { notFound } from '../failure.js';
import {
  buildPlatformFacts,
  getAppAvailability,
  type PlatformFacts,
  type AppAvailability,
} from '../platforms/platform-facts.js';
import type { Ports } from '../ports/index.js';
import type { Profile } from '../profiles/profile.js';
import { ok, type Result } from '../result.js';
import type { Workspace } from '../workspaces/workspace.js';
import type { ConnectChoiceId } from '../ids.js';
import { remainingConnections, type ConnectSession } from './connect-session.js';
import type { Connection, RemoteAccount } from './connection.js';
import { applyExpiry } from './get-connect-session.js';

/** The content of the hosted page of a session: its profile and the available platforms. */
export interface ConnectPageView {
  readonly session: ConnectSession;
  readonly workspace: Workspace;
  readonly profile: Profile;
  readonly platforms: readonly PlatformFacts[];
  /** The existing connections that this session created so far. */
  readonly connections: readonly Connection[];
  readonly reconnected: Connection | null;
  /** A login in this browser that opens several accounts, from which its owner selects. */
  readonly choice: ChoiceView | null;
}

export interface ChoiceView {
  readonly id: ConnectChoiceId;
  readonly platform: PlatformFacts;
  readonly accounts: readonly {
    readonly account: RemoteAccount;
    /** Whether the profile already has it: selecting it reconnects it. */
    readonly connected: boolean;
  }[];
  /** The maximum number of accounts to select. */
  readonly maxSelectable: number;
}

type ConnectPagePorts = Pick<
  Ports,
  | 'connectSessions'
  | 'connections'
  | 'workspaces'
  | 'profiles'
  | 'platformApps'
  | 'manifests'
  | 'tokens'
  | 'clock'
>;

/**
 * Finds the session by the token in the URL. Reading changes nothing: link previews and scanners open URLs
 * too.
 */
export async function openConnect(
  ports: ConnectPagePorts,
  token: string,
  browser: string | null,
): Promise<Result<ConnectPageView, 'connect_session.not_found'>> {
  const session = await ports.connectSessions.findByToken(ports.tokens.digest(token));
  if (!session) return notFound('connect_session');
  const { workspaceId } = session;
  const [workspace, profile, serving, reconnected, ...connections] = await Promise.all([
    ports.workspaces.find(workspaceId),
    ports.profiles.find(workspaceId, session.profileId),
    getAppAvailability(ports, workspaceId, session.profileId),
    session.reconnects && ports.connections.find(workspaceId, session.reconnects),
    ...session.connectionIds.map((id) => ports.connections.find(workspaceId, id)),
  ]);
  if (!workspace || !profile) return notFound('connect_session');
  const platforms = session.platforms.flatMap((id) => {
    const manifest = ports.manifests.find(id);
    return manifest ? [buildPlatformFacts(ports.manifests, manifest, serving)] : [];
  });
  return ok({
    session: applyExpiry(session, ports.clock.now()),
    workspace,
    profile,
    platforms,
    connections: connections.filter((connection) => connection !== null),
    reconnected,
    choice: browser === null ? null : await findChoice(ports, session, browser, serving),
  });
}

async function findChoice(
  ports: ConnectPagePorts,
  session: ConnectSession,
  browser: string,
  serving: AppAvailability,
): Promise<ChoiceView | null> {
  const { workspaceId, profileId } = session;
  const choice = await ports.connectSessions.findChoice(
    workspaceId,
    session.id,
    ports.tokens.digest(browser),
  );
  const manifest = choice && ports.manifests.find(choice.platform);
  if (!manifest) return null;
  // One query for all of them: a login may open hundreds.
  const filter = { reach: null, profileId, platforms: [manifest.id] };
  const connections = await ports.connections.listAll(workspaceId, filter);
  const onServer = connections.filter(({ accountServer }) => accountServer === choice.accountServer);
  const known = new Set(onServer.map(({ account }) => account.id));
  const accounts = choice.accounts.map((account) => ({ account, connected: known.has(account.id) }));
  const platform = buildPlatformFacts(ports.manifests, manifest, serving);
  return { id: choice.id, platform, accounts, maxSelectable: remainingConnections(session) };
}

/** The call with which the hosted pages act. */
export const connectPageCall = (
  { workspaceId }: ConnectSession,
  requestId: string,
  signal: AbortSignal,
): Call => systemCall('connect_page', 'hosted_page', { workspaceId, requestId, signal });

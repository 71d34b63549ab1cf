import type { Call } from '../call.js';
import { actorName } from '../call.js';
import { refuse } from '../failure.js';
import type { ConnectWay, Grant, Manifest, PlatformFailureCode, Ports, Tx } from '../ports/index.js';
import { ok, type Result } from '../result.js';
import type { ConnectSession } from './connect-session.js';
import type { Connection, RemoteAccount } from './connection.js';
import { credentialBinding } from './credential.js';

export type EstablishPorts = Pick<
  Ports,
  'authorizers' | 'platforms' | 'transactions' | 'vault' | 'ids' | 'clock' | 'connections'
>;

export type EstablishFailureCode =
  | PlatformFailureCode
  | 'platform.not_found'
  | 'connect.wrong_account'
  | 'connect.nothing_to_choose'
  | 'connect_session.not_found'
  | 'vault.unavailable'
  | 'vault.unreadable';

export interface Establish {
  readonly session: ConnectSession;
  readonly manifest: Manifest;
  readonly way: ConnectWay;
  readonly grant: Grant;
}

/** Asks whose grant it is, seals it, and stores connection, credential, event and the session's end together. */
export async function establishConnection(
  ports: EstablishPorts,
  call: Call,
  { session, manifest, way, grant }: Establish,
): Promise<
  Result<{ readonly session: ConnectSession; readonly connection: Connection }, EstablishFailureCode>
> {
  const platform = ports.platforms.find(manifest.id);
  if (!platform) return refuse('platform.not_found', 'This platform is not installed.');
  const line = await ports.authorizers.sessionOf(manifest, way, grant, call.signal);
  if (!line.ok) return line;
  const accounts = await platform.connecting.identify(line.value);
  if (!accounts.ok) return accounts;
  const [account] = accounts.value;
  if (!account)
    return refuse('connect.nothing_to_choose', 'This login has no account that can be connected.');
  const vault = await ports.vault.unlock(session.workspaceId);
  if (!vault.ok) return vault;

  return ports.transactions.run(async (tx) => {
    const known = await tx.connections.findByAccount(
      session.workspaceId,
      session.profileId,
      manifest.id,
      account.id,
    );
    if (session.reconnects !== null && known?.id !== session.reconnects) {
      return refuse('connect.wrong_account', 'That is another account than the one to be connected again.');
    }
    const connection = known
      ? await reconnected(tx, known, account, way, grant)
      : fresh(ports, session, manifest, account, way, grant);
    if (!known) await tx.connections.insert(connection);
    const before = known ? await tx.credentials.find(session.workspaceId, connection.id) : null;
    const generation = (before?.generation ?? 0) + 1;
    const credential = {
      connectionId: connection.id,
      workspaceId: session.workspaceId,
      generation,
      sealed: vault.value.seal(credentialBinding(connection.id, generation), grant.credential),
      accessExpiresAt: grant.accessExpiresAt,
    };
    await (before ? tx.credentials.replace(credential) : tx.credentials.insert(credential));
    for (const delivery of await tx.posts.unblock(session.workspaceId, connection.id)) {
      await tx.jobs.enqueue({ name: 'deliver', workspaceId: session.workspaceId, deliveryId: delivery.id });
    }
    const ended = await tx.connectSessions.end(session.id, {
      status: 'connected',
      error: null,
      connectionIds: [connection.id],
    });
    // Somebody was quicker: the other tab's connection stands and this one is undone.
    if (!ended) return refuse('connect_session.not_found', 'This link has been used already.');
    await tx.events.append({
      workspaceId: session.workspaceId,
      type: known && known.status !== 'active' ? 'connection.restored' : 'connection.connected',
      profileId: session.profileId,
      data: {
        connection_id: connection.id,
        platform: manifest.id,
        account: account.username ?? account.name ?? account.id,
        reconnected: known !== null,
        connect_session_id: session.id,
      },
    });
    await tx.audit.append({
      workspaceId: session.workspaceId,
      actor: actorName(call),
      action: known ? 'reconnect' : 'connect',
      object: connection.id,
      outcome: 'ok',
      requestId: call.requestId,
      details: { platform: manifest.id, connect_session_id: session.id },
    });
    return ok({ session: ended, connection });
  });
}

async function reconnected(
  tx: Tx,
  known: Connection,
  account: RemoteAccount,
  way: ConnectWay,
  grant: Grant,
): Promise<Connection> {
  const changes = {
    account,
    way: way.id,
    server: grant.server,
    status: 'active',
    statusReason: null,
    grantedPermissions: grant.permissions,
    expiresAt: grant.expiresAt,
  } as const;
  return (await tx.connections.update(known.workspaceId, known.id, changes)) ?? { ...known, ...changes };
}

const fresh = (
  ports: Pick<Ports, 'ids' | 'clock'>,
  session: ConnectSession,
  manifest: Manifest,
  account: RemoteAccount,
  way: ConnectWay,
  grant: Grant,
): Connection => ({
  id: ports.ids.next('con'),
  workspaceId: session.workspaceId,
  profileId: session.profileId,
  platform: manifest.id,
  kind: manifest.kind,
  label: null,
  externalId: session.externalId,
  metadata: session.metadata,
  status: 'active',
  statusReason: null,
  paused: false,
  account,
  server: grant.server,
  way: way.id,
  grantedPermissions: grant.permissions,
  expiresAt: grant.expiresAt,
  createdAt: ports.clock.now(),
  lastCheckedAt: ports.clock.now(),
  version: 1,
});

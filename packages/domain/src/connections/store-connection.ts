import { auditRow } from '../audit/audit-row.js';
import { type Call, actorName } from '../call.js';
import { refuse } from '../failure.js';
import type { ConnectMethod, Grant, Ports, Tx, UnlockedVault } from '../ports/index.js';
import { ok, type Result } from '../result.js';
import { accountServerOf, identityOf, isSameAccount, type AccountIdentity } from './account-identity.js';
import type { ConnectSessionId } from '../ids.js';
import type { ConnectSession } from './connect-session.js';
import type { Connection, RemoteAccount } from './connection.js';
import { credentialBinding } from './credential.js';
import type { PlatformLogin } from './read-accounts.js';
import { releaseBlocked } from './release-blocked.js';
import { updateConnectionHealth } from './update-connection-health.js';

/** Where an account is connected, and what asked for it: a connect session, or (null) an import. */
interface ConnectOrigin extends Pick<
  ConnectSession,
  'workspaceId' | 'profileId' | 'reconnects' | 'externalId' | 'metadata'
> {
  readonly id: ConnectSessionId | null;
}

/** One account to connect, with the grant that is stored for it. */
interface AccountToConnect extends PlatformLogin {
  readonly session: ConnectOrigin;
  readonly account: RemoteAccount;
}

/**
 * Stores connection, sealed credential, event and audit row in the caller's transaction, and releases the
 * blocked deliveries.
 */
export async function storeConnection(
  ports: Pick<Ports, 'ids' | 'clock'>,
  tx: Tx,
  call: Call,
  vault: UnlockedVault,
  login: AccountToConnect,
): Promise<Result<Connection, 'connection.not_found' | 'connect.wrong_account'>> {
  const { session, manifest, account, grant } = login;
  const server = accountServerOf(manifest, grant.server);
  const found = await findExistingConnection(tx, session, { platform: manifest.id, server, id: account.id });
  return found.ok ? ok(await storeLogin(ports, tx, call, vault, login, found.value)) : found;
}

/**
 * The same for a known connection of the account, which is locked, or for none: if one was connected
 * concurrently, the transaction runs again.
 */
export async function storeLogin(
  ports: Pick<Ports, 'ids' | 'clock'>,
  tx: Tx,
  call: Call,
  vault: UnlockedVault,
  { session, manifest, connectMethod, account, grant }: AccountToConnect,
  known: Connection | null,
): Promise<Connection> {
  const { workspaceId } = session;
  const accountServer = accountServerOf(manifest, grant.server);
  const connection = known
    ? await reconnect(tx, ports.clock.now(), known, account, connectMethod, grant)
    : createConnection(ports, { session, manifest, connectMethod, account, grant }, accountServer);
  if (!known) await tx.connections.insert(connection);
  const before = known ? await tx.credentials.find(workspaceId, connection.id) : null;
  const generation = (before?.generation ?? 0) + 1;
  const credential = {
    connectionId: connection.id,
    workspaceId,
    generation,
    sealed: vault.seal(credentialBinding(connection.id, generation), grant.credential),
    accessExpiresAt: grant.accessExpiresAt,
  };
  await (before ? tx.credentials.replace(credential) : tx.credentials.insert(credential));
  await releaseBlocked(ports, tx, connection, actorName(call));
  await tx.events.append({
    workspaceId,
    type: known && known.status !== 'active' ? 'connection.restored' : 'connection.connected',
    profileId: connection.profileId,
    data: {
      connection_id: connection.id,
      platform: manifest.id,
      account: account.username ?? account.name ?? account.id,
      reconnected: known !== null,
      ...(session.id !== null && { connect_session_id: session.id }),
    },
  });
  const action = session.id === null ? 'importConnection' : known ? 'reconnect' : 'connect';
  await tx.audit.append(
    auditRow(call, action, connection.id, {
      platform: manifest.id,
      ...(session.id === null ? { reconnected: known !== null } : { connect_session_id: session.id }),
    }),
  );
  const by = { actor: actorName(call), requestId: call.requestId };
  return updateConnectionHealth(ports, tx, { connection, manifest }, by);
}

/**
 * The connection that this login updates: the one that the session names, in its current profile, or the
 * account's existing one.
 */
async function findExistingConnection(
  tx: Tx,
  { workspaceId, profileId, reconnects }: ConnectOrigin,
  account: AccountIdentity,
): Promise<Result<Connection | null, 'connection.not_found' | 'connect.wrong_account'>> {
  if (reconnects === null) {
    const own = await tx.connections.findByAccount(workspaceId, profileId, account);
    // Read again under the lock: if it was disconnected or moved to another profile meanwhile, it does not
    // count as existing.
    const locked = own && (await tx.connections.lock(workspaceId, own.id));
    return ok(locked?.profileId === profileId ? locked : null);
  }
  const known = await tx.connections.lock(workspaceId, reconnects);
  if (!known) {
    return refuse('connection.not_found', 'The connection was deleted in the meantime.');
  }
  return isSameAccount(identityOf(known), account)
    ? ok(known)
    : refuse('connect.wrong_account', 'The login belongs to a different account than the connection.');
}

async function reconnect(
  tx: Tx,
  now: Date,
  known: Connection,
  account: RemoteAccount,
  connectMethod: ConnectMethod,
  grant: Grant,
): Promise<Connection> {
  const changes = {
    account,
    connectMethod: connectMethod.id,
    server: grant.server,
    status: 'active',
    statusReason: null,
    grantedPermissions: grant.permissions,
    refusedPermissions: [],
    expiresAt: grant.expiresAt,
    warnedDays: null,
    appMissing: false,
    lastCheckedAt: now,
  } as const;
  return (await tx.connections.update(known.workspaceId, known.id, changes)) ?? { ...known, ...changes };
}

const createConnection = (
  ports: Pick<Ports, 'ids' | 'clock'>,
  { session, manifest, connectMethod, account, grant }: AccountToConnect,
  accountServer: string,
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
  pause: null,
  account,
  accountServer,
  server: grant.server,
  connectMethod: connectMethod.id,
  grantedPermissions: grant.permissions,
  refusedPermissions: [],
  expiresAt: grant.expiresAt,
  warnedDays: null,
  appMissing: false,
  watchOrders: false,
  createdAt: ports.clock.now(),
  lastCheckedAt: ports.clock.now(),
  version: 1,
});

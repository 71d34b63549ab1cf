import type { Call } from '../call.js';
import { refuse } from '../failure.js';
import type { PlatformFailureCode, Ports } from '../ports/index.js';
import { ok, type Result } from '../result.js';
import type { ConnectSession } from './connect-session.js';
import type { Connection } from './connection.js';
import { giveBack } from './give-back.js';
import { readAccounts, withoutCredential, type Login } from './read-accounts.js';
import { storeConnection } from './store-connection.js';

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
  | 'connection.not_found'
  | 'vault.unavailable'
  | 'vault.unreadable';

export interface Establish extends Login {
  readonly session: ConnectSession;
}

export interface Established {
  readonly session: ConnectSession;
  readonly connection: Connection;
}

/** Asks whose grant it is, and stores the connection together with the session's end, or gives the grant back. */
export async function establishConnection(
  ports: EstablishPorts,
  call: Call,
  { session, ...login }: Establish,
): Promise<Result<Established, EstablishFailureCode>> {
  const { workspaceId } = session;
  const accounts = await readAccounts(ports, call, login);
  if (!accounts.ok) return accounts;
  const [found] = accounts.value;
  if (!found) return refuse('connect.nothing_to_choose', 'This login has no account that can be connected.');
  const account = withoutCredential(found);
  const vault = await ports.vault.unlock(workspaceId);
  if (!vault.ok) return vault;

  const established = await ports.transactions.run<Established, EstablishFailureCode>(async (tx) => {
    const stored = await storeConnection(ports, tx, call, vault.value, { session, ...login, account });
    if (!stored.ok) return stored;
    const ended = await tx.connectSessions.end(session.id, {
      status: 'connected',
      error: null,
      connectionIds: [stored.value.id],
    });
    // Somebody was quicker: the other tab's connection stands and this one is undone.
    if (!ended) return refuse('connect_session.not_found', 'This link has been used already.');
    return ok({ session: ended, connection: stored.value });
  });
  if (!established.ok) {
    await giveBack(ports, {
      workspaceId,
      profileId: session.profileId,
      ...login,
      remoteAccountId: account.id,
    });
  }
  return established;
}

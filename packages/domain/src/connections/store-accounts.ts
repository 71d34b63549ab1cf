import type { Call } from '../call.js';
import { refuse } from '../failure.js';
import type { ConnectionId } from '../ids.js';
import type { ConnectMethod, Grant, Manifest, Ports, Tx } from '../ports/index.js';
import { ok, type Result } from '../result.js';
import { remainingConnections, allowsSeveralLogins, type ConnectSession } from './connect-session.js';
import type { RemoteAccount } from './connection.js';
import { storeConnection } from './store-connection.js';

export type StoreAccountsFailureCode =
  | 'connect.wrong_account'
  | 'connect.choice_invalid'
  | 'connect_session.not_found'
  | 'connection.not_found'
  | 'vault.unavailable'
  | 'vault.unreadable';

/**
 * A successful login: the session has ended, continues, or waits for a selection among the login's accounts.
 */
export interface ConnectStep {
  readonly kind: 'ended' | 'continues' | 'choose';
  readonly session: ConnectSession;
}

interface StoreAccounts {
  readonly session: ConnectSession;
  readonly manifest: Manifest;
  readonly connectMethod: ConnectMethod;
  readonly chosen: readonly { readonly account: RemoteAccount; readonly grant: Grant }[];
}

/** A visitor who connects no further account has finished after this time. */
const FINISH_MS = 300_000;

/** Stores the accounts and the resulting session state in one transaction; `first` is part of it. */
export async function storeAccounts(
  ports: Pick<Ports, 'transactions' | 'vault' | 'ids' | 'clock'>,
  call: Call,
  { session: { id, workspaceId }, manifest, connectMethod, chosen }: StoreAccounts,
  precondition: (tx: Tx) => Promise<Result<unknown, 'connect_session.not_found'>> = async () => ok(),
): Promise<Result<ConnectStep, StoreAccountsFailureCode>> {
  const vault = await ports.vault.unlock(workspaceId);
  if (!vault.ok) return vault;
  return ports.transactions.run<ConnectStep, StoreAccountsFailureCode>(async (tx) => {
    const session = await tx.connectSessions.lock(workspaceId, id);
    // Another tab was faster: its connections are kept, and this transaction rolls back.
    if (session?.status !== 'pending') return linkUsed();
    const before = await precondition(tx);
    if (!before.ok) return before;
    const ids: ConnectionId[] = [...session.connectionIds];
    for (const { account, grant } of chosen) {
      const stored = await storeConnection(ports, tx, call, vault.value, {
        session,
        manifest,
        connectMethod,
        account,
        grant,
      });
      if (!stored.ok) return stored;
      if (!ids.includes(stored.value.id)) ids.push(stored.value.id);
    }
    const room = remainingConnections(session);
    if (ids.length - session.connectionIds.length > room) {
      return refuse('connect.choice_invalid', `Select at most ${room}.`, { details: { at_most: room } });
    }
    const continues =
      allowsSeveralLogins(session) && remainingConnections({ ...session, connectionIds: ids }) > 0;
    const updated = continues
      ? await tx.connectSessions.extend(id, {
          connectionIds: ids,
          expiresAt: ports.clock.after(FINISH_MS),
        })
      : await tx.connectSessions.end(id, { status: 'connected', error: null, connectionIds: ids });
    return updated ? ok({ kind: continues ? 'continues' : 'ended', session: updated }) : linkUsed();
  });
}

const linkUsed = () => refuse('connect_session.not_found', 'This link has already been used.');

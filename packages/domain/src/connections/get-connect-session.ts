import { reaches, type Call } from '../call.js';
import { notFound } from '../failure.js';
import { parseId } from '../ids.js';
import type { ReadPorts } from '../ports/index.js';
import { ok, type Result } from '../result.js';
import type { ConnectSession } from './connect-session.js';

interface GetConnectSession {
  readonly id: string;
}

/** Returns an expired pending session as expired, whether or not it was opened since. */
export async function getConnectSession(
  ports: Pick<ReadPorts, 'connectSessions' | 'clock'>,
  call: Call,
  { id }: GetConnectSession,
): Promise<Result<ConnectSession, 'connect_session.not_found'>> {
  const known = parseId('cns', id);
  const session = known && (await ports.connectSessions.find(call.workspaceId, known));
  if (!session || !reaches(call, session.profileId)) return notFound('connect_session');
  return ok(applyExpiry(session, ports.clock.now()));
}

/** Expiry ends the link, but not the accounts that were connected with it. */
export function applyExpiry(session: ConnectSession, now: Date): ConnectSession {
  if (session.status !== 'pending' || session.expiresAt > now) return session;
  return session.connectionIds.length > 0
    ? { ...session, status: 'connected' }
    : {
        ...session,
        status: 'expired',
        error: { code: 'expired', message: 'The link has expired.' },
      };
}

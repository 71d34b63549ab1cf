import { reaches, type Call } from '../call.js';
import { notFound } from '../failure.js';
import { parseId } from '../ids.js';
import type { Connections } from '../ports/connections.js';
import { ok, type Result } from '../result.js';
import type { Connection } from './connection.js';

/**
 * The connection that a caller names, if the key reaches its profile. Malformed, missing, foreign and
 * unreachable ids get the same refusal.
 */
export async function findReachableConnection(
  ports: { readonly connections: Pick<Connections, 'find'> },
  call: Call,
  text: string,
): Promise<Result<Connection, 'connection.not_found'>> {
  const id = parseId('con', text);
  const connection = id && (await ports.connections.find(call.workspaceId, id));
  return connection && reaches(call, connection.profileId) ? ok(connection) : notFound('connection');
}

/** The same, locked for a change: reachability is checked under the lock. */
export const lockReachableConnection = (
  { connections }: { readonly connections: Pick<Connections, 'lock'> },
  call: Call,
  text: string,
): Promise<Result<Connection, 'connection.not_found'>> =>
  findReachableConnection({ connections: { find: (...of) => connections.lock(...of) } }, call, text);

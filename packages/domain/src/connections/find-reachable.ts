import { reaches, type Call } from '../call.js';
import { notFound } from '../failure.js';
import { parseId } from '../ids.js';
import type { Connections } from '../ports/connections.js';
import { ok, type Result } from '../result.js';
import type { Connection } from './connection.js';

/** The connection that a caller names, if the key reaches its profile. Malformed, missing, foreign and out of reach are one answer. */
export async function findReachableConnection(
  ports: { readonly connections: Pick<Connections, 'find'> },
  call: Call,
  text: string,
): Promise<Result<Connection, 'connection.not_found'>> {
  const id = parseId('con', text);
  const connection = id && (await ports.connections.find(call.workspaceId, id));
  return connection && reaches(call, connection.profileId) ? ok(connection) : notFound('connection');
}

/** The same, to be changed: it is judged as it stands when nobody else changes it any more. */
export const lockReachableConnection = (
  { connections }: { readonly connections: Pick<Connections, 'lock'> },
  call: Call,
  text: string,
): Promise<Result<Connection, 'connection.not_found'>> =>
  findReachableConnection({ connections: { find: (...of) => connections.lock(...of) } }, call, text);

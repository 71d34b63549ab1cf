import { reachOf, reaches, type Call } from '../call.js';
import type { Connection } from '../connections/connection.js';
import { notFound } from '../failure.js';
import { parseId } from '../ids.js';
import type { ReadPorts } from '../ports/index.js';
import { ok, type Result } from '../result.js';
import type { Refund } from './refund.js';

/** A refund, if the caller's key reaches the profile of its connection. */
export async function findReachableRefund(
  ports: Pick<ReadPorts, 'connections' | 'refunds'>,
  call: Call,
  text: string,
): Promise<Result<{ readonly refund: Refund; readonly connection: Connection | null }, 'refund.not_found'>> {
  const id = parseId('rfd', text);
  const refund = id && (await ports.refunds.find(call.workspaceId, id));
  if (!refund) return notFound('refund');
  const connection = await ports.connections.find(call.workspaceId, refund.connectionId);
  const visible = connection ? reaches(call, connection.profileId) : reachOf(call) === null;
  return visible ? ok({ refund, connection }) : notFound('refund');
}

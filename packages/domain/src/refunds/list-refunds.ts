import { reachOf, reaches, type Call } from '../call.js';
import { notFound } from '../failure.js';
import { parseId } from '../ids.js';
import { findOrderConnection } from '../orders/read-order.js';
import type { Page } from '../page.js';
import { readPage, type PageCommand } from '../paging.js';
import type { ReadPorts, RefundFilter } from '../ports/index.js';
import { findReachableProfile } from '../profiles/find-reachable.js';
import { ok, type Result } from '../result.js';
import type { Refund, RefundStatus } from './refund.js';

export interface ListRefundsCommand
  extends PageCommand, Pick<RefundFilter, 'createdAfter' | 'createdBefore'> {
  readonly orderId?: string | undefined;
  readonly connectionId?: string | undefined;
  readonly profileId?: string | undefined;
  readonly status?: readonly RefundStatus[] | undefined;
}

type ListRefundsFailure =
  | 'order.not_found'
  | 'connection.not_found'
  | 'profile.not_found'
  | 'request.invalid_cursor';

/** Refunds that were created through this service, newest first. */
export async function listRefunds(
  ports: Pick<ReadPorts, 'connections' | 'cursors' | 'profiles' | 'refunds'>,
  call: Call,
  command: ListRefundsCommand,
): Promise<Result<Page<Refund>, ListRefundsFailure>> {
  const { orderId, connectionId, profileId, limit, cursor, ...rest } = command;
  const order = orderId === undefined ? ok(null) : await findOrderConnection(ports, call, orderId);
  if (!order.ok) return order;
  const profile = profileId === undefined ? ok(null) : await findReachableProfile(ports, call, profileId);
  if (!profile.ok) return profile;
  const named = connectionId === undefined ? null : parseId('con', connectionId);
  const connection = named && (await ports.connections.find(call.workspaceId, named));
  if (connectionId !== undefined && !(connection && reaches(call, connection.profileId)))
    return notFound('connection');
  // An order belongs to one connection; combined with another one, the list is empty.
  const elsewhere = order.value && connection && order.value.connectionId !== connection.id;
  if (elsewhere) return ok({ items: [], nextCursor: null });

  const filter = {
    reach: reachOf(call),
    connectionId: order.value?.connectionId ?? connection?.id,
    orderExternalId: order.value?.externalId,
    profileId: profile.value?.id,
    statuses: rest.status,
    createdAfter: rest.createdAfter,
    createdBefore: rest.createdBefore,
  };
  return readPage(ports, call, 'refunds', JSON.stringify(filter), { limit, cursor }, (page) =>
    ports.refunds.list(call.workspaceId, filter, page),
  );
}

import { reaches, reachOf, type Call } from '../call.js';
import type { Connection } from '../connections/connection.js';
import { notFound } from '../failure.js';
import { parseId } from '../ids.js';
import type { Ports } from '../ports/index.js';
import { ok, type Result } from '../result.js';
import type { ListOrdersCommand } from './list-orders.js';

/**
 * The stores that a list covers, oldest connection first. A connection or profile that the caller names and
 * cannot reach is not found.
 */
export async function findOrderSources(
  ports: Pick<Ports, 'connections' | 'manifests' | 'platforms' | 'profiles'>,
  call: Call,
  {
    profileId,
    connectionId,
    platform: platforms,
  }: Pick<ListOrdersCommand, 'profileId' | 'connectionId' | 'platform'>,
): Promise<
  Result<readonly Connection[], 'profile.not_found' | 'connection.not_found' | 'platform.not_found'>
> {
  if (platforms?.some((id) => ports.manifests.find(id) === null)) return notFound('platform');

  const profile = profileId === undefined ? undefined : parseId('prf', profileId);
  if (profile === null) return notFound('profile');
  if (profile && !(reaches(call, profile) && (await ports.profiles.find(call.workspaceId, profile)))) {
    return notFound('profile');
  }

  const id = connectionId === undefined ? undefined : parseId('con', connectionId);
  if (id === null) return notFound('connection');
  if (id) {
    const connection = await ports.connections.find(call.workspaceId, id);
    if (!connection || !reaches(call, connection.profileId)) return notFound('connection');
  }

  const connections = await ports.connections.listAll(call.workspaceId, {
    reach: reachOf(call),
    kind: 'commerce',
    profileId: profile,
    platforms,
    ids: id && [id],
  });
  return ok(connections.filter(({ platform }) => ports.platforms.find(platform)?.orders !== undefined));
}

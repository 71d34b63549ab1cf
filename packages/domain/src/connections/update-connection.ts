import type { Call } from '../call.js';
import type { AtomicPorts } from '../ports/index.js';
import { findReachableProfile } from '../profiles/find-reachable.js';
import type { Metadata } from '../profiles/profile.js';
import { ok, type Result } from '../result.js';
import { isStale, stale } from '../version.js';
import { findReachableConnection } from './find-reachable.js';
import { withScheduled, type ConnectionView } from './list-connections.js';

export interface UpdateConnection {
  readonly id: string;
  readonly profileId?: string | undefined;
  readonly label?: string | null | undefined;
  readonly externalId?: string | null | undefined;
  readonly metadata?: Metadata | undefined;
}

export async function updateConnection(
  ports: Pick<AtomicPorts, 'connections' | 'profiles'>,
  call: Call,
  { id, profileId, ...changes }: UpdateConnection,
): Promise<
  Result<ConnectionView, 'connection.not_found' | 'profile.not_found' | 'request.precondition_failed'>
> {
  const found = await findReachableConnection(ports, call, id);
  if (!found.ok) return found;
  if (isStale(call, found.value)) return stale('connection');
  const profile = profileId === undefined ? null : await findReachableProfile(ports, call, profileId);
  if (profile && !profile.ok) return profile;
  const updated = await ports.connections.update(call.workspaceId, found.value.id, {
    ...changes,
    ...(profile && { profileId: profile.value.id }),
  });
  if (!updated) return stale('connection');
  const [view] = await withScheduled(ports, call, [updated]);
  return ok(view ?? { connection: updated, scheduledPosts: 0, nextPostAt: null });
}

import { reachOf, type Call } from '../call.js';
import { notFound } from '../failure.js';
import { parseId } from '../ids.js';
import type { Page } from '../page.js';
import { readPage, type PageCommand } from '../paging.js';
import type { ReadPorts } from '../ports/index.js';
import { findReachableProfile } from '../profiles/find-reachable.js';
import type { Metadata } from '../profiles/profile.js';
import { ok, type Result } from '../result.js';
import type { Connection, ConnectionStatus, PlatformKind, RemoteAccount } from './connection.js';
import { findUnknownPlatform } from '../platforms/find-unknown-platform.js';

export interface ListConnections extends PageCommand {
  readonly profileId?: string | undefined;
  readonly platform?: readonly string[] | undefined;
  readonly kind?: PlatformKind | undefined;
  readonly status?: readonly ConnectionStatus[] | undefined;
  readonly externalId?: string | undefined;
  readonly metadata?: Metadata | undefined;
}

/**
 * Where the count of scheduled posts stops, so that listing connections does not slow down as more posts are
 * scheduled.
 */
export const SCHEDULED_POSTS_MAX = 1000;

/** What is presented of a connection. A page of connections reads nothing else of them. */
export interface PresentedConnection extends Omit<
  Connection,
  'workspaceId' | 'account' | 'accountServer' | 'server' | 'warnedDays' | 'appMissing'
> {
  readonly account: Omit<RemoteAccount, 'textLimits' | 'mediaLimits'>;
}

export interface ConnectionView {
  readonly connection: PresentedConnection;
  /** At most `SCHEDULED_POSTS_MAX`, which then means that many or more. */
  readonly scheduledPosts: number;
  readonly nextPostAt: Date | null;
}

export async function listConnections(
  ports: Pick<ReadPorts, 'connections' | 'profiles' | 'manifests' | 'cursors'>,
  call: Call,
  { limit, cursor, ...filter }: ListConnections,
): Promise<
  Result<Page<ConnectionView>, 'profile.not_found' | 'platform.not_found' | 'request.invalid_cursor'>
> {
  const { profileId, platform: platforms, kind, status: statuses, externalId, metadata } = filter;
  const unknownPlatform = findUnknownPlatform(ports.manifests, platforms ?? []);
  if (unknownPlatform) return unknownPlatform;
  if (profileId !== undefined) {
    const profile = await findReachableProfile(ports, call, profileId);
    if (!profile.ok) return profile;
  }
  const reach = reachOf(call);
  const profile = profileId === undefined ? undefined : (parseId('prf', profileId) ?? undefined);
  return readPage(ports, call, 'connections', { reach, ...filter }, { limit, cursor }, (rows) =>
    ports.connections.list(
      call.workspaceId,
      { reach, profileId: profile, platforms, kind, statuses, externalId, metadata },
      rows,
    ),
  );
}

/** One connection as a list shows it, if the key reaches its profile. */
export async function findConnectionView(
  { connections }: Pick<ReadPorts, 'connections'>,
  call: Call,
  text: string,
): Promise<Result<ConnectionView, 'connection.not_found'>> {
  const id = parseId('con', text);
  if (!id) return notFound('connection');
  const { items } = await connections.list(
    call.workspaceId,
    { reach: reachOf(call), ids: [id] },
    { limit: 1 },
  );
  return items[0] ? ok(items[0]) : notFound('connection');
}

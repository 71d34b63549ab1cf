import { reachOf, type Call } from '../call.js';

import { findReachableConnection } from '../connections/find-reachable.js';
import type { ConnectionId, ProfileId } from '../ids.js';
import type { Page } from '../page.js';
import { readPage, type PageCommand } from '../paging.js';
import type { ReadPorts } from '../ports/index.js';
import type { PostFilter } from '../ports/posts.js';
import { findReachableProfile } from '../profiles/find-reachable.js';
import type { Result } from '../result.js';
import type { Post, PostStatus } from './post.js';
import { findUnknownPlatform } from '../platforms/find-unknown-platform.js';

interface ListPosts
  extends PageCommand, Omit<PostFilter, 'reach' | 'profileId' | 'connectionId' | 'platforms' | 'statuses'> {
  readonly profileId?: string | undefined;
  readonly connectionId?: string | undefined;
  readonly platform?: readonly string[] | undefined;
  readonly status?: readonly PostStatus[] | undefined;
}

export async function listPosts(
  ports: Pick<ReadPorts, 'posts' | 'profiles' | 'connections' | 'manifests' | 'cursors'>,
  call: Call,
  { limit, cursor, ...command }: ListPosts,
): Promise<
  Result<
    Page<Post>,
    'profile.not_found' | 'connection.not_found' | 'platform.not_found' | 'request.invalid_cursor'
  >
> {
  const unknownPlatform = findUnknownPlatform(ports.manifests, command.platform ?? []);
  if (unknownPlatform) return unknownPlatform;
  let profileId: ProfileId | undefined;
  let connectionId: ConnectionId | undefined;
  if (command.profileId !== undefined) {
    const profile = await findReachableProfile(ports, call, command.profileId);
    if (!profile.ok) return profile;
    profileId = profile.value.id;
  }
  if (command.connectionId !== undefined) {
    const connection = await findReachableConnection(ports, call, command.connectionId);
    if (!connection.ok) return connection;
    connectionId = connection.value.id;
  }
  const reach = reachOf(call);
  const { status: statuses, platform: platforms, ...filter } = command;
  return readPage(ports, call, 'posts', { reach, ...command }, { limit, cursor }, (page) =>
    ports.posts.list(
      call.workspaceId,
      { ...filter, reach, profileId, connectionId, platforms, statuses },
      page,
    ),
  );
}

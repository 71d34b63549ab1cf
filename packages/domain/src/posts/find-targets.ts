import { reachOf, type Call } from '../call.js';
import type { Connection } from '../connections/connection.js';
import { notFound, refuse } from '../failure.js';
import { nextCall } from '../next-call.js';
import { parseId } from '../ids.js';
import type { ReadPorts } from '../ports/index.js';
import { findReachableProfile } from '../profiles/find-reachable.js';
import type { Profile } from '../profiles/profile.js';
import { ok, type Result } from '../result.js';
import type { DraftPost, DraftTarget } from './draft-post.js';
import type { Post } from './post.js';

/**
 * The profile, its targets, and the connections that "all" skips. `target` contains the caller's settings for
 * this connection.
 */
export interface PostTargets {
  readonly profile: Profile;
  readonly targets: readonly { readonly connection: Connection; readonly target: DraftTarget }[];
  readonly skipped: Post['skipped'];
}

export type TargetFailureCode =
  | 'profile.not_found'
  | 'connection.not_found'
  | 'platform.not_found'
  | 'post.profile_required'
  | 'post.target_ambiguous'
  | 'post.no_targets'
  | 'request.invalid';

export async function findTargets(
  ports: Pick<ReadPorts, 'profiles' | 'connections' | 'manifests'>,
  call: Call,
  draft: DraftPost,
): Promise<Result<PostTargets, TargetFailureCode>> {
  const owner = await findPostingProfile(ports, call, draft);
  if (!owner.ok) return owner;
  const profile = owner.value;
  const connections = await ports.connections.listAll(call.workspaceId, {
    reach: reachOf(call),
    profileId: profile.id,
  });
  const requested = draft.targets ?? 'all';
  if (requested === 'all') {
    return selectAll(
      ports,
      profile,
      connections.filter(({ kind }) => kind === 'social'),
    );
  }

  const chosen: PostTargets['targets'][number][] = [];
  for (const [index, target] of requested.entries()) {
    const connection = selectConnection(ports, profile, connections, target, index);
    if (!connection.ok) return connection;
    if (chosen.some((one) => one.connection.id === connection.value.id)) {
      return invalid(index, 'this connection is named twice');
    }
    chosen.push({ connection: connection.value, target });
  }
  return chosen.length > 0 ? ok({ profile, targets: chosen, skipped: [] }) : noTargets(profile);
}

/** Every usable connection, but never sandbox ones next to real ones. */
function selectAll(
  ports: Pick<ReadPorts, 'manifests'>,
  profile: Profile,
  social: readonly Connection[],
): Result<PostTargets, 'post.no_targets'> {
  const isSandbox = ({ platform }: Connection) => ports.manifests.find(platform)?.sandbox ?? false;
  const usable = social.filter(({ status }) => status !== 'needs_reauth');
  const real = usable.filter((connection) => !isSandbox(connection));
  const selected = real.length > 0 ? real : usable;
  if (selected.length === 0) return noTargets(profile, social[0]);
  const skipped = social
    .filter((connection) => !selected.includes(connection))
    .map(({ id, platform, status }) => ({ connectionId: id, platform, status }));
  return ok({ profile, targets: selected.map((connection) => ({ connection, target: {} })), skipped });
}

function selectConnection(
  ports: Pick<ReadPorts, 'manifests'>,
  profile: Profile,
  connections: readonly Connection[],
  { connectionId, platform }: DraftTarget,
  index: number,
): Result<Connection, TargetFailureCode> {
  if ((connectionId === undefined) === (platform === undefined)) {
    return invalid(index, 'requires either a connection_id or a platform');
  }
  if (connectionId !== undefined) {
    const id = parseId('con', connectionId);
    const connection = connections.find((one) => one.id === id);
    return connection ? ok(connection) : notFound('connection');
  }
  const manifest = platform === undefined ? null : ports.manifests.find(platform);
  if (!manifest) return notFound('platform');
  const fitting = connections.filter((one) => one.platform === manifest.id);
  const [only, ...others] = fitting;
  if (!only) {
    return refuse(
      'post.no_targets',
      `The profile has no connection of ${manifest.name}. Connect an account first.`,
      { next: nextCall.startConnect({ profile_id: profile.id, platform: manifest.id }) },
    );
  }
  if (others.length === 0) return ok(only);
  return refuse(
    'post.target_ambiguous',
    `The profile has several connections of ${only.platform}. Select one with connection_id.`,
    {
      candidates: fitting.map(({ id, account }) => ({
        connection_id: id,
        account: account.username ?? account.name,
      })),
      next: nextCall.listConnections({ profile_id: profile.id, platform: [only.platform] }),
    },
  );
}

/** May be omitted only when the key reaches exactly one profile. */
export async function findPostingProfile(
  ports: Pick<ReadPorts, 'profiles'>,
  call: Call,
  { profileId }: DraftPost,
): Promise<Result<Profile, 'profile.not_found' | 'post.profile_required'>> {
  if (profileId !== undefined) return findReachableProfile(ports, call, profileId);
  const { items } = await ports.profiles.list(call.workspaceId, reachOf(call), { limit: 10 });
  const [only, ...others] = items;
  if (only && others.length === 0) return ok(only);
  return refuse(
    'post.profile_required',
    'Send profile_id: the key does not have access to exactly one profile.',
    {
      candidates: items.map(({ id, name }) => ({ profile_id: id, name })),
      next: nextCall.listProfiles(),
    },
  );
}

const noTargets = (profile: Profile, unusable?: Connection) =>
  unusable
    ? refuse('post.no_targets', 'All social accounts of the profile must be reconnected first.', {
        next: nextCall.startConnect({ connection_id: unusable.id }),
      })
    : refuse(
        'post.no_targets',
        'The profile has no social connection that supports publishing. Connect an account first.',
        { next: nextCall.startConnect({ profile_id: profile.id }) },
      );

const invalid = (index: number, message: string) =>
  refuse('request.invalid', `targets.${index}: ${message}.`, {
    problems: [{ path: `targets.${index}`, code: 'field.invalid', message }],
  });

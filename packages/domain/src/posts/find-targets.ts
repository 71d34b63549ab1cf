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
import { findUnknownPlatform } from '../platforms/find-unknown-platform.js';

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
  const requested = draft.targets ?? 'all';
  const named = await listNamedConnections(ports, call, draft);
  const owner = await selectProfile(ports, call, draft, named);
  if (!owner.ok) return owner;
  const profile = owner.value;
  const isNamed = requested !== 'all' && requested.every(({ platform }) => platform === undefined);
  const connections = isNamed
    ? named.filter(({ profileId }) => profileId === profile.id)
    : await ports.connections.listAll(call.workspaceId, { reach: reachOf(call), profileId: profile.id });
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
  if (!manifest) return findUnknownPlatform(ports.manifests, [platform ?? '']) ?? notFound('platform');
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

/**
 * The profile of a post. It may be omitted when the targets name connections of one profile, or when the key
 * reaches exactly one.
 */
export const findPostingProfile = async (
  ports: Pick<ReadPorts, 'profiles' | 'connections'>,
  call: Call,
  draft: DraftPost,
): Promise<Result<Profile, ProfileFailureCode>> =>
  selectProfile(ports, call, draft, await listNamedConnections(ports, call, draft));

export type ProfileFailureCode = 'profile.not_found' | 'connection.not_found' | 'post.profile_required';

const idsOf = ({ targets = 'all' }: DraftPost): readonly string[] =>
  targets === 'all' ? [] : targets.flatMap(({ connectionId }) => connectionId ?? []);

/** The connections that the targets name, in every profile that the call reaches. */
async function listNamedConnections(
  ports: Pick<ReadPorts, 'connections'>,
  call: Call,
  draft: DraftPost,
): Promise<readonly Connection[]> {
  const ids = idsOf(draft).flatMap((id) => parseId('con', id) ?? []);
  return ids.length === 0 ? [] : ports.connections.listAll(call.workspaceId, { reach: reachOf(call), ids });
}

async function selectProfile(
  ports: Pick<ReadPorts, 'profiles'>,
  call: Call,
  draft: DraftPost,
  named: readonly Connection[],
): Promise<Result<Profile, ProfileFailureCode>> {
  if (draft.profileId !== undefined) return findReachableProfile(ports, call, draft.profileId);
  if (idsOf(draft).some((id) => !named.some((connection) => connection.id === id))) {
    return notFound('connection');
  }
  const owners = [...new Set(named.map(({ profileId }) => profileId))];
  const reach = owners.length > 0 ? owners : reachOf(call);
  const { items } = await ports.profiles.list(call.workspaceId, { reach }, { limit: 10 });
  const [only, ...others] = items;
  if (only && others.length === 0) return ok(only);
  return refuse(
    'post.profile_required',
    owners.length > 0
      ? 'The targets belong to several profiles: send one post for each profile.'
      : 'Send profile_id, or targets with a connection_id: the key does not have access to exactly one profile.',
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

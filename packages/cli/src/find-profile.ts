import { ok, refuse, type Result, type WorkspaceId } from '@switchboard/domain';
import type { Profile } from '@switchboard/domain/profiles';
import { usageError } from './command-result.js';
import type { CommandContext } from './with-service.js';

/** All profiles of a workspace, newest first. */
export async function listAllProfiles(
  { service: { ports } }: CommandContext,
  workspaceId: WorkspaceId,
): Promise<readonly Profile[]> {
  const all: Profile[] = [];
  for (let after: string | undefined; ;) {
    const { items, next } = await ports.profiles.list(workspaceId, { reach: null }, { limit: 100, after });
    all.push(...items);
    if (next === undefined) return all;
    after = next;
  }
}

/**
 * By id, name or external id; without a reference, the only profile. When several match, the caller must name
 * one.
 */
export async function findProfile(
  context: CommandContext,
  workspaceId: WorkspaceId,
  profileRef: string | undefined,
): Promise<Result<Profile>> {
  const profiles = await listAllProfiles(context, workspaceId);
  const matches =
    profileRef === undefined
      ? profiles
      : profiles.filter(({ id, name, externalId }) => [id, name, externalId].includes(profileRef));
  const [only, ...others] = matches;
  if (!only)
    return refuse('profile.not_found', `Profile ${JSON.stringify(profileRef)} not found in this workspace.`);
  const names = matches.slice(0, 10).map(({ id, name }) => `${name} (${id})`);
  return others.length === 0
    ? ok(only)
    : usageError(`Name one of the profiles with --profile: ${names.join(', ')}.`);
}

import { reaches, type Call } from '../call.js';
import { notFound } from '../failure.js';
import { parseId } from '../ids.js';
import type { ReadMethods } from '../ports/index.js';
import type { Profiles } from '../ports/profiles.js';
import { ok, type Result } from '../result.js';
import type { Profile } from './profile.js';

/**
 * The profile that a caller names, if its key reaches it. Malformed, missing, foreign and unreachable ids get
 * the same refusal.
 */
export async function findReachableProfile(
  ports: { readonly profiles: Pick<ReadMethods<Profiles>, 'find'> },
  call: Call,
  text: string,
): Promise<Result<Profile, 'profile.not_found'>> {
  const id = parseId('prf', text);
  const profile = id && reaches(call, id) ? await ports.profiles.find(call.workspaceId, id) : null;
  return profile ? ok(profile) : notFound('profile');
}

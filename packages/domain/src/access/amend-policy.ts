import { notFound } from '../failure.js';
import { parseId, type ProfileId } from '../ids.js';
import { ok, type Result } from '../result.js';
import type { KeyPolicy } from './policy.js';

/** A caller's changes to a policy: an omitted field stays unchanged, null removes a limit. */
export type PolicyChanges = {
  readonly [Name in Exclude<keyof KeyPolicy, 'profileIds'>]?: KeyPolicy[Name] | undefined;
} & { readonly profileIds?: readonly string[] | null | undefined };

/** Applies the requested changes to `before`. A malformed profile id matches no profile. */
export function amendPolicy(
  before: KeyPolicy,
  changes: PolicyChanges = {},
): Result<KeyPolicy, 'profile.not_found'> {
  const { profileIds: profileIdTexts, ...rest } = changes;
  const profileIds: ProfileId[] = [];
  for (const text of profileIdTexts ?? []) {
    const id = parseId('prf', text);
    if (!id) return notFound('profile');
    profileIds.push(id);
  }
  const definedChanges = Object.fromEntries(
    Object.entries(rest).filter(([, value]) => value !== undefined),
  ) as Partial<KeyPolicy>;
  const reach = profileIdTexts === undefined ? before.profileIds : profileIdTexts && profileIds;
  return ok({ ...before, ...definedChanges, profileIds: reach });
}

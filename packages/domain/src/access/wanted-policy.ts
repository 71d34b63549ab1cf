import { notFound } from '../failure.js';
import { parseId, type ProfileId } from '../ids.js';
import { ok, type Result } from '../result.js';
import type { Policy } from './policy.js';

/** What a caller says of a policy: what it leaves out stays as it is, null takes a limit away. */
export type WantedPolicy = {
  readonly [Name in Exclude<keyof Policy, 'profileIds'>]?: Policy[Name] | undefined;
} & { readonly profileIds?: readonly string[] | null | undefined };

/** `before` with what is wanted in place of it. An id that is none names no profile. */
export function amendPolicy(before: Policy, wanted: WantedPolicy = {}): Result<Policy, 'profile.not_found'> {
  const { profileIds: texts, ...rest } = wanted;
  const profileIds: ProfileId[] = [];
  for (const text of texts ?? []) {
    const id = parseId('prf', text);
    if (!id) return notFound('profile');
    profileIds.push(id);
  }
  const said = Object.fromEntries(
    Object.entries(rest).filter(([, value]) => value !== undefined),
  ) as Partial<Policy>;
  const reach = texts === undefined ? before.profileIds : texts && profileIds;
  return ok({ ...before, ...said, profileIds: reach });
}

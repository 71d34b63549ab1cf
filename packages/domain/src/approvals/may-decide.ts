import { chargedLineages, type ApiKey } from '../access/api-key.js';
import type { Approval } from './approval.js';

/**
 * Whether a key of these lineages (its own and its ancestors') took no part in the request: neither it nor a key that
 * it descends from.
 */
export const isIndependent = (
  { requesters }: Pick<Approval, 'requesters'>,
  lineages: readonly string[],
): boolean => !lineages.some((lineage) => requesters.includes(lineage));

/** Whether a key may decide: it holds the scope, reaches the profile, and took no part in the request. */
export const mayDecide = (approval: Approval, key: ApiKey): boolean =>
  key.scopes.includes('approvals:write') &&
  reachesApproval(approval, key) &&
  isIndependent(approval, chargedLineages(key));

/** Whether a key that is restricted to profiles reaches the profile of an approval. */
export const reachesApproval = (
  { profileId }: Pick<Approval, 'profileId'>,
  { policy: { profileIds } }: Pick<ApiKey, 'policy'>,
): boolean => profileIds === null || (profileId !== null && profileIds.includes(profileId));

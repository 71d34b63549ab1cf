import type { ApiKey } from './api-key.js';
import { containsCidr } from './cidr.js';

/** Why an existing key is rejected: for the audit row only, never returned to the caller. */
export type KeyRejection = 'expired' | 'revoked' | 'elsewhere';

/** Null for a key that may be used now, from this address. */
export function findKeyRejection(
  key: Pick<ApiKey, 'revokedAt' | 'policy'>,
  now: Date,
  address: string | undefined,
): KeyRejection | null {
  if (key.revokedAt !== null) return 'revoked';
  if (!isUsable(key, now)) return 'expired';
  const { allowedCidrs } = key.policy;
  const isAllowed =
    allowedCidrs === null ||
    allowedCidrs.some((cidr) => address !== undefined && containsCidr(cidr, address));
  return isAllowed ? null : 'elsewhere';
}

/** Whether a key is neither revoked nor expired. */
export const isUsable = ({ revokedAt, policy }: Pick<ApiKey, 'revokedAt' | 'policy'>, now: Date): boolean =>
  revokedAt === null && (policy.expiresAt === null || policy.expiresAt > now);

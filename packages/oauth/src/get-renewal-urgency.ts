import { renewalLeadMs } from '@switchboard/domain/connections';
import type { AuthenticatedTransport } from './auth-scheme.js';

/**
 * How soon a credential needs a new token: early enough before its expiry that one failed renewal has no
 * effect.
 */
export function getRenewalUrgency(
  { obtainedAt, accessExpiresAt, isRenewable }: AuthenticatedTransport,
  now: Date,
): 'no' | 'soon' | 'ended' {
  if (accessExpiresAt === null) return 'no';
  const remainingMs = accessExpiresAt.getTime() - now.getTime();
  if (remainingMs <= 0) return 'ended';
  if (!isRenewable) return 'no';
  return remainingMs <= renewalLeadMs(accessExpiresAt.getTime() - obtainedAt.getTime()) ? 'soon' : 'no';
}

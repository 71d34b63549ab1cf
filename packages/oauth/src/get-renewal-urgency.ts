import { renewalLeadMs } from '@switchboard/domain';
import type { AuthenticatedTransport } from './auth-scheme.js';

/** How soon a login needs a new token: in good time before its end, so that a renewal that fails once costs nothing. */
export function getRenewalUrgency(
  { obtainedAt, accessExpiresAt, isRenewable: renewable }: AuthenticatedTransport,
  now: Date,
): 'no' | 'soon' | 'ended' {
  if (accessExpiresAt === null) return 'no';
  const remainingMs = accessExpiresAt.getTime() - now.getTime();
  if (remainingMs <= 0) return 'ended';
  if (!renewable) return 'no';
  return remainingMs <= renewalLeadMs(accessExpiresAt.getTime() - obtainedAt.getTime()) ? 'soon' : 'no';
}

import { renewedAheadMs } from '@switchboard/domain';
import type { Line } from './scheme.js';

/** How soon a login needs a new token: in good time before its end, so that a renewal that fails once costs nothing. */
export function dueOf({ obtainedAt, accessExpiresAt, renewable }: Line, now: Date): 'no' | 'soon' | 'ended' {
  if (accessExpiresAt === null) return 'no';
  const leftMs = accessExpiresAt.getTime() - now.getTime();
  if (leftMs <= 0) return 'ended';
  if (!renewable) return 'no';
  return leftMs <= renewedAheadMs(accessExpiresAt.getTime() - obtainedAt.getTime()) ? 'soon' : 'no';
}

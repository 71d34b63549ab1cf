import type { Line } from './scheme.js';

const LEAST_MS = 30_000;
const MOST_MS = 15 * 60_000;

/** How soon a login needs a new token: in good time before its end, so that a renewal that fails once costs nothing. */
export function dueOf({ obtainedAt, accessExpiresAt, renewable }: Line, now: Date): 'no' | 'soon' | 'ended' {
  if (accessExpiresAt === null) return 'no';
  const leftMs = accessExpiresAt.getTime() - now.getTime();
  if (leftMs <= 0) return 'ended';
  if (!renewable) return 'no';
  const lifetimeMs = accessExpiresAt.getTime() - obtainedAt.getTime();
  const aheadMs = Math.min(Math.max(lifetimeMs / 10, LEAST_MS), MOST_MS, lifetimeMs / 2);
  return leftMs <= aheadMs ? 'soon' : 'no';
}

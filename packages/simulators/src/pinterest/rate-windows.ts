import type { WireResponse } from '../wire/exchange.js';
import { problem } from './problems.js';

export type RateCategory = 'org_read' | 'org_write';
export type RateLimits = Readonly<Record<RateCategory, number>>;

/**
 * For an app with standard access, per minute and account
 * (developers.pinterest.com/docs/reference/rate-limits).
 */
export const STANDARD_LIMITS: RateLimits = { org_read: 1_000, org_write: 100 };
const WINDOW_MS = 60_000;

/** Counts each account's requests per minute by category, and reports the limits in every response. */
export function rateWindows(now: () => Date, limits: RateLimits) {
  const windows = new Map<string, { used: number; endsAtMs: number }>();

  return function counted(accountId: string, category: RateCategory, then: () => WireResponse): WireResponse {
    const [key, nowMs] = [`${category} ${accountId}`, now().getTime()];
    const known = windows.get(key);
    const window = known && known.endsAtMs > nowMs ? known : { used: 0, endsAtMs: nowMs + WINDOW_MS };
    windows.set(key, window);
    window.used++;
    const [limit, left] = [limits[category], Math.max(0, limits[category] - window.used)];
    const own = `${limit};w=60;name="${category}_app_id_user_id"`;
    const headers = {
      'x-ratelimit-limit': `${limit}, 100;w=1;name="safety_net_app_id_user_id", ${own}`,
      'x-ratelimit-remaining': String(left),
      'x-ratelimit-reset': String(Math.ceil((window.endsAtMs - nowMs) / 1_000)),
    };
    const response = window.used > limit ? tooMany : then();
    return { ...response, headers: { ...response.headers, ...headers } };
  };
}

const tooMany = problem(
  429,
  8,
  'This request exceeded a rate limit. This can happen if the client exceeds one of the published rate limits or if multiple write operations are applied to an object within a short time window.',
);

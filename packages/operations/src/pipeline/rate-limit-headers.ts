import type { RateLimitDecision } from '@switchboard/domain/ports';

/**
 * `RateLimit-Policy` and `RateLimit` as in
 * https://datatracker.ietf.org/doc/draft-ietf-httpapi-ratelimit-headers/ (revision 10), one item for each
 * quota.
 */
export function rateLimitHeaders({ quotas }: RateLimitDecision): Readonly<Record<string, string>> {
  return {
    'RateLimit-Policy': quotas
      .map(({ name, quota, windowSeconds }) => `"${name}";q=${quota};w=${windowSeconds}`)
      .join(', '),
    RateLimit: quotas
      .map(({ name, remaining, resetSeconds }) => `"${name}";r=${remaining};t=${resetSeconds}`)
      .join(', '),
  };
}

import type { Allowance } from '@switchboard/domain';
import type { Response } from 'express';

/** `RateLimit-Policy` and `RateLimit` as https://datatracker.ietf.org/doc/draft-ietf-httpapi-ratelimit-headers/ has them (revision 10). */
export function sayAllowance(
  response: Response,
  { quota, windowSeconds, remaining, resetSeconds }: Allowance,
): void {
  response.setHeader('RateLimit-Policy', `"key";q=${quota};w=${windowSeconds}`);
  response.setHeader('RateLimit', `"key";r=${remaining};t=${resetSeconds}`);
}

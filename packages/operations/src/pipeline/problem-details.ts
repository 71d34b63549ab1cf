import { failures, type Failure, type FailureKind } from '@switchboard/domain';
import { z } from 'zod';
import { components, nextCallShape } from '../shapes.js';
import { snakeKeys } from '../wire-format.js';
import { platformQuoteShape } from './error-shape.js';

/** The only place where a failure kind becomes a status. */
export const statusOfKind: Readonly<Record<FailureKind, number>> = {
  malformed: 400,
  unauthenticated: 401,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  conflict: 409,
  precondition_failed: 412,
  too_large: 413,
  not_acceptable: 406,
  unsupported_media: 415,
  invalid: 422,
  unsupported: 422,
  rate_limited: 429,
  internal: 500,
  upstream: 502,
  unavailable: 503,
};

/** A failure on the wire (RFC 9457), the same on REST and, as structured content, on MCP. */
export const problemDetailsSchema = z.object({
  type: z.string(),
  title: z.string(),
  status: z.int(),
  detail: z.string(),
  code: z.string(),
  request_id: z.string(),
  retryable: z.boolean(),
  effect: z.enum(['none', 'applied', 'unknown']),
  who_can_fix: z.enum(['caller', 'account_owner', 'operator', 'platform']),
  retry_after_seconds: z.int().optional(),
  errors: z.array(z.object({ path: z.string(), code: z.string(), message: z.string() })).optional(),
  candidates: z.array(z.record(z.string(), z.unknown())).optional(),
  details: z.record(z.string(), z.unknown()).optional(),
  next: nextCallShape.optional(),
  platform: platformQuoteShape.optional(),
});
problemDetailsSchema.register(components, { id: 'Problem' });

export type ProblemDetails = z.output<typeof problemDetailsSchema>;

export function toProblemDetails(failure: Failure, requestId: string): ProblemDetails {
  const facts = failures[failure.code];
  return {
    type: `urn:switchboard:error:${failure.code}`,
    title: facts.title,
    status: statusOfKind[facts.kind],
    detail: failure.message,
    code: failure.code,
    request_id: requestId,
    retryable: failure.retryable ?? facts.retryable,
    effect: failure.effect ?? facts.effect,
    who_can_fix: failure.whoCanFix ?? facts.whoCanFix,
    ...(failure.retryAfterSeconds !== undefined && {
      retry_after_seconds: Math.ceil(failure.retryAfterSeconds),
    }),
    ...(failure.problems && {
      errors: failure.problems.map(({ path, code, message }) => ({ path, code, message })),
    }),
    ...(failure.candidates && { candidates: failure.candidates.map((candidate) => snakeKeys(candidate)) }),
    ...(failure.details && { details: snakeKeys(failure.details) }),
    ...(failure.next && {
      next: { operation: failure.next.operation, arguments: { ...failure.next.arguments } },
    }),
    ...(failure.platform && { platform: failure.platform }),
  };
}

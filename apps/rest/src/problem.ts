import { createErrorResponse } from '@switchboard/operations';
import type { Failure } from '@switchboard/domain';
import type { Response } from 'express';

/** Sends a failure as RFC 9457 `application/problem+json`, with the headers of its status. */
export function sendProblem(response: Response, failure: Failure, requestId: string): void {
  const { status, body } = createErrorResponse(failure, requestId);
  if (failure.retryAfterSeconds !== undefined)
    response.set('Retry-After', String(Math.ceil(failure.retryAfterSeconds)));
  if (status === 401) response.set('WWW-Authenticate', 'Bearer');
  response.status(status).type('application/problem+json').send(body());
}

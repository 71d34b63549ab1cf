import type { Failure } from '@switchboard/domain';
import { createErrorResponse, type OperationResponse } from '@switchboard/operations';
import type { Response } from 'express';

export const requestIdOf = (response: Response): string => response.locals['requestId'] as string;

/**
 * Sends a failure of the HTTP request itself, before there is a JSON-RPC message to respond to, as
 * `application/problem+json`.
 */
export const sendProblem = (response: Response, failure: Failure): void =>
  sendErrorResponse(response, createErrorResponse(failure, requestIdOf(response)));

export function sendErrorResponse(response: Response, { status, body, failure }: OperationResponse): void {
  // Clients that can sign in start when they read this error (RFC 6750).
  if (status === 401) response.set('WWW-Authenticate', 'Bearer error="invalid_token"');
  if (failure?.retryAfterSeconds !== undefined) {
    response.set('Retry-After', String(Math.ceil(failure.retryAfterSeconds)));
  }
  response.status(status).type('application/problem+json').send(body);
}

import type { Failure } from '@switchboard/domain';
import { createErrorResponse, type OperationResponse } from '@switchboard/operations';
import type { Response } from 'express';

/** The name under which the app has the value of `WWW-Authenticate`. */
export const CHALLENGE = 'challenge';

export const requestIdOf = (response: Response): string => response.locals['requestId'] as string;

/**
 * Sends a failure of the HTTP request itself, before there is a JSON-RPC message to respond to, as
 * `application/problem+json`.
 */
export const sendProblem = (response: Response, failure: Failure): void =>
  sendErrorResponse(response, createErrorResponse(failure, requestIdOf(response)));

export function sendErrorResponse(response: Response, { status, body, failure }: OperationResponse): void {
  // Clients that can sign in start when they read this challenge (RFC 9728, section 5.1).
  if (status === 401) response.set('WWW-Authenticate', String(response.app.locals[CHALLENGE]));
  if (failure?.retryAfterSeconds !== undefined) {
    response.set('Retry-After', String(Math.ceil(failure.retryAfterSeconds)));
  }
  response.status(status).type('application/problem+json').send(body());
}

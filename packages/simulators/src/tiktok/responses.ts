import type { WireResponse } from '../wire/exchange.js';

/** Every response has an `error` object, including successes. */
const withStatus = (code: string, message: string) => ({
  code,
  message,
  log_id: '202611221200000102031234567890AB',
});

export const okResponse = (data: unknown): WireResponse => ({
  status: 200,
  json: { data, error: withStatus('ok', '') },
});

export const errorResponse = (status: number, code: string, message: string): WireResponse => ({
  status,
  json: { data: {}, error: withStatus(code, message) },
});

export const invalid = (message: string): WireResponse => errorResponse(400, 'invalid_params', message);

export const badToken = errorResponse(
  401,
  'access_token_invalid',
  'The access token is invalid or not found in the request.',
);

export const scopeMissing = (scope: string): WireResponse =>
  errorResponse(401, 'scope_not_authorized', `The user did not authorize the scope required: ${scope}.`);

export const rateLimited = errorResponse(429, 'rate_limit_exceeded', 'The API rate limit was exceeded.');

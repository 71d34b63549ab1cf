import type { WireAnswer } from '../wire/exchange.js';

/** Every answer of the API says in `error` how it went, a success too. */
const said = (code: string, message: string) => ({
  code,
  message,
  log_id: '202611221200000102031234567890AB',
});

export const fine = (data: unknown): WireAnswer => ({ status: 200, json: { data, error: said('ok', '') } });

export const refused = (status: number, code: string, message: string): WireAnswer => ({
  status,
  json: { data: {}, error: said(code, message) },
});

export const invalid = (message: string): WireAnswer => refused(400, 'invalid_params', message);

export const badToken = refused(
  401,
  'access_token_invalid',
  'The access token is invalid or not found in the request.',
);

export const noScope = (scope: string): WireAnswer =>
  refused(401, 'scope_not_authorized', `The user did not authorize the scope required: ${scope}.`);

export const tooOften = refused(429, 'rate_limit_exceeded', 'The API rate limit was exceeded.');

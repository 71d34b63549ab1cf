import type { WireResponse } from '../wire/exchange.js';

/** Validation errors have status 200 (`api_type=json`). */
export const formError = (
  code: string,
  words: string,
  field: string | null,
  more: Readonly<Record<string, unknown>> = {},
): WireResponse => ({ status: 200, json: { json: { errors: [[code, words, field]], ...more } } });

/** Errors before form validation have an HTTP status. */
export const httpError = (
  status: number,
  message: string,
  more: Readonly<Record<string, unknown>> = {},
  headers: Readonly<Record<string, string>> = {},
): WireResponse => ({ status, json: { message, error: status, ...more }, headers });

export const badToken = httpError(
  401,
  'Unauthorized',
  {},
  {
    'www-authenticate': 'Bearer realm="reddit", error="invalid_token"',
  },
);

export const insufficientScope = httpError(
  403,
  'Forbidden',
  {},
  {
    'www-authenticate': 'Bearer realm="reddit", error="insufficient_scope"',
  },
);

export const notFound = httpError(404, 'Not Found');

/** The error format of the newer endpoints. */
export const explainedError = (
  status: number,
  message: string,
  reason: string,
  explanation: string,
  fields: readonly string[] = [],
): WireResponse => ({ status, json: { fields, explanation, message, reason } });

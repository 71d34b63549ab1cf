import type { WireResponse } from '../wire/exchange.js';

/** The format of google.rpc.Status, in which all four APIs report errors. */
const googleStatus = (code: number, status: string, message: string, details?: unknown): WireResponse => ({
  status: code,
  json: { error: { code, message, status, ...(details !== undefined && { details: [details] }) } },
});

export const unauthenticated = googleStatus(
  401,
  'UNAUTHENTICATED',
  'Request had invalid authentication credentials. Expected OAuth 2 access token, login cookie or other valid authentication credential.',
);

export const insufficientScopes = googleStatus(
  403,
  'PERMISSION_DENIED',
  'Request had insufficient authentication scopes.',
  {
    '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
    reason: 'ACCESS_TOKEN_SCOPE_INSUFFICIENT',
    domain: 'googleapis.com',
  },
);

export const serviceDisabled = googleStatus(
  403,
  'PERMISSION_DENIED',
  'Google My Business API has not been used in project 1234 before or it is disabled.',
  {
    '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
    reason: 'SERVICE_DISABLED',
    domain: 'googleapis.com',
  },
);

export const notFound = googleStatus(404, 'NOT_FOUND', 'Requested entity was not found.');

/** As version 4 reports it: https://github.com/spotonlive/php-google-my-business/issues/26. */
export const invalidField = (field: string | null, message: string, code = 2): WireResponse =>
  googleStatus(400, 'INVALID_ARGUMENT', 'Request contains an invalid argument.', {
    '@type': 'type.googleapis.com/google.mybusiness.v4.ValidationError',
    errorDetails: [{ code, ...(field !== null && { field }), message }],
  });

/** As the other three APIs report it, and version 4 for a body that it cannot parse. */
export const badRequest = (message: string): WireResponse => googleStatus(400, 'INVALID_ARGUMENT', message);

import type { WireResponse } from '../wire/exchange.js';

/** https://learn.microsoft.com/en-us/linkedin/shared/api-guide/concepts/error-handling */
export const linkedInError = (
  status: number,
  message: string,
  more: { readonly code?: string; readonly serviceErrorCode?: number } = {},
): WireResponse => ({ status, json: { ...more, message, status } });

export const accessDenied = (what: string): WireResponse =>
  linkedInError(403, `Not enough permissions to access: ${what}`, {
    code: 'ACCESS_DENIED',
    serviceErrorCode: 100,
  });

export const notFound = (what: string): WireResponse =>
  linkedInError(404, `${what} is not found`, { code: 'NOT_FOUND' });

/** A field error of a body. */
export const badInput = (
  status: number,
  code: string,
  description: string,
  message = description,
): WireResponse => ({
  status,
  json: {
    errorDetailType: 'com.linkedin.common.error.BadRequest',
    message,
    errorDetails: { inputErrors: [{ description, input: {}, code }] },
    status,
  },
});

export const illegalArgument = (message: string): WireResponse =>
  linkedInError(400, message, { code: 'ILLEGAL_ARGUMENT' });

export const linkedInEndedToken = linkedInError(401, 'The token used in the request has expired', {
  code: 'EXPIRED_ACCESS_TOKEN',
  serviceErrorCode: 65_602,
});

export const linkedInBadToken = linkedInError(401, 'Invalid access token', {
  code: 'INVALID_ACCESS_TOKEN',
  serviceErrorCode: 65_600,
});

export const throttled = linkedInError(
  429,
  'Resource level throttle limit for calls to this resource is reached.',
  { serviceErrorCode: 101 },
);

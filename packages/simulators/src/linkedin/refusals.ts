import type { WireAnswer } from '../wire/exchange.js';

/** https://learn.microsoft.com/en-us/linkedin/shared/api-guide/concepts/error-handling */
export const linkedInRefusal = (
  status: number,
  message: string,
  more: { readonly code?: string; readonly serviceErrorCode?: number } = {},
): WireAnswer => ({ status, json: { ...more, message, status } });

export const accessDenied = (what: string): WireAnswer =>
  linkedInRefusal(403, `Not enough permissions to access: ${what}`, {
    code: 'ACCESS_DENIED',
    serviceErrorCode: 100,
  });

export const notFound = (what: string): WireAnswer =>
  linkedInRefusal(404, `${what} is not found`, { code: 'NOT_FOUND' });

/** What is wrong with a field of a body. */
export const badInput = (
  status: number,
  code: string,
  description: string,
  message = description,
): WireAnswer => ({
  status,
  json: {
    errorDetailType: 'com.linkedin.common.error.BadRequest',
    message,
    errorDetails: { inputErrors: [{ description, input: {}, code }] },
    status,
  },
});

export const illegalArgument = (message: string): WireAnswer =>
  linkedInRefusal(400, message, { code: 'ILLEGAL_ARGUMENT' });

export const linkedInEndedToken = linkedInRefusal(401, 'The token used in the request has expired', {
  code: 'EXPIRED_ACCESS_TOKEN',
  serviceErrorCode: 65_602,
});

export const linkedInBadToken = linkedInRefusal(401, 'Invalid access token', {
  code: 'INVALID_ACCESS_TOKEN',
  serviceErrorCode: 65_600,
});

export const throttled = linkedInRefusal(
  429,
  'Resource level throttle limit for calls to this resource is reached.',
  { serviceErrorCode: 101 },
);

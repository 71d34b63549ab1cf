import type { WireResponse } from '../wire/exchange.js';

/** The format of developers.google.com/youtube/v3/docs/errors: programs read `errors[0].reason`. */
export function googleError(
  status: number,
  reason: string,
  message: string,
  domain = 'youtube.video',
  more: object = {},
): WireResponse {
  return {
    status,
    json: { error: { code: status, message, errors: [{ message, domain, reason }], ...more } },
  };
}

export const unauthenticated = googleError(
  401,
  'authError',
  'Request had invalid authentication credentials. Expected OAuth 2 access token, login cookie or other valid authentication credential.',
  'global',
  { status: 'UNAUTHENTICATED' },
);

export const insufficientPermissions = googleError(
  403,
  'insufficientPermissions',
  'Request had insufficient authentication scopes.',
  'global',
  {
    status: 'PERMISSION_DENIED',
    details: [
      {
        '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
        reason: 'ACCESS_TOKEN_SCOPE_INSUFFICIENT',
        domain: 'googleapis.com',
      },
    ],
  },
);

export const quotaExceeded = googleError(
  403,
  'quotaExceeded',
  'The request cannot be completed because you have exceeded your <a href="/youtube/v3/getting-started#quota">quota</a>.',
  'youtube.quota',
);

export const videoNotFound = googleError(
  404,
  'videoNotFound',
  'The video that you are trying to reach cannot be found.',
);

export const notFound = googleError(404, 'notFound', 'Not Found', 'global');

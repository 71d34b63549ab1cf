import type { Request } from 'express';
import type { HttpResponse } from '../wire/response.js';
import { refusal } from '../wire/response.js';
import type { EndpointHandler } from '../wire/endpoint.js';
import type { Bearer } from './grant.js';

export type AuthorizedHandle = (
  account: string,
  request: Request,
  bearer: Extract<Bearer, { state: 'valid' }>,
) => HttpResponse | Promise<HttpResponse>;

/** Resolves the token of a request. */
export interface BearerLookup {
  readonly bearer: (token: string) => Bearer | Promise<Bearer>;
}

/** Runs a handler only for a bearer token with the required scope. */
export function authorized(bearers: BearerLookup, scope: string, handle: AuthorizedHandle): EndpointHandler {
  return async (request) => {
    const token = readBearer(request.headers.authorization);
    if (token === undefined)
      return unauthorized('token_missing', 'Send the access token as Authorization: Bearer.');
    const bearer = await bearers.bearer(token);
    switch (bearer.state) {
      case 'invalid':
        return unauthorized('token_invalid', 'The access token is unknown.');
      case 'expired':
        return unauthorized('token_expired', 'The access token has expired.');
      case 'revoked':
        return unauthorized('token_revoked', 'The access token has been revoked.');
      case 'valid':
        return bearer.scopes.includes(scope)
          ? handle(bearer.account, request, bearer)
          : refusal(
              403,
              'insufficient_scope',
              `This requires the scope ${scope}.`,
              { required: scope },
              challenge('insufficient_scope'),
            );
    }
  };
}

export function readBearer(authorization: string | undefined): string | undefined {
  return /^Bearer +(\S+)$/i.exec(authorization ?? '')?.[1];
}

function unauthorized(code: string, message: string): HttpResponse {
  return refusal(401, code, message, {}, challenge('invalid_token'));
}

function challenge(error: string): Record<string, string> {
  return { 'www-authenticate': `Bearer realm="sandbox", error="${error}"` };
}

import type { Request } from 'express';
import { type HttpResponse, refusal } from '../wire/response.js';
import type { EndpointHandler } from '../wire/endpoint.js';
import { OTHER_INSTALLATION_MESSAGE, type Bearer } from './grants.js';

/** A request with a valid token, and the account that the token is for. */
interface AuthorizedRequest {
  readonly account: string;
  readonly request: Request;
  readonly bearer: Extract<Bearer, { state: 'valid' }>;
}

/** A handler by the scope that it requires, in the context of its platform. */
export type ScopedRoute<Context> = readonly [
  scope: string,
  handle: (context: Context, authorized: AuthorizedRequest) => HttpResponse | Promise<HttpResponse>,
];

/** Resolves the token of a request. */
export interface BearerLookup {
  readonly bearer: (token: string) => Bearer | Promise<Bearer>;
}

/** Runs a handler only for a bearer token with the required scope. */
export function authorized<Context>(
  bearers: BearerLookup,
  context: Context,
  [scope, handle]: ScopedRoute<Context>,
): EndpointHandler {
  return async (request) => {
    const token = readBearer(request.headers.authorization);
    if (token === undefined)
      return unauthorized('token_missing', 'Send the access token as Authorization: Bearer.');
    const bearer = await bearers.bearer(token);
    switch (bearer.state) {
      case 'invalid':
        return unauthorized('token_invalid', 'The access token is unknown.');
      case 'other_installation':
        return refusal(503, 'other_installation', OTHER_INSTALLATION_MESSAGE);
      case 'expired':
        return unauthorized('token_expired', 'The access token has expired.');
      case 'revoked':
        return unauthorized('token_revoked', 'The access token has been revoked.');
      case 'valid':
        return bearer.scopes.includes(scope)
          ? handle(context, { account: bearer.account, request, bearer })
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

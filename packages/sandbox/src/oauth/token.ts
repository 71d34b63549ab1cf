import type { Request } from 'express';
import type { HttpResponse } from '../wire/response.js';
import { empty, json } from '../wire/response.js';
import { bodyFields } from '../wire/parameters.js';
import type { ClientRegistry } from './client.js';
import type { GrantStore } from './grants.js';

/** `POST /oauth/token` */
export function handleToken(clients: ClientRegistry, grants: GrantStore, request: Request): HttpResponse {
  const client = readClient(clients, request);
  if ('refusal' in client) return client.refusal;
  const form = bodyFields(request);
  const text = (name: string) =>
    typeof form[name] === 'string' && form[name] !== '' ? form[name] : undefined;
  const grantType = text('grant_type');
  if (grantType === 'authorization_code') {
    const [code, redirectUri, verifier] = [text('code'), text('redirect_uri'), text('code_verifier')];
    if (code === undefined || redirectUri === undefined || verifier === undefined) {
      return oauthError(400, 'invalid_request', 'code, redirect_uri and code_verifier are required.');
    }
    return tokenResponse(grants.exchangeCode(client.id, code, redirectUri, verifier));
  }
  if (grantType === 'refresh_token') {
    const token = text('refresh_token');
    if (token === undefined) return oauthError(400, 'invalid_request', 'refresh_token is required.');
    return tokenResponse(grants.refresh(client.id, token, text('scope')?.split(' ').filter(Boolean)));
  }
  return grantType === undefined
    ? oauthError(400, 'invalid_request', 'grant_type is required.')
    : oauthError(400, 'unsupported_grant_type', 'Only authorization_code and refresh_token are supported.');
}

/** `POST /oauth/revoke`: the response does not disclose whether the token existed (RFC 7009 2.2). */
export function handleRevoke(clients: ClientRegistry, grants: GrantStore, request: Request): HttpResponse {
  const client = readClient(clients, request);
  if ('refusal' in client) return client.refusal;
  const token = bodyFields(request)['token'];
  if (typeof token !== 'string' || token === '')
    return oauthError(400, 'invalid_request', 'token is required.');
  const refused = grants.revoke(client.id, token);
  return refused ? json(400, refused) : empty(200, { 'cache-control': 'no-store' });
}

function tokenResponse(result: ReturnType<GrantStore['refresh']>): HttpResponse {
  return json('error' in result ? 400 : 200, result, { pragma: 'no-cache' });
}

function readClient(
  clients: ClientRegistry,
  request: Request,
): { readonly id: string } | { readonly refusal: HttpResponse } {
  if (!request.is('application/x-www-form-urlencoded')) {
    return {
      refusal: oauthError(400, 'invalid_request', 'The body must be application/x-www-form-urlencoded.'),
    };
  }
  const form = bodyFields(request);
  if (Object.values(form).some((value) => typeof value !== 'string')) {
    return { refusal: oauthError(400, 'invalid_request', 'A parameter is given more than once.') };
  }
  const checked = clients.check(request.headers.authorization, form);
  if ('id' in checked) return checked;
  return {
    refusal:
      checked.error === 'two_methods'
        ? oauthError(400, 'invalid_request', 'The client uses two authentication methods.')
        : json(
            401,
            { error: 'invalid_client', error_description: 'The client is unknown or its secret is wrong.' },
            { 'www-authenticate': 'Basic realm="sandbox"' },
          ),
  };
}

function oauthError(status: number, error: string, error_description: string): HttpResponse {
  return json(status, { error, error_description });
}

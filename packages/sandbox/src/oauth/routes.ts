import express, { Router, type Request } from 'express';
import type { PlatformName, World, Account } from '../world.js';
import { endpoint, type EndpointHandler, routesOf } from '../wire/endpoint.js';
import { handleConsent, showConsent, consentRequests } from './authorize.js';
import type { GrantStore } from './grants.js';
import { type HttpResponse, empty, json } from '../wire/response.js';
import { bodyFields } from '../wire/parameters.js';
import type { ClientRegistry } from './client.js';
import { scopesOf } from './scopes.js';

/** One authorization server, mounted under the platform's path. */
export function oauthRoutes(
  world: World,
  platform: PlatformName,
  accounts: readonly Account[],
  grants: GrantStore,
): Router {
  const authorizing = { world, platform, accounts, grants, consents: consentRequests() };
  const form = express.urlencoded({ extended: false, limit: '64kb' });
  const routes: Readonly<Record<string, EndpointHandler>> = {
    'GET /oauth/authorize': (request) => showConsent(authorizing, request),
    'POST /oauth/authorize': (request) => handleConsent(authorizing, request),
    'POST /oauth/token': (request) => handleToken(world.clients, grants, request),
    'POST /oauth/revoke': (request) => handleRevoke(world.clients, grants, request),
    'GET /.well-known/oauth-authorization-server': () => serverMetadata(world, platform),
  };
  return Router()
    .post('/oauth/*endpoint', form)
    .use(routesOf(routes, (handle) => endpoint(world, platform, handle)));
}

/** `POST /oauth/token` */
function handleToken(clients: ClientRegistry, grants: GrantStore, request: Request): HttpResponse {
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
function handleRevoke(clients: ClientRegistry, grants: GrantStore, request: Request): HttpResponse {
  const client = readClient(clients, request);
  if ('refusal' in client) return client.refusal;
  const token = bodyFields(request)['token'];
  if (typeof token !== 'string' || token === '')
    return oauthError(400, 'invalid_request', 'token is required.');
  const refused = grants.revoke(client.id, token);
  return refused ? json(statusOf(refused), refused) : empty(200, { 'cache-control': 'no-store' });
}

function tokenResponse(result: ReturnType<GrantStore['refresh']>): HttpResponse {
  return json('error' in result ? statusOf(result) : 200, result, { pragma: 'no-cache' });
}

/** Not a refusal: the client must not discard a token that another installation may accept. */
const statusOf = ({ error }: { readonly error: string }): 400 | 503 =>
  error === 'temporarily_unavailable' ? 503 : 400;

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

/** RFC 8414. */
export function serverMetadata(world: World, platform: PlatformName): HttpResponse {
  const issuer = `${world.origin()}/${platform}`;
  return json(200, {
    issuer,
    authorization_endpoint: `${issuer}/oauth/authorize`,
    token_endpoint: `${issuer}/oauth/token`,
    revocation_endpoint: `${issuer}/oauth/revoke`,
    scopes_supported: scopesOf(platform),
    response_types_supported: ['code'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    code_challenge_methods_supported: ['S256'],
    token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
    revocation_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
    authorization_response_iss_parameter_supported: true,
  });
}

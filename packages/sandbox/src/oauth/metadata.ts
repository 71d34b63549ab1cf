import type { PlatformName, World } from '../world.js';
import type { HttpResponse } from '../wire/response.js';
import { json } from '../wire/response.js';
import { scopesOf } from './scopes.js';

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

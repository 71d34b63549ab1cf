export { CLIENT_METADATA_PATH, JWKS_PATH, type AtprotoOptions } from './atproto-client.js';
export type { OAuthApps, OriginResolver } from './oauth2-authorizer.js';
export type { HttpAgents, OAuthApp } from './oauth2-client.js';
export { openAuthorizers, type AuthorizersOptions, type OAuthServices } from './open-authorizers.js';

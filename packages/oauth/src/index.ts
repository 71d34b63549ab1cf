export { CLIENT_METADATA_PATH, JWKS_PATH, type AtprotoOptions } from './atproto-client.js';
export type { Apps, Origins } from './oauth2-authorizer.js';
export type { Agents, App } from './oauth2-client.js';
export { openAuthorizers, type AuthorizersOptions, type OpenAuthorizers } from './open-authorizers.js';

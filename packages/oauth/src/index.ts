export type { OAuthApps, OriginResolver } from './oauth2-authorizer.js';
export type { OAuthApp } from './oauth2-client.js';
export { openAuthorizers } from './open-authorizers.js';

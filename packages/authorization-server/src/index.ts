export {
  openAuthorizationServer,
  type AuthorizationServer,
  type AuthorizationServerOptions,
  type OAuthEndpoint,
} from './open-authorization-server.js';
export type { ClientDisplay } from './client-metadata.js';
export type { SignIn } from './sign-in.js';

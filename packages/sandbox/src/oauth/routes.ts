import express, { Router } from 'express';
import type { Account } from '../account.js';
import { endpoint } from '../wire/endpoint.js';
import type { PlatformName, World } from '../world.js';
import { handleConsent, showConsent } from './authorize.js';
import { consentRequests } from './consent-requests.js';
import type { GrantStore } from './grants.js';
import { serverMetadata } from './metadata.js';
import { handleRevoke, handleToken } from './token.js';

/** One authorization server, mounted under the platform's path. */
export function oauthRoutes(
  world: World,
  platform: PlatformName,
  accounts: readonly Account[],
  grants: GrantStore,
): Router {
  const authorizing = { world, platform, accounts, grants, consents: consentRequests() };
  const form = express.urlencoded({ extended: false, limit: '64kb' });
  return Router()
    .get(
      '/oauth/authorize',
      endpoint(world, platform, (request) => showConsent(authorizing, request)),
    )
    .post(
      '/oauth/authorize',
      form,
      endpoint(world, platform, (request) => handleConsent(authorizing, request)),
    )
    .post(
      '/oauth/token',
      form,
      endpoint(world, platform, (request) => handleToken(world.clients, grants, request)),
    )
    .post(
      '/oauth/revoke',
      form,
      endpoint(world, platform, (request) => handleRevoke(world.clients, grants, request)),
    )
    .get(
      '/.well-known/oauth-authorization-server',
      endpoint(world, platform, () => serverMetadata(world, platform)),
    );
}

import type { Settings } from '@switchboard/domain/ports';
import { describeProtectedResource, protectedResourceUrl } from '@switchboard/operations';
import { Router } from 'express';

/**
 * The metadata of MCP as a protected resource (RFC 9728), for clients that sign in. Public, so that it is
 * served to every host and origin.
 */
export function protectedResourceRoutes(settings: Settings): Router {
  const router = Router();
  const metadata = describeProtectedResource(settings);
  const { pathname } = new URL(protectedResourceUrl(settings));
  // Clients of older revisions look at the root.
  router.get([pathname, '/.well-known/oauth-protected-resource'], (_request, response) => {
    response.set({ 'Access-Control-Allow-Origin': '*', 'Cache-Control': 'public, max-age=600' });
    response.json(metadata);
  });
  return router;
}

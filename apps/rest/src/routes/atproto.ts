import type { Service } from '@switchboard/bootstrap';
import { failure } from '@switchboard/domain';
import { Router, type Response } from 'express';
import { sendProblem } from '../problem.js';

/**
 * The documents that AT Protocol servers fetch to identify this client. There are none on a loopback address:
 * servers accept such a client without them.
 */
export function atprotoRoutes({ atproto }: Service): Router {
  const router = Router();
  const send = (response: Response, document: object | null) => {
    if (document) return void response.set('Cache-Control', 'public, max-age=600').json(document);
    const requestId = String(response.locals['requestId']);
    sendProblem(response, failure('route.not_found', 'Route not found. See /docs.'), requestId);
  };
  router.get('/oauth/atproto/client-metadata.json', (_request, response) =>
    send(response, atproto.clientMetadata()),
  );
  router.get('/oauth/atproto/jwks.json', async (_request, response) => {
    send(response, atproto.clientMetadata() && (await atproto.jwks()));
  });
  return router;
}

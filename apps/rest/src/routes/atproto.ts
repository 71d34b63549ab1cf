import type { Service } from '@switchboard/bootstrap';
import { failure } from '@switchboard/domain';
import { Router, type Response } from 'express';
import { sendProblem } from '../problem.js';

/** What AT Protocol servers fetch to know this client. On a loopback address there is nothing: they take such a client's word. */
export function atprotoRoutes({ atproto }: Service): Router {
  const router = Router();
  const send = (response: Response, document: object | null) => {
    if (document) return void response.set('Cache-Control', 'public, max-age=600').json(document);
    const requestId = String(response.locals['requestId']);
    sendProblem(response, failure('route.not_found', 'There is no such route. See /docs.'), requestId);
  };
  router.get('/oauth/atproto/client-metadata.json', (_request, response) =>
    send(response, atproto.clientMetadata()),
  );
  router.get('/oauth/atproto/jwks.json', async (_request, response) => {
    send(response, atproto.clientMetadata() && (await atproto.jwks()));
  });
  return router;
}

import express, {
  type Request,
  type RequestHandler,
  Router,
  type NextFunction,
  type Response,
} from 'express';
import type { PlatformName, World } from '../world.js';
import { type HttpResponse, refusal } from './response.js';
import { writeResponse } from './write-response.js';

export type EndpointHandler = (request: Request) => HttpResponse | Promise<HttpResponse>;

/** Binds a platform handler: its responses pass through the fault that matches the request. */
export function endpoint(world: World, platform: PlatformName, handle: EndpointHandler): RequestHandler {
  return async (request, response) => {
    const logged = world.requests.of(request);
    const fault = world.faults.take({
      platform,
      method: request.method,
      path: pathOf(request),
      account: logged?.account ?? null,
      tokenHash: logged?.token_hash ?? null,
      body: request.body === undefined || Buffer.isBuffer(request.body) ? '' : JSON.stringify(request.body),
    });
    if (logged && fault) logged.fault = fault.kind;
    await writeResponse(world, response, fault, async () => {
      const reply = await handle(request);
      // Effects are on disk before the response is sent.
      await world.ledger.durable();
      return reply;
    });
  };
}

/** Binds a handler without faults: the control endpoints and the sandbox's own pages. */
export function faultFreeEndpoint(world: World, handle: EndpointHandler): RequestHandler {
  return async (request, response) => writeResponse(world, response, undefined, () => handle(request));
}

function pathOf(request: Request): string {
  return request.originalUrl.split('?', 1)[0] ?? '';
}

/** A router with handlers by method and path (`'GET /posts/:id'`), each bound by `bind`. */
export function routesOf<Handler>(
  routes: Readonly<Record<string, Handler>>,
  bind: (handle: Handler) => RequestHandler,
): Router {
  const router = Router();
  for (const [route, handle] of Object.entries(routes)) {
    const [method, path = ''] = route.split(' ');
    router[method?.toLowerCase() as 'delete' | 'get' | 'post'](path, bind(handle));
  }
  return router;
}

const parse = express.json({ limit: '64kb', type: ['application/json', 'application/*+json'] });

/** Reads a JSON body; other content types are rejected, an empty body is accepted. */
export const jsonBody: RequestHandler = (request: Request, response: Response, next: NextFunction) => {
  const hasBody =
    request.headers['transfer-encoding'] !== undefined || Number(request.headers['content-length'] ?? 0) > 0;
  if (hasBody && !request.is(['application/json', 'application/*+json'])) {
    const { status, body } = refusal(415, 'unsupported_media_type', 'Send JSON.');
    response.status(status).json(body.type === 'json' ? body.value : undefined);
    return;
  }
  parse(request, response, next);
};

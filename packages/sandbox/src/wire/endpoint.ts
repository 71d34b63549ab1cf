import express, {
  type Request,
  type RequestHandler,
  Router,
  type NextFunction,
  type Response,
} from 'express';
import { respondWithFault, type FaultHost } from '@switchboard/fault-injection';
import type { PlatformName, World } from '../world.js';
import { fieldsOf } from './parameters.js';
import { type HttpResponse, refusal } from './response.js';

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
    await respondWithFault(fault, response, hostOf(world, request), async () => {
      const reply = await handle(request);
      // Effects are on disk before the response is sent.
      await world.ledger.durable();
      return reply;
    });
  };
}

/** Binds a handler without faults: the control endpoints and the sandbox's own pages. */
export function faultFreeEndpoint(world: World, handle: EndpointHandler): RequestHandler {
  return async (request, response) =>
    respondWithFault(undefined, response, hostOf(world, request), async () => handle(request));
}

const hostOf = (world: World, request: Request): FaultHost => ({
  stopping: world.stopping,
  onResponse: (status) => {
    const logged = world.requests.of(request);
    if (logged) logged.status = status;
  },
  refuse(status, headers) {
    const [code, message] = refusals[status === 429 || status === 403 ? status : 500];
    return refusal(status, code, message, {}, headers);
  },
  withoutId: ({ bytes, ...reply }) => {
    if (bytes.length === 0) return { bytes, ...reply };
    const { id: _, access_token: __, ...kept } = fieldsOf(JSON.parse(Buffer.from(bytes).toString()));
    return { ...reply, bytes: Buffer.from(JSON.stringify(kept)) };
  },
  elsewhere: `${world.origin()}/_elsewhere`,
});

const refusals = {
  403: ['insufficient_scope', 'The account owner did not grant this permission.'],
  429: ['rate_limited', 'Too many requests.'],
  500: ['internal', 'Internal error.'],
} as const;

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
    router[method?.toLowerCase() as 'delete' | 'get' | 'post' | 'put'](path, bind(handle));
  }
  return router;
}

const parse = express.json({ limit: '64kb', type: ['application/json', 'application/*+json'] });

/** Reads a JSON body; other content types are rejected, an empty body is accepted. */
export const jsonBody: RequestHandler = (request: Request, response: Response, next: NextFunction) => {
  const hasBody =
    request.headers['transfer-encoding'] !== undefined || Number(request.headers['content-length'] ?? 0) > 0;
  if (hasBody && !request.is(['application/json', 'application/*+json'])) {
    const { status, headers, bytes } = refusal(415, 'unsupported_media_type', 'Send JSON.');
    return void response.writeHead(status, headers).end(bytes);
  }
  parse(request, response, next);
};

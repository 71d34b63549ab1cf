import type { Request, RequestHandler } from 'express';
import type { PlatformName, World } from '../world.js';
import type { HttpResponse } from './response.js';
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

export function pathOf(request: Request): string {
  return request.originalUrl.split('?', 1)[0] ?? '';
}
